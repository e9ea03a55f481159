//===- talk_profile.h - What answers have cost ------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_TALK_PROFILE_H
#define ANE_RUNTIME_TOOLS_TALK_PROFILE_H

#include "runtime/tools/run_options.h"
#include "runtime/tools/run_profile.h"
#include "runtime/tools/streams.h"

namespace ane::rt::tools {

/// --profile and --trace of answers and embeddings, for each function that ran.
class TalkProfile {
public:
  explicit TalkProfile(const RunOptions &options);

  void endPhase(const char *name) { phases.end(name); }
  /// For Executor::traceTo(); null without --trace.
  std::vector<Span> *trace() { return options.trace.empty() ? nullptr : &spans; }
  /// Writes and prints what the options ask for: with --json a line like those of answers, else text behind the
  /// statistics, which are no part of the output.
  absl::Status finish(const std::vector<const Executor *> &ran, const Streams &streams);

private:
  const RunOptions &options;
  Phases phases;
  std::vector<Span> spans;
};

} // namespace ane::rt::tools
#endif // ANE_RUNTIME_TOOLS_TALK_PROFILE_H
