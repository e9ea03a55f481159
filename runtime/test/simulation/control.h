// What tests ask of the simulated framework, and tell it.
#ifndef ANE_RUNTIME_TEST_SIMULATION_CONTROL_H
#define ANE_RUNTIME_TEST_SIMULATION_CONTROL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a client does that the real framework was seen to punish, or would. It is printed, counted, and told apart from
/// errors that the framework gives: a strict client has none. `fact` says what is wrong, `source` where that is known
/// from.
void simulated_finding(const char *source, const char *fact, ...) __attribute__((format(printf, 2, 3)));
/// How many there were, and their texts, one a line.
int simulated_findings(void);
const char *simulated_finding_texts(void);
void simulated_forget_findings(void);

/// How the machine behaves, by words "name=value"; first of the environment's SIMULATED_ENGINE:
///   compilations=119 loaded=127 megabytes=3584   what a process gets (C05, C139, C140)
///   weight_files=16 constants=0   of how many a program may be (C134, C224); 0: of any number
///   weights=stale|fresh   whether a program that is unloaded, patched and loaded has its old weights, as M4 Max and M5
///                         (ane-programming.md 1.7), or the new ones
///   records=tolerated|refused
///                         whether weight records of a wrong size, or of none, are read, as by M3 Ultra, M4 and M5
///                         (3.4)
///   keeps=yes|no          whether later processes find what one has compiled
///   compile_ms=N          how long a compilation takes at least
///   counts=yes            at the end calls are told on stderr, as "simulated calls: lock 12 evaluate 6 ..."
///   subtype=NAME          what _ANEDeviceInfo says
///   direct=works|missing|fails|zeros, real_time=...    what becomes of that path of evaluation (1.6): there is no such
///                         method, it fails, or what it leaves is zero
///   standard_us=N direct_us=N real_time_us=N   how long an evaluation takes beside what it computes
///   identifier=content|keys   whether that of a program covers what its weight files hold, or only their names (1.5)
///   temporary=variable|own
///                         whether NSTemporaryDirectory() is what TMPDIR says, or a folder of the user whatever that
///                         is, as on macOS (swift-package-manager, pull requests 2291 and 2334): here
///                         SIMULATED_TEMPORARY's
///   chain=refused|prepared|accepted   as on M4 Max, with code 15; as ane-infer saw it on M5, where the input is not
///                         taken; each step is taken, and nothing computed
/// False: a word is wrong.
int simulated_set(const char *words);
int64_t simulated_option(const char *name);
const char *simulated_word(const char *name);

/// Calls that can fail. Some have an error, others give nothing.
enum SimulatedCall {
  kSimulatedDescribe = 1, ///< a descriptor or a model is made
  kSimulatedCompile = 2,
  kSimulatedLoad = 4,
  kSimulatedEvaluate = 8,
  kSimulatedUnload = 16,
  kSimulatedRequest = 32, ///< also of objects for surfaces
  kSimulatedSurface = 64, ///< a surface is made
  kSimulatedLock = 128,
  kSimulatedAttributes = 256, ///< what a loaded model says of itself: an error is that it says nothing
  kSimulatedExists = 512,     ///< whether it was compiled: an error is a no
  kSimulatedAny = 1023
};

/// Faults to come, in the place of those before; first those of the environment's SIMULATED_FAULTS. Separated by ";":
///   CALL@N=FAULT    the N-th such call from now on; CALL@NxM: and M - 1 after it
///   random=SEED/P   each call with a probability of P in 1,000, one of the documented errors
/// CALL is any or some of describe, compile, load, evaluate, unload, request, surface, lock, attributes, exists, joined
/// by "+". FAULT is CODE:TEXT, or "exception", or "daemon": the system's service ends, with all that is loaded in it;
/// the call fails. False: it can't be read.
int simulated_schedule(const char *faults);
/// Ends them and tells how many calls have failed.
int simulated_stop_failing(void);
/// How many calls of a kind there were, failed or not.
int64_t simulated_calls(int kinds);

/// Objects of the framework that live, and locks of surfaces that are held.
int simulated_live_objects(void);
int simulated_held_locks(void);

/// For the framework: what is to happen to this call. `code` and `text` (of 256) are what an error has.
enum SimulatedFault { kSimulatedNone, kSimulatedError, kSimulatedException };
enum SimulatedFault simulated_fault(enum SimulatedCall call, long *code, char *text);
/// Grows when the service has ended: what was loaded before is gone.
int simulated_service(void);

#ifdef __cplusplus
}
#endif
#endif // ANE_RUNTIME_TEST_SIMULATION_CONTROL_H
