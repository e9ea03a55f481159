/*===- train.h - C API of the Anemone runtime: training -------------*- C -*-===*
 *
 * Trains the model of a bundle that ane-compile --train wrote.
 *
 *   ane_trainer_options options = ANE_TRAINER_OPTIONS_INIT;
 *   options.learning_rate = 1e-3;
 *   ane_trainer *trainer = NULL;
 *   ane_status *status = ane_trainer_create("model.anebundle", &options, &trainer);
 *   for (int64_t i = 0; !status && i < 1000; ++i) {
 *     ane_train_step step = ANE_TRAIN_STEP_INIT;
 *     status = ane_trainer_set_input(trainer, 0, ids, sizeof ids);
 *     if (!status) status = ane_trainer_set_input(trainer, 1, targets, sizeof targets);
 *     if (!status) status = ane_trainer_step(trainer, &step);
 *     if (!status) printf("%lld: %g\n", (long long)step.step, step.loss);
 *   }
 *   if (!status) status = ane_trainer_save(trainer, "checkpoint");
 *   if (status) { fputs(ane_status_message(status), stderr); ane_status_free(status); }
 *   ane_trainer_destroy(trainer);
 *
 * What ane.h says of errors, structs and their sizes, stability and trust holds
 * here, too. A trainer is for one thread at a time.
 *
 * Weights, gradients and moments are float32 on every device; the bundle's programs
 * may compute in fp16, for which the loss is scaled. The same bundle, options and
 * inputs give the same bits on the same device and machine, with any number of
 * threads.
 *
 *===----------------------------------------------------------------------===*/
#ifndef ANE_RUNTIME_TRAIN_H
#define ANE_RUNTIME_TRAIN_H

#include "ane/runtime/ane.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ane_trainer ane_trainer;

/* Stands for 0 in options of which 0 is the default. */
#define ANE_TRAIN_ZERO (-1.0)

typedef struct ane_trainer_options {
  size_t size;
  /* As in ane_options. */
  const char *device;
  const char *emulator_mode;
  ane_context *context;
  int32_t threads;
  int32_t verify;
  /* "adamw" (default, also NULL), "sgd" or "lion". With g the mean gradient, clipped,
     and t the number of the update, counted from 1:
     adamw: w *= 1 - rate * decay; m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2;
            w -= rate * (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
     sgd:   u = momentum u + g + decay * w; w -= rate * u
     lion:  w *= 1 - rate * decay; w -= rate * sign(beta1 m + (1 - beta1) g);
            m = beta2 m + (1 - beta2) g */
  const char *optimizer;
  double learning_rate; /* 0: 3e-4 */
  double beta1, beta2;  /* 0: 0.9 and 0.999, of lion 0.99 */
  double epsilon;       /* 0: 1e-8 */
  double momentum;      /* 0: none */
  double weight_decay;  /* of parameters with two dimensions and more; 0: none */
  /* "constant" (default, also NULL), "linear" or "cosine": how the learning rate
     falls behind the warm-up, to `end_share` of it at step `steps`. */
  const char *schedule;
  double end_share;   /* 0 to 1 */
  int64_t warmup;     /* steps in which it rises: rate * i / warmup in the i-th */
  int64_t steps;      /* of the whole run; the constant schedule needs none */
  double clip;        /* largest norm of all gradients together; 0: any */
  int64_t accumulate; /* micro-batches of a step, which is the mean over all their targets; 0: 1 */
  /* 0: 1 on the CPU, and a dynamic one from 32768 elsewhere. */
  double loss_scale;
  /* Not 0: `loss_scale` is what a dynamic one begins with. It doubles after 2000
     steps with finite gradients, up to 2^24; it is halved, down to 1, and the step
     skipped, when gradients are not finite. */
  int32_t dynamic_loss_scale;
  /* Not 0: refuse what may give other bits: ane_trainer_load checkpoints of another device
     or of CPU code for another processor, ane_trainer_backward programs that were meant
     for the device and ran on the CPU. */
  int32_t deterministic;
  /* Patterns, with * and ?, of names of parameters that keep their values. They have
     no gradients and no moments. */
  const char *const *frozen;
  size_t frozen_count;
  /* How weights get into programs after an update: "auto" (default, also NULL), or what
     the bundle was compiled for: "inputs" (ane-compile --train), or of one whose programs
     have them (--parameters=baked) the way that comes first: "patch", "donor" or
     "recompile", as in ane_options. Only ways that a probe has found to work are taken,
     and only what has changed is staged. */
  const char *weights_by;
  /* Not 0: what fp16 makes infinite, going into programs or coming out of them, becomes
     65504, with its sign, and is counted. The step is not skipped; a dynamic loss scale
     is halved behind it. Scales are at most 32768 then, which fp16 holds. NaN stays, and is trouble as before. */
  int32_t clamp_fp16;
  int32_t trust; /* an ane_trust, as in ane_options */
} ane_trainer_options;

#define ANE_TRAINER_OPTIONS_INIT                                                                                       \
  {sizeof(ane_trainer_options),                                                                                        \
   NULL,                                                                                                               \
   NULL,                                                                                                               \
   NULL,                                                                                                               \
   0,                                                                                                                  \
   0,                                                                                                                  \
   NULL,                                                                                                               \
   0,                                                                                                                  \
   0,                                                                                                                  \
   0,                                                                                                                  \
   0,                                                                                                                  \
   0,                                                                                                                  \
   0,                                                                                                                  \
   NULL,                                                                                                               \
   0,                                                                                                                  \
   0,                                                                                                                  \
   0,                                                                                                                  \
   0,                                                                                                                  \
   0,                                                                                                                  \
   0,                                                                                                                  \
   0,                                                                                                                  \
   0,                                                                                                                  \
   NULL,                                                                                                               \
   0,                                                                                                                  \
   NULL,                                                                                                               \
   0,                                                                                                                  \
   0}

/* `path` is the bundle's directory; `options` may be NULL. Weights are those of the
   bundle. ANE_INVALID_ARGUMENT for a bundle that was not compiled for training, an
   option out of range, or a pattern that no name matches; ANE_RESOURCE_EXHAUSTED
   where weights, gradients and moments do not fit in memory. */
ANE_API ane_status *ane_trainer_create(const char *path, const ane_trainer_options *options, ane_trainer **trainer);
ANE_API void ane_trainer_destroy(ane_trainer *trainer);

/* The device in use, as ane_bundle_device has it; owned by the trainer. */
ANE_API const char *ane_trainer_device(const ane_trainer *trainer);
/* How weights get into programs: "inputs", or what ane_bundle_weights_by has said when
   the trainer was made; owned by the trainer. */
ANE_API const char *ane_trainer_weights_by(const ane_trainer *trainer);

/* ---- Steps ---------------------------------------------------------------- */

/* What a micro-batch is: data, and behind them the target of the loss, if it has
   one. Axis 0 of each is the batch. Pointers in `info` are owned by the trainer. */
ANE_API size_t ane_trainer_input_count(const ane_trainer *trainer);
ANE_API ane_status *ane_trainer_input_info(const ane_trainer *trainer, size_t index, ane_tensor_info *info);
/* Copies a value in; `bytes` must be that of the input. It stays for later steps. */
ANE_API ane_status *ane_trainer_set_input(ane_trainer *trainer, size_t index, const void *data, size_t bytes);

typedef struct ane_train_step {
  size_t size;
  int64_t step;      /* its number, counted from 1, with those that were skipped */
  double loss;       /* mean over all targets that count; of other losses over the micro-batches */
  double rate;       /* the learning rate */
  double norm;       /* of all gradients together, before they are clipped */
  double loss_scale; /* with which gradients were computed */
  /* NULL; of a step that was skipped, what was not finite. Owned by the trainer and
     valid until the next step. */
  const char *skipped;
  uint64_t evaluations;  /* of programs on the device */
  uint64_t staged_bytes; /* copied into and out of surfaces, and into weight files of programs */
  int32_t ended;         /* 0: the step goes on with the next micro-batch; other members but `loss` are 0 then */
  int32_t reserved;
  uint64_t clamped; /* elements, see clamp_fp16 */
} ane_train_step;

#define ANE_TRAIN_STEP_INIT {sizeof(ane_train_step), 0, 0, 0, 0, 0, NULL, 0, 0, 0, 0, 0}

/* One micro-batch: ane_trainer_backward, and ane_trainer_update with the last one of
   a step. `step` may be NULL. */
ANE_API ane_status *ane_trainer_step(ane_trainer *trainer, ane_train_step *step);

/* The two halves. backward computes the loss of the inputs, which is not scaled, and
   its gradients, and adds these to those since the last update; `loss` may be NULL.
   After an error there are no gradients, and the step begins anew.
   update changes the weights by the mean over all targets, whatever number of micro-batches
   there were; more than one takes `accumulate` above 1. Where a gradient is not finite the
   step is skipped if a smaller loss scale may help; else update gives
   ANE_FAILED_PRECONDITION, which names the first parameter in trouble, its place and
   the step, and weights and moments are as before. */
ANE_API ane_status *ane_trainer_backward(ane_trainer *trainer, float *loss);
ANE_API ane_status *ane_trainer_update(ane_trainer *trainer, ane_train_step *step);

/* The loss of the inputs with the weights as they are; changes neither these nor a
   step under way. ANE_UNIMPLEMENTED if the bundle was compiled without. */
ANE_API ane_status *ane_trainer_evaluate(ane_trainer *trainer, float *loss);

/* What happened otherwise than asked: programs that run on the CPU, since the device
   refused them, and those that get their weights otherwise than asked, as when the
   budget of compilations has ended. A line for each; owned by the trainer, until the next
   step or evaluation. NULL when index is out of range. */
ANE_API size_t ane_trainer_event_count(const ane_trainer *trainer);
ANE_API const char *ane_trainer_event(const ane_trainer *trainer, size_t index);

/* ---- Parameters ------------------------------------------------------------ */

/* In the order of their names, which are the model's. All are float32. Running statistics of
   batch norms are among them, and frozen: they follow the data, not a gradient. */
ANE_API size_t ane_trainer_parameter_count(const ane_trainer *trainer);
ANE_API ane_status *ane_trainer_parameter_info(const ane_trainer *trainer, size_t index, ane_tensor_info *info);
/* Not 0 if a pattern of `frozen` has matched it. */
ANE_API int32_t ane_trainer_parameter_frozen(const ane_trainer *trainer, size_t index);
/* Copies a value out or in, dense and row-major; `bytes` must be that of the
   parameter. ANE_NOT_FOUND lists the names. */
ANE_API ane_status *ane_trainer_read_parameter(const ane_trainer *trainer, const char *name, float *data, size_t bytes);
ANE_API ane_status *ane_trainer_write_parameter(ane_trainer *trainer, const char *name, const float *data,
                                                size_t bytes);
/* The gradient of the mean loss since the last update or, right behind one, the
   gradient that it used. Neither scaled nor clipped. ANE_FAILED_PRECONDITION for a
   frozen parameter, and before the first backward. */
ANE_API ane_status *ane_trainer_read_gradient(const ane_trainer *trainer, const char *name, float *data, size_t bytes);

/* ---- The run --------------------------------------------------------------- */

typedef struct ane_train_counters {
  size_t size;
  int64_t steps;         /* with those that were skipped */
  int64_t updates;       /* of the weights */
  int64_t skipped;       /* steps */
  int64_t micro_batches; /* since the last update */
  double loss_scale;     /* of the next backward */
  uint64_t arena_bytes;  /* of weights, gradients and moments */
} ane_train_counters;

#define ANE_TRAIN_COUNTERS_INIT {sizeof(ane_train_counters), 0, 0, 0, 0, 0, 0}

ANE_API ane_status *ane_trainer_counters(const ane_trainer *trainer, ane_train_counters *counters);

/* Writes a checkpoint, the folder step-NUMBER below `folder`, which is created if
   need be: weights and moments as safetensors, all else as JSON. It appears when it is
   complete and on disk; then all but the `keep` newest ones go away (0: none does).
   ANE_FAILED_PRECONDITION within a step, ANE_RESOURCE_EXHAUSTED for a full disk; after
   an error all is as before. What a program feeds, and the place in it, is its own. */
ANE_API ane_status *ane_trainer_save(const ane_trainer *trainer, const char *folder, uint32_t keep);
/* Goes on from a checkpoint, or from the newest one below a folder: with the same
   inputs, later steps give the same bits as if the run had not ended.
   ANE_FAILED_PRECONDITION, saying in what they differ, if that run had other options;
   ANE_INVALID_ARGUMENT if it was of another model, ANE_DATA_LOSS for damaged files.
   After an error the trainer is as before. */
ANE_API ane_status *ane_trainer_load(ane_trainer *trainer, const char *path);

#ifdef __cplusplus
}
#endif
#endif /* ANE_RUNTIME_TRAIN_H */
