//===- trainer.h - Trains the model of a training bundle ----------*- C++ -*-===//
//
// A client of ane.h: the bundle's functions compute losses, gradients and updates;
// this class owns weights, gradients and moments, binds the functions to them, and
// decides what happens when. Weights are kept in float32. After each step the
// same bundle, options, data and state give the same bits.
//
// Memory: arenas of weights, gradients and moments, one more of gradients with
// accumulation, and what the sessions need (plan.h). For one thread at a time.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_TRAIN_TRAINER_H
#define ANE_RUNTIME_TRAIN_TRAINER_H

#include "absl/types/span.h"
#include "runtime/format/manifest/manifest.h"
#include "runtime/support/memory_plan.h"
#include "runtime/train/checkpoint/checkpoint.h"
#include "runtime/train/gradients.h"
#include "runtime/train/loss_scale.h"
#include "runtime/train/optimizer.h"
#include "runtime/train/schedule.h"
#include <optional>
#include <set>

namespace ane::rt::train {

struct TrainerOptions {
  DeviceOptions device;
  OptimizerOptions optimizer;
  Schedule schedule;
  double clip = 0;                             ///< largest norm of all gradients together; 0: any
  int64_t accumulate = 1;                      ///< micro-batches of a step, which is the mean over all their targets
  std::optional<LossScale::Options> lossScale; ///< nothing: 1 on the CPU, else dynamic from 32768
  std::vector<std::string> frozen;             ///< patterns of names of parameters that keep their values
  /// Refuse to go on where another device or other CPU code would give other bits, also where a program that was meant
  /// for the device ran on the CPU.
  bool deterministic = false;
};

struct StepReport {
  int64_t step = 0;     ///< its number, counted from 1
  double loss = 0;      ///< mean over all targets of the step that count; of other losses over micro-batches
  double rate = 0;      ///< learning rate
  double norm = 0;      ///< of all gradients together, before they are clipped
  double lossScale = 1; ///< that gradients were computed with
  std::string skipped;  ///< what was not finite, so that weights are as before; "" as a rule
  DeviceWork work;
  /// Of programs that ran elsewhere, or got their weights otherwise, than asked: a line for what is new since the last
  /// step.
  std::vector<std::string> events;
};

class Trainer {
public:
  /// InvalidArgument, naming it, for a number out of range, whatever the bundle.
  static absl::Status check(const TrainerOptions &options);
  /// Weights are those of the bundle. InvalidArgument for a bundle that does not train, or an option that does not fit.
  static absl::StatusOr<std::unique_ptr<Trainer>> create(const std::string &bundle, const TrainerOptions &options);

  const manifest::Training &record() const { return training; }
  const TrainerOptions &options() const { return given; }
  const Parameters &parameters() const { return places; }
  std::string device() const;
  /// How weights get into programs: "inputs", or what ane_bundle_weights_by has said when the trainer was made.
  const std::string &weightsBy() const { return way; }

  /// What a micro-batch is: data, and the target behind them. InvalidArgument for a wrong index or size.
  const std::vector<Port> &inputs() const { return inputPorts; }
  absl::Status setInput(size_t index, const void *data, int64_t bytes);
  /// Where to write it; counts as set.
  void *inputData(size_t index);

  /// Computes the loss of the inputs, and adds its gradients to those since the last step. After an error there are
  /// none: the step begins anew.
  absl::StatusOr<float> backward();
  /// Ends the step: updates the weights by the mean of these gradients. Where one is not finite, the step is skipped if
  /// a smaller loss scale may help, and otherwise it is FailedPrecondition, naming the first parameter in trouble, and
  /// nothing has changed.
  absl::StatusOr<StepReport> update();
  /// Micro-batches since the last step.
  int64_t accumulated() const { return microBatches; }
  /// The loss of the inputs; changes nothing.
  absl::StatusOr<float> evaluate();
  /// The weight of the last micro-batch, of backward() or evaluate(), in a mean over several: the share of its targets
  /// that count, or 1.
  double lastShare() const { return share; }
  /// As StepReport::events: what is new since the last step or call, as after an evaluation.
  std::vector<std::string> takeEvents();

  /// A parameter's value, row-major. NotFound lists the names.
  absl::Status readParameter(const std::string &name, float *data, int64_t bytes) const;
  absl::Status writeParameter(const std::string &name, const float *data, int64_t bytes);
  /// Its gradient: of backward() since the last step, else of the last step. Not clipped; without the loss scale.
  absl::Status readGradient(const std::string &name, float *data, int64_t bytes) const;

  /// Steps so far, also within one: `mine` with all that the trainer knows. The rest, as the place in the data, is the
  /// caller's.
  RunState state(RunState mine = {}) const;
  /// Of weights, gradients and moments.
  int64_t arenaBytes() const;

  /// Writes a checkpoint of state(mine), as saveCheckpoint() does. FailedPrecondition within a step.
  absl::StatusOr<std::string> save(const std::string &folder, const RunState &mine, int64_t keep) const;
  /// Goes on from a checkpoint, or from the newest one of a folder, and gives its state. FailedPrecondition, saying in
  /// what they differ, if that run had other options or other data than this one; then, and after all errors, the
  /// trainer is as before.
  absl::StatusOr<RunState> load(const std::string &path, const RunState &mine);

  /// What a checkpoint keeps: weights, in the order of their names, and moments, which frozen ones do not have.
  std::vector<RunArray> arrays() const;

private:
  Trainer(const TrainerOptions &options) : given(options) {}
  absl::Status open(const std::string &path);
  absl::Status placeParameters();
  absl::Status loadWeights(const Folder &folder);
  absl::Status findWay();
  absl::Status findPorts(const std::set<std::string> &sharedGradients);
  absl::Status copyGradients(float *arena);
  absl::Status makeInputs();
  absl::Status bindGradients(float *arena);
  /// A function of micro-batch and weights.
  struct Reader {
    Function function;
    const Port *loss = nullptr, *share = nullptr; ///< no share: all targets count
    std::vector<const Port *> weights;            ///< of each parameter; null for one that is baked
    uint64_t version = 0;                         ///< of the weights that it was told of
    size_t eventsTold = 0;                        ///< of the function's, to who uses the trainer
  };
  absl::StatusOr<Reader> openReader(const std::string &name) const;
  absl::Status bindInputs(Function &function);
  absl::Status bindWeights(Reader &reader);
  void forgetBindings();
  absl::Status checkRun(const RunState &there, const RunState &mine) const;
  absl::StatusOr<const Parameter *> named(const std::string &name, int64_t bytes) const;
  absl::Status checkWhole() const;
  absl::Status checkTarget() const;
  absl::StatusOr<float> readLoss(Reader &reader);
  absl::Status takeStatistics(bool isFirst);
  void restoreStatistics();
  absl::StatusOr<StepReport> skip(StepReport report, std::string trouble);
  bool isCurrent(const Reader &reader, const Parameter &parameter) const;
  void noteDevice(StepReport &report);

  TrainerOptions given;
  BundleHandle bundle;
  std::string way;
  manifest::Training training;
  Identity identity;
  Reader stepReader;
  std::optional<Reader> evaluateReader;    ///< once it is needed
  const Port *lossScalePort = nullptr;     ///< of step, as the next ones
  std::vector<const Port *> gradientPorts; ///< of each parameter; null for those that are frozen, or copied
  /// Gradients that several outputs show: of parameters that are not frozen, to be copied after each run.
  std::vector<std::pair<const Port *, const Parameter *>> copiedGradients;
  /// What a run makes of statistics, and what they were when the step began.
  std::vector<std::pair<const Port *, const Parameter *>> statistics;
  std::vector<std::vector<float>> statisticsBefore;
  Parameters places;
  std::vector<size_t> gradientOrder; ///< TrainingPlan::gradientOrder
  Arena weights, gradients, more;
  float *gradientsBound = nullptr; ///< the arena that `step` writes
  std::optional<Optimizer> optimizer;
  std::optional<GradientSums> sums;
  std::vector<Port> inputPorts;
  std::vector<AlignedBuffer> inputMemory;
  std::vector<bool> inputSet;
  uint64_t weightsVersion = 1;
  bool hasFirstWeights = true; ///< version 1 is what the bundle has, and of frozen ones the current one, too

  LossScale lossScale;
  int64_t stepsDone = 0, updatesDone = 0, microBatches = 0;
  double lossSum = 0, shareSum = 0; ///< of the step
  double share = 1;
  double gradientScale = 0; ///< that gradients in the arena are to be multiplied by; 0: there are none
  DeviceWork workBefore;
  bool isTorn = false; ///< an update has failed halfway
};

} // namespace ane::rt::train
#endif // ANE_RUNTIME_TRAIN_TRAINER_H
