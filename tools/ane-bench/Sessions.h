//===- Sessions.h - several sessions of a bundle ---------------*- C++ -*-===//
#ifndef ANE_TOOLS_BENCH_SESSIONS_H
#define ANE_TOOLS_BENCH_SESSIONS_H

#include "Options.h"

namespace ane::bench {

/// Registers for each bundle `sessions/cpu/NAME` and `sessions/emulator/NAME`, where Options::sessions says how many.
/// The time of a benchmark is that of a run of each, all at once, each on a thread of its own; counters hold its least
/// and that of the runs one after another, what it takes to open the bundle and make the first session, and what each
/// further session takes in milliseconds and bytes.
void registerSessions(const Options &options);

} // namespace ane::bench

#endif // ANE_TOOLS_BENCH_SESSIONS_H
