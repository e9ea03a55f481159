//===- interrupts.h - Signals as wishes -------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_INTERRUPTS_H
#define ANE_RUNTIME_TOOLS_INTERRUPTS_H

#include <atomic>
#include <csignal>
#include <memory>
#include <utility>

namespace ane::rt::tools {

/// While one of these lives, SIGINT ends what the process is doing, and not the process: it sets a
/// flag, which somebody looks at. SIGTERM and SIGHUP set it for good: the process ends as soon as it
/// has saved what it was asked to. A signal that was ignored stays so.
class Interrupts {
public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts &) = delete;

  /// One for the whole process; lives for ever.
  static const std::shared_ptr<std::atomic<bool>> &flag();
  /// How many signals there were since clear().
  static int count();
  /// The signal that the process is to end for; 0: none.
  static int ended();
  static void clear();

private:
  std::pair<int, struct sigaction> previous[3] = {{SIGINT, {}}, {SIGTERM, {}}, {SIGHUP, {}}};
};

} // namespace ane::rt::tools
#endif // ANE_RUNTIME_TOOLS_INTERRUPTS_H
