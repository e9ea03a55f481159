//===- interrupts.cpp - Ctrl-C as a wish ----------------------------------===//
#include "runtime/tools/interrupts.h"

namespace ane::rt::tools {
namespace {

static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a signal handler takes no lock");
std::atomic<std::atomic<bool> *> wanted{nullptr}; ///< what flag() holds
std::atomic<int> signals{0};

void note(int) {
  ++signals;
  *wanted.load() = true;
}

} // namespace

const std::shared_ptr<std::atomic<bool>> &Interrupts::flag() {
  static const auto &held = *new std::shared_ptr<std::atomic<bool>>(std::make_shared<std::atomic<bool>>(false));
  return held;
}

int Interrupts::count() { return signals; }

void Interrupts::clear() {
  signals = 0;
  *flag() = false;
}

Interrupts::Interrupts() {
  clear();
  wanted = flag().get();
  sigaction(SIGINT, nullptr, &previous);
  if (previous.sa_handler == SIG_IGN)
    return;
  struct sigaction action = {};
  action.sa_handler = note; // without SA_RESTART: a read that waits ends
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
}

Interrupts::~Interrupts() { sigaction(SIGINT, &previous, nullptr); }

} // namespace ane::rt::tools
