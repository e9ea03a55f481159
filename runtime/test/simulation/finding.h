// What a client of the simulated framework does that the real one was seen to punish, or would. It is printed, counted,
// and told apart from errors that the framework gives: a strict client has none.
#ifndef ANE_RUNTIME_TEST_SIMULATION_FINDING_H
#define ANE_RUNTIME_TEST_SIMULATION_FINDING_H

#ifdef __cplusplus
extern "C" {
#endif

/// `fact` says what is wrong, `source` where that is known from.
void simulated_finding(const char *source, const char *fact, ...) __attribute__((format(printf, 2, 3)));
/// How many there were, and their texts, one a line.
int simulated_findings(void);
const char *simulated_finding_texts(void);
void simulated_forget_findings(void);

/// Lets the n-th call from now on that can fail (compile, load, evaluate, unload) do so, and `times` - 1 after it, with
/// that error. simulated_stop_failing() ends it and tells how many have failed.
void simulated_fail(int call, int times, long code, const char *text);
int simulated_stop_failing(void);

/// Objects of the framework that live, and locks of surfaces that are held.
int simulated_live_objects(void);
int simulated_held_locks(void);

#ifdef __cplusplus
}
#endif
#endif
