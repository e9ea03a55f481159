/*===- ane.h - C API of the Anemone runtime ------------------------*- C -*-===*
 *
 * Loads a bundle that ane-compile wrote and runs its functions.
 *
 *   ane_bundle *bundle = NULL;
 *   ane_session *session = NULL;
 *   ane_status *status = ane_bundle_open("model.anebundle", NULL, &bundle);
 *   if (!status) status = ane_session_create(bundle, NULL, &session);
 *   if (!status) status = ane_session_set_input(session, 0, ids, sizeof ids);
 *   if (!status) status = ane_session_run(session);
 *   const void *out; size_t bytes;
 *   if (!status) status = ane_session_output(session, 0, &out, &bytes);
 *   if (status) { fputs(ane_status_message(status), stderr); ane_status_free(status); }
 *   ane_session_destroy(session);
 *   ane_bundle_close(bundle);
 *
 * Tensors are dense, row-major, little-endian, in the dtype of the model (what
 * the engine computes in does not show). bool is one byte, 0 or 1.
 *
 * Errors. Functions that can fail return an ane_status *: NULL is success,
 * everything else is owned by the caller and released by ane_status_free. Output
 * parameters are set on success only. Passing NULL where an object is required
 * gives ANE_INVALID_ARGUMENT; the *_free, *_close and *_destroy functions take
 * NULL and do nothing. No C++ exception leaves the library.
 *
 * Threads. Different sessions may be used from different threads at the same
 * time, also of one bundle. One session is for one thread at a time, but for
 * ane_session_cancel. Functions of contexts and bundles are safe from any thread.
 *
 * Stability. What is declared here stays in every libanemone.so.1: its name, its
 * meaning and the members of its structs. New versions add functions, codes,
 * enumerators, and members at the end of structs. So each struct begins with its
 * `size`, which ANE_..._INIT sets. A library takes options from callers that were
 * compiled with an older header (members that they lack are 0, which is the
 * default), and from newer ones as long as the members that it does not know are
 * 0; else ANE_INVALID_ARGUMENT. Structs that the library fills are filled as far
 * as the caller's size goes, and what it does not know is set to 0.
 *
 * Trust. A bundle's files are checked for damage, and nothing outside of its
 * directory is opened; but it contains native code, which runs with the rights of
 * the process. It is loaded if it belongs to the user of the process, or to the
 * administrator, and if not everybody can write it: see ane_trust.
 *
 *===----------------------------------------------------------------------===*/
#ifndef ANE_RUNTIME_ANE_H
#define ANE_RUNTIME_ANE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define ANE_API __attribute__((visibility("default")))
#else
#define ANE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ane_status ane_status;
typedef struct ane_context ane_context;
typedef struct ane_bundle ane_bundle;
typedef struct ane_session ane_session;

/* ---- Status ------------------------------------------------------------- */

typedef enum ane_code {
  ANE_OK = 0,
  ANE_INVALID_ARGUMENT = 1,    /* a wrong argument, or a malformed bundle */
  ANE_NOT_FOUND = 2,           /* no such file, function, or CPU code */
  ANE_FAILED_PRECONDITION = 3, /* e.g. an input was never set */
  ANE_UNIMPLEMENTED = 4,       /* valid, but not possible here */
  ANE_RESOURCE_EXHAUSTED = 5,  /* memory */
  ANE_DATA_LOSS = 6,           /* a file of the bundle is damaged */
  ANE_INTERNAL = 7,
  ANE_CANCELLED = 8 /* by ane_session_cancel */
} ane_code;

/* ANE_OK for NULL. */
ANE_API ane_code ane_status_code(const ane_status *status);
/* One line of UTF-8, owned by the status; "" for NULL. */
ANE_API const char *ane_status_message(const ane_status *status);
ANE_API void ane_status_free(ane_status *status);

#define ANE_VERSION "1.0.0"
/* The version of the library that runs: ANE_VERSION of its own header. */
ANE_API const char *ane_version(void);

/* ---- Contexts ----------------------------------------------------------- */

/* A context holds what bundles share: devices, threads, and the programs that are
   loaded on devices. A process has one that is used where none is given; NULL
   stands for it below. */

#define ANE_NO_LIMIT UINT64_MAX
#define ANE_UNKNOWN UINT64_MAX

typedef struct ane_context_options {
  size_t size;
  /* Budgets of the context's programs on devices. 0: what is known of each device, for
     its programs in all contexts of the process: of an engine, and of an emulator in
     faithful mode, what the records of the bundle's target say (119 compilations, C05;
     127 loaded programs, C139; 3.5 GiB, C140); of others, no limit. ANE_NO_LIMIT: none.
     A program beyond those of `loaded_programs` and `loaded_bytes` (of its files) makes
     the one that was used least recently and does not run leave, which is loaded again,
     without a compilation, when it is needed. After as many `compilations` in the life
     of the context, or of the process where the limit is the device's, programs that
     would need another one run on the CPU. */
  uint64_t compilations;
  uint64_t loaded_programs;
  uint64_t loaded_bytes;
  /* Surfaces that no session uses are kept for the next one up to as many bytes; 0:
     64 MiB, ANE_NO_LIMIT: all, 1: none. They go with the last bundle of a device. */
  uint64_t idle_surface_bytes;
} ane_context_options;

#define ANE_CONTEXT_OPTIONS_INIT {sizeof(ane_context_options), 0, 0, 0, 0}

/* `options` may be NULL. */
ANE_API ane_status *ane_context_create(const ane_context_options *options, ane_context **context);
/* Bundles of the context stay valid. */
ANE_API void ane_context_destroy(ane_context *context);
/* Sets budgets anew. Programs beyond them are unloaded unless they run. */
ANE_API ane_status *ane_context_configure(ane_context *context, const ane_context_options *options);

typedef struct ane_counters {
  size_t size;
  uint64_t compilations;            /* loads that were asked of devices */
  uint64_t loaded_programs;         /* now */
  uint64_t loaded_bytes;            /* now */
  uint64_t running;                 /* programs that run now, and can't be unloaded */
  uint64_t hits;                    /* uses of a program that was loaded */
  uint64_t evictions;               /* programs unloaded to make room */
  uint64_t retries;                 /* second tries after a refusal that need not last */
  uint64_t refusals;                /* programs that went to their CPU code */
  uint64_t evaluations;             /* runs of programs on devices */
  uint64_t evaluation_ns;           /* their time */
  uint64_t surfaces, surface_bytes; /* that sessions have now */
  uint64_t idle_surface_bytes;      /* of those that are kept for the next session */
  uint64_t surface_allocations;     /* by devices; sessions were given as many, and those that were idle */
  uint64_t surfaces_given;          /* to sessions */
  uint64_t load_ns;                 /* time of compilations */
  uint64_t weight_bytes;            /* of the files of programs that were loaded, and of updates */
  uint64_t input_bytes;             /* of surfaces that evaluations read, and wrote */
  uint64_t output_bytes;
  uint64_t energy_nj;      /* of evaluations; ANE_UNKNOWN where a device did not tell, as the emulator */
  uint64_t weight_updates; /* programs that got other weights and were not compiled again */
} ane_counters;

#define ANE_COUNTERS_INIT {sizeof(ane_counters), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

ANE_API ane_status *ane_context_counters(ane_context *context, ane_counters *counters);

typedef enum ane_log_level { ANE_LOG_OFF = 0, ANE_LOG_ERROR = 1, ANE_LOG_WARNING = 2, ANE_LOG_INFO = 3 } ane_log_level;

/* One line of UTF-8, valid during the call; from any thread, several at a time. It
   must not call functions of this library. */
typedef void (*ane_log_callback)(void *user, ane_log_level level, const char *message);

/* Messages of `most` and graver go to `callback`, instead of to nobody. With a NULL
   callback they go to nobody again. No call of the former one is running afterwards, but
   the one that this is called from. */
ANE_API ane_status *ane_context_set_log(ane_context *context, ane_log_level most, ane_log_callback callback,
                                        void *user);

/* ---- Bundles ------------------------------------------------------------ */

/* What happens when fp16 on the engine does not hold the values of a run: an input of a program that the CPU or the
   caller gave is not finite, has elements beyond 65504, has only elements below 2^-14 that fp16 rounds, or is not
   what the compiler says that the program needs; or an output is not finite though all inputs are. Programs that
   follow each other count as one, until something that is not finite has come out. */
typedef enum ane_numeric {
  ANE_NUMERIC_RESCUE = 0, /* the CPU computes the program instead; there is an event */
  ANE_NUMERIC_REPORT = 1, /* values stay as they are; there is an event */
  ANE_NUMERIC_OFF = 2,    /* nobody looks, as where a loss is scaled */
  /* An infinite element that goes into a program or comes out of one becomes 65504, with
     its sign, and ane_copies counts it. NaN stays. */
  ANE_NUMERIC_CLAMP = 3
} ane_numeric;

/* Whose native code of a bundle is loaded. ONNX Runtime loads a library of custom ops that the application names; a
   bundle names its own, as a program does that somebody starts. So it is taken for one: what counts is who could
   have written the file. */
typedef enum ane_trust {
  ANE_TRUST_OWNER = 0,  /* the user's and the administrator's, unless every user can write it;
                           an administrator's process loads what is any user's */
  ANE_TRUST_ANYONE = 1, /* you know where the bundle is from */
  ANE_TRUST_NOBODY = 2  /* none: as no_native_code */
} ane_trust;

typedef struct ane_options {
  size_t size;
  /* "cpu", "ane", "emulator" or "auto" (default, also NULL): the engine where there is
     one, else the CPU. The emulator is an optional part of the runtime:
     ANE_UNIMPLEMENTED where it is not installed. */
  const char *device;
  /* Threads of CPU code with the calling one, 1 to 256; 0: the environment
     variable ANE_NUM_THREADS, else all processors. Values do not depend on it.
     Bundles of a context that ask for the same number share their threads. */
  int32_t threads;
  /* Not 0: compare the hash of every file. Sizes are always compared, and
     native code's hash before it is loaded. */
  int32_t verify;
  /* What the emulator makes of documented misuse of the engine: "lint" (default,
     also NULL) refuses the program, naming the rule; "faithful" does what the
     engine would do; "plain" only computes. Other devices ignore it.
     What sources report of machines, and no chip or version decides, stands behind
     "faithful:" in any order, with commas: "reload=stale" (default) or "fresh", whether
     a program that is loaded again when its weight files were overwritten has the old
     weights; "donor=taken" (default) or "refused", whether a program loads with what
     was compiled of another; "compilations=N" in the life of the process, in place of
     the target's; "failures=N", status 0x1d once in N evaluations. */
  const char *emulator_mode;
  /* Not 0: load no native code of the bundle. What would run on the CPU, as a
     function of the model or in place of a program that the device refuses, is
     then ANE_FAILED_PRECONDITION. */
  int32_t no_native_code;
  int32_t numeric; /* an ane_numeric */
  ane_context *context;
  /* Bytes that each session may take for its values, states, surfaces and scratch
     memory; 0: what the machine, the control group or the limit of the address
     space leaves. A session that needs more is ANE_RESOURCE_EXHAUSTED. */
  uint64_t memory_limit;
  /* How weights that sessions set get into programs of a device: "auto" (default, also
     NULL), or the way that comes first, see ane_bundle_weights_by. */
  const char *weights_by;
  int32_t trust; /* an ane_trust */
  int32_t reserved;
} ane_options;

#define ANE_OPTIONS_INIT                                                                                               \
  {sizeof(ane_options), NULL, 0, 0, NULL, 0, ANE_NUMERIC_RESCUE, NULL, 0, NULL, ANE_TRUST_OWNER, 0}

/* Opens the bundle in directory `path`, which may be relative: the directory stays
   open, whatever becomes of its name or the current directory. `options` may be
   NULL. */
ANE_API ane_status *ane_bundle_open(const char *path, const ane_options *options, ane_bundle **bundle);
/* Sessions of the bundle stay valid. */
ANE_API void ane_bundle_close(ane_bundle *bundle);

/* The device in use: "cpu", "emulator", ...; owned by the bundle. */
ANE_API const char *ane_bundle_device(const ane_bundle *bundle);
/* Which of the bundle's libraries of CPU code is in use, a member of info's
   "hosts"; "" while no session needed one. Owned by the bundle; NULL for a NULL
   bundle. */
ANE_API const char *ane_bundle_host(const ane_bundle *bundle);
/* How weights that sessions set get into programs here:
   "patch": the program is unloaded, its weight files are overwritten, it is loaded;
   "donor": a new program takes over what was compiled of the old one;
   "recompile": a new program is compiled, which counts for the budget;
   "memory": nothing but CPU code runs, which reads them where they are.
   No version and no chip tells whether a device takes new weights by the first two; where
   it does not there is no error, but values of the old weights. So the first call for
   a device, or the first weight that is set, unless by "recompile", probes it with a
   program of its own, which is one compilation, and the answer is kept as long as a
   bundle uses the device. Where the probe was refused for a reason that may pass, it
   is tried once more.
   Of the ways that work the first is taken, or the one that `weights_by` of ane_options
   names; where it fails later, as at the end of a budget, the next one, with an event.
   A program that other sessions use is not patched. Behind the word, the reason why
   those before it are not taken: "donor, since by patch it computes with the old
   weights". Owned by the bundle. */
ANE_API ane_status *ane_bundle_weights_by(ane_bundle *bundle, const char **way);
ANE_API size_t ane_bundle_function_count(const ane_bundle *bundle);
/* What the bundle is, as JSON, without loading any of it: {producer, target:
   {chip, route, os, opset, strictness}, hosts: [triple], programs: [name],
   weights: [{name, dtype, shape}], functions: [{name, inputs: [as weights],
   outputs: [same], states: [same]}], buckets: [{name, dimension, pads, sizes:
   [size], inputs: [as above, -1 for the dimension], outputs: [same], states:
   [as above]}], states: [same], adapters: {rank, alpha, targets: [name]} or null}.
   Owned by the bundle; NULL only for a NULL bundle. Where each op of the model runs
   is in the bundle's file report.json. */
ANE_API const char *ane_bundle_info(const ane_bundle *bundle);
/* NULL when index is out of range; owned by the bundle. */
ANE_API const char *ane_bundle_function_name(const ane_bundle *bundle, size_t index);

/* ---- Sessions ----------------------------------------------------------- */

typedef enum ane_dtype {
  ANE_BOOL = 0,
  ANE_INT8 = 1,
  ANE_UINT8 = 2,
  ANE_INT16 = 3,
  ANE_UINT16 = 4,
  ANE_INT32 = 5,
  ANE_UINT32 = 6,
  ANE_INT64 = 7,
  ANE_UINT64 = 8,
  ANE_FLOAT16 = 9,
  ANE_BFLOAT16 = 10,
  ANE_FLOAT32 = 11,
  ANE_FLOAT64 = 12
} ane_dtype;

/* "int64", "float32", ...; NULL for a value outside of the enumeration. */
ANE_API const char *ane_dtype_name(ane_dtype dtype);

typedef struct ane_tensor_info {
  size_t size;
  const char *name; /* public name, as in the source model */
  ane_dtype dtype;
  int32_t reserved;
  size_t rank; /* 0 is a scalar */
  const int64_t *shape;
  size_t bytes;
} ane_tensor_info;

#define ANE_TENSOR_INFO_INIT {sizeof(ane_tensor_info), NULL, ANE_BOOL, 0, 0, NULL, 0}

/* A session is one function of a bundle ready to run, with buffers of its own.
   Loading happens here: programs that the device refuses run on the CPU, see
   ane_session_event. `function` may be NULL: "main", or the only one.

   A function with buckets (ane-compile --bucket) takes inputs of any size of their
   dimension, which the bytes given to ane_session_set_input say; infos have -1 for
   it, and the bytes of the largest size. A run takes the smallest bucket that the
   inputs fit in, fills them up with zeros, and cuts outputs back: ane_session_output
   has the bytes for the inputs' size. A state that gets an entry for each place of
   the dimension, as a cache of keys, gets those of the inputs only. Where the model
   has neither such states nor a mask, or mixes places that the mask may not hide,
   only the sizes of the buckets run, and other inputs are ANE_INVALID_ARGUMENT. The
   first run that fills a bucket up runs it twice, to see that what is filled up shows
   in no output and no state; ANE_FAILED_PRECONDITION if it does. Buckets are loaded
   when they are first needed, and share the session's states; values can't be bound. */
ANE_API ane_status *ane_session_create(ane_bundle *bundle, const char *function, ane_session **session);
/* A session of another function of the bundle, or of the same one, that shares the
   states of `session`: what a run of one writes the next run of either reads, as a
   prompt's run and those of single tokens. Inputs and outputs are its own, and
   weights, which begin as those of `session`. For
   threads all that share states count as one session: while one runs, the others'
   functions give ANE_FAILED_PRECONDITION. The states live as long as one of them. */
ANE_API ane_status *ane_session_share(const ane_session *session, const char *function, ane_session **other);
/* Cancels a run that is under way, and waits for it and its callback, in which
   ane_session_run_async gives ANE_CANCELLED then. Not from a callback. */
ANE_API void ane_session_destroy(ane_session *session);

ANE_API size_t ane_session_input_count(const ane_session *session);
ANE_API size_t ane_session_output_count(const ane_session *session);
/* Pointers in `info` are owned by the session. */
ANE_API ane_status *ane_session_input_info(const ane_session *session, size_t index, ane_tensor_info *info);
ANE_API ane_status *ane_session_output_info(const ane_session *session, size_t index, ane_tensor_info *info);
/* The index of the input, or output, of that name; ANE_NOT_FOUND lists the names. */
ANE_API ane_status *ane_session_find_input(const ane_session *session, const char *name, size_t *index);
ANE_API ane_status *ane_session_find_output(const ane_session *session, const char *name, size_t *index);

/* Copies a value in; `bytes` must be that of the input. It stays for later runs. */
ANE_API ane_status *ane_session_set_input(ane_session *session, size_t index, const void *data, size_t bytes);
/* Where to write an input's value directly: 64-byte aligned, valid as long as
   the session. The input counts as set, and is no longer bound. */
ANE_API ane_status *ane_session_input_data(ane_session *session, size_t index, void **data, size_t *bytes);

/* Binding: runs read an input from, or write an output to, the caller's memory,
   without a copy. `data` is aligned to 64 bytes, `bytes` is that of the tensor,
   and the memory stays until the session is destroyed or bound anew; runs do not
   change an input's. A NULL `data` ends the binding: an input is then not set.
   ANE_FAILED_PRECONDITION when the function shows the same value at another
   input or output, as where an input is returned as it is: copy that one.
   In place: an output may be bound to all of the memory of an input where CPU code
   computes the function in one step, and element i of the output from elements i of
   the inputs, that input's among them, as the sweeps of optimisers in a training
   bundle do. A run of another function, or where memory overlaps in part, is
   ANE_FAILED_PRECONDITION; that a function is element-wise is for the caller to
   know. */
ANE_API ane_status *ane_session_bind_input(ane_session *session, size_t index, const void *data, size_t bytes);
/* The same for memory that changes only when it is bound anew, also to the same
   address, as the weights of a model that is trained: what a device keeps of it in
   surfaces is made once for each binding, and not before each run. */
ANE_API ane_status *ane_session_bind_constant_input(ane_session *session, size_t index, const void *data, size_t bytes);
ANE_API ane_status *ane_session_bind_output(ane_session *session, size_t index, void *data, size_t bytes);

/* Gives a weight of the model, by its name there, another value: runs of this
   session then compute, bit for bit, what a bundle compiled from the model with that
   value would. Other sessions keep theirs. `data` is dense and row-major in the
   model's type and is not needed after the call. A reset of states does not touch
   weights; ane_state_fork and ane_session_share take them along. Programs that read the weight get it when
   they run next, and are loaded once more only where the device can't change it.
   ANE_NOT_FOUND: the bundle has no such weight; initializers of less than 1 KiB are
   constants of the code. ANE_UNIMPLEMENTED: the bundle has it in a form that can't
   show this value, as where the compiler has computed with it; the message says
   what. After an error the session is as before. */
ANE_API ane_status *ane_session_set_weight(ane_session *session, const char *name, const void *data, size_t bytes);
/* The same for memory that stays, with what it holds, until the weight is bound or
   set anew or the session is destroyed; it may change between runs if it is bound
   anew, be it to the same address, before the next one. What of the weight only CPU
   code of programs reads that the device has not refused is made when it refuses
   one, which saves time and memory. */
ANE_API ane_status *ane_session_bind_weight(ane_session *session, const char *name, const void *data, size_t bytes);

/* Runs the function once. ANE_FAILED_PRECONDITION when an input was never set. */
ANE_API ane_status *ane_session_run(ane_session *session);

/* How a run ended, NULL or a status that is valid during the call. On a thread of
   the session, which is ready for its next run by then; nothing but
   ane_session_run_async and functions that read or set values may be called. */
typedef void (*ane_run_callback)(void *user, const ane_status *status);

/* Starts a run and returns. Until it has ended, other functions of the session give
   ANE_FAILED_PRECONDITION (counts and names are still there), but for
   ane_session_wait and ane_session_cancel. `callback` may be NULL. */
ANE_API ane_status *ane_session_run_async(ane_session *session, ane_run_callback callback, void *user);
/* Waits until no run is under way, and its callback has returned. The status is the
   last asynchronous run's; NULL if there was none. */
ANE_API ane_status *ane_session_wait(ane_session *session);
/* Makes a run that is under way end early, before its next step, with
   ANE_CANCELLED; otherwise nothing. From any thread, and from signal handlers. */
ANE_API void ane_session_cancel(ane_session *session);

/* The value of an output: 64-byte aligned, owned by the session (or what the
   output is bound to), overwritten by the next run. An output that is the new value
   of a state, too, may lie in the state's memory: there it changes with whatever
   changes the state (a run of a session that shares it, ane_state_write, _reset,
   _restore, _copy). ANE_FAILED_PRECONDITION before the first successful run. */
ANE_API ane_status *ane_session_output(const ane_session *session, size_t index, const void **data, size_t *bytes);

/* ---- What a session has to say -------------------------------------------- */

typedef enum ane_phase {
  ANE_PHASE_LOAD = 0,    /* the device refused to load the program */
  ANE_PHASE_RUN = 1,     /* the device refused to run it */
  ANE_PHASE_NUMERIC = 2, /* fp16 did not hold the values of runs; once for each program and kind of reason */
  ANE_PHASE_WEIGHTS = 3, /* weights got there by another way than asked, or than the cheapest; it runs on the device */
  ANE_PHASE_EVALUATION = 4 /* it is evaluated by another path than before; it runs on the device */
} ane_phase;

/* A program that ran elsewhere or otherwise, or got its weights otherwise, than asked. */
typedef struct ane_event {
  size_t size;
  const char *program;
  const char *device; /* that it was meant for */
  const char *reason;
  ane_phase phase;
  int32_t runs; /* ANE_PHASE_NUMERIC: in how many it was so; `reason` has the numbers of the first */
} ane_event;

#define ANE_EVENT_INIT {sizeof(ane_event), NULL, NULL, NULL, ANE_PHASE_LOAD, 0}

ANE_API size_t ane_session_event_count(const ane_session *session);
/* Texts are owned by the session and valid until its next run. */
ANE_API ane_status *ane_session_event(const ane_session *session, size_t index, ane_event *event);

typedef enum ane_step_kind {
  ANE_STEP_HOST = 0,    /* a function of the CPU */
  ANE_STEP_PROGRAM = 1, /* a program on the device */
  ANE_STEP_TWIN = 2,    /* the CPU code of a program */
  ANE_STEP_UPDATE = 3   /* a write into a part of a state */
} ane_step_kind;

/* What a step of the function has cost, in all runs and in the last one. Of buckets:
   of the one that ran last, in its runs. */
typedef struct ane_step {
  size_t size;
  const char *name;   /* of the CPU function, program or state; "program.procedure" of several */
  const char *device; /* where it ran last */
  ane_step_kind kind;
  int32_t reserved;
  uint64_t runs;
  uint64_t last_ns, total_ns;
  uint64_t last_layout_ns, total_layout_ns; /* of that: moving values in and out of surfaces */
  /* What the device did for it, in all runs. */
  uint64_t evaluations, evaluation_ns;
  uint64_t input_bytes, output_bytes; /* of surfaces */
  uint64_t weight_bytes;              /* of the files that the program reads */
  uint64_t energy_nj;                 /* ANE_UNKNOWN where the device does not tell */
  uint64_t rescued_runs;              /* of a program, that the CPU computed because of their values, see ane_numeric */
} ane_step;

#define ANE_STEP_INIT {sizeof(ane_step), NULL, NULL, ANE_STEP_HOST, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

ANE_API size_t ane_session_step_count(const ane_session *session);
/* Texts as of events. */
ANE_API ane_status *ane_session_step(const ane_session *session, size_t index, ane_step *step);

/* Bytes that a session has copied beside what its steps compute, in all runs that
   succeeded and in the last one (0 after one that did not). What a program writes
   stays in its surface for programs that read it in the same layout, and what has
   not changed since the last run is neither copied nor looked at again: write to
   inputs by ane_session_set_input where they seldom change. */
typedef struct ane_copies {
  size_t size;
  uint64_t runs;
  uint64_t last_surface_bytes, total_surface_bytes; /* of values, into and out of surfaces */
  uint64_t last_state_bytes, total_state_bytes;     /* into states: their new entries where a part changes */
  /* Not copied, but read once more, for numbers that fp16 does not hold (ane_numeric). */
  uint64_t last_scanned_bytes, total_scanned_bytes;
  /* Of weight files of programs, that weights which were set have changed. */
  uint64_t total_weight_bytes;
  uint64_t total_clamped; /* elements, see ANE_NUMERIC_CLAMP */
} ane_copies;

#define ANE_COPIES_INIT {sizeof(ane_copies), 0, 0, 0, 0, 0, 0, 0, 0, 0}

ANE_API ane_status *ane_session_copies(const ane_session *session, ane_copies *copies);

/* ---- States --------------------------------------------------------------

   A state is a tensor that a session keeps from run to run: a cache of keys, the
   memory of a recurrent network. It was an input and an output of the model until
   it was compiled with --state. Each session has its own, which begin with their
   initial values. A run reads all of them and replaces those that the function
   changes; one that fails leaves them as they were. */

ANE_API size_t ane_state_count(const ane_session *session);
/* Pointers in `info` are owned by the session. */
ANE_API ane_status *ane_state_info(const ane_session *session, size_t index, ane_tensor_info *info);
/* The index of the state of that name; ANE_NOT_FOUND lists the names. */
ANE_API ane_status *ane_state_find(const ane_session *session, const char *name, size_t *index);

/* Copies a value out or in; `bytes` must be that of the state. */
ANE_API ane_status *ane_state_read(const ane_session *session, size_t index, void *data, size_t bytes);
ANE_API ane_status *ane_state_write(ane_session *session, size_t index, const void *data, size_t bytes);
/* Gives all states their initial values, but those of adapters. */
ANE_API ane_status *ane_state_reset(ane_session *session);

/* Writes all states but those of adapters to a file, which appears when it is
   complete, and reads them back, in any process and on any device. ANE_DATA_LOSS when the file is damaged,
   ANE_INVALID_ARGUMENT when it is none, or has states of other names, types or
   shapes; the session's states are then as before. The file does not tell two
   models apart whose states are alike. */
ANE_API ane_status *ane_state_save(const ane_session *session, const char *path);
ANE_API ane_status *ane_state_restore(ane_session *session, const char *path);

/* Gives the states of `session` the values that those of the same names have in
   `from`, a session of the same bundle or of another one, on any device: a prompt
   runs on one device, and the tokens that follow on another. Of a state that
   functions write at positions, as a cache of keys, the first `entries` are copied
   (SIZE_MAX: all), of others the whole value, of adapters none. `bytes` (may be NULL) is set to what
   was copied. ANE_INVALID_ARGUMENT, with nothing changed, when `from` lacks a state
   or has it in another type or shape, or has states and `session` has none. */
ANE_API ane_status *ane_state_copy(ane_session *session, const ane_session *from, size_t entries, size_t *bytes);

/* A new session of the same bundle and function whose states begin with the values
   of this one's, and whose weights are this one's. Inputs are not set, bindings not
   taken over. */
ANE_API ane_status *ane_state_fork(const ane_session *session, ane_session **fork);

/* ---- Adapters ------------------------------------------------------------

   A bundle that was compiled with --lora has low-rank adapters beside its linear
   layers, whose matrices are states: zeros at first, which is no adapter. They can
   be exchanged between two runs, and nothing is compiled or loaded anew. */

/* Gives an adapter to all functions that share the session's states: that in folder
   `path`, in PEFT's format (adapter_config.json, adapter_model.safetensors); NULL:
   none. It stays when states are reset, restored or copied. What other states hold
   was computed with the adapter before it: reset caches whose entries shall be this
   one's. `bytes` (may be NULL) is set to what was written.
   ANE_INVALID_ARGUMENT, with nothing changed, for a folder without one that fits. */
ANE_API ane_status *ane_session_set_adapter(ane_session *session, const char *path, size_t *bytes);

#ifdef __cplusplus
}
#endif
#endif /* ANE_RUNTIME_ANE_H */
