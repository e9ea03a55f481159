//===- interrupts.h - Ctrl-C as a wish --------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_INTERRUPTS_H
#define ANE_RUNTIME_TOOLS_INTERRUPTS_H

#include <atomic>
#include <csignal>
#include <memory>

namespace ane::rt::tools {

/// While one of these lives, SIGINT ends what the process is doing, and not the process: it sets a
/// flag, which somebody looks at. Where SIGINT was ignored it stays so.
class Interrupts {
public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts &) = delete;

  /// One for the whole process; lives for ever.
  static const std::shared_ptr<std::atomic<bool>> &flag();
  /// How many signals there were since clear().
  static int count();
  static void clear();

private:
  struct sigaction previous = {};
};

} // namespace ane::rt::tools
#endif // ANE_RUNTIME_TOOLS_INTERRUPTS_H
