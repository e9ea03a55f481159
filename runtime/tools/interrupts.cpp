//===- interrupts.cpp - Signals as wishes ---------------------------------===//
#include "runtime/tools/interrupts.h"

namespace ane::rt::tools {
namespace {

static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a signal handler takes no lock");
std::atomic<std::atomic<bool> *> wanted{nullptr}; ///< what flag() holds
std::atomic<int> signals{0};
std::atomic<int> ending{0}; ///< SIGTERM or SIGHUP, which nothing clears

void note(int signal) {
  if (signal == SIGINT)
    ++signals;
  else
    ending = signal;
  *wanted.load() = true;
}

} // namespace

const std::shared_ptr<std::atomic<bool>> &Interrupts::flag() {
  static const auto &held = *new std::shared_ptr<std::atomic<bool>>(std::make_shared<std::atomic<bool>>(false));
  return held;
}

int Interrupts::count() { return signals; }
int Interrupts::ended() { return ending; }

void Interrupts::clear() {
  signals = 0;
  *flag() = ending != 0;
}

Interrupts::Interrupts() {
  ending = 0;
  clear();
  wanted = flag().get();
  struct sigaction action = {};
  action.sa_handler = note; // without SA_RESTART: a read that waits ends
  sigemptyset(&action.sa_mask);
  for (auto &[signal, before] : previous) {
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN)
      sigaction(signal, &action, nullptr);
  }
}

Interrupts::~Interrupts() {
  for (auto &[signal, before] : previous)
    sigaction(signal, &before, nullptr);
}

} // namespace ane::rt::tools
