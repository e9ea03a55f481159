//===- log.h - What the runtime has to say ----------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_CORE_LOG_H
#define ANE_RUNTIME_CORE_LOG_H

#include "absl/strings/str_cat.h"
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace ane::rt {

/// Lower is graver.
enum class LogLevel : int { Off = 0, Error = 1, Warning = 2, Info = 3 };

/// Hands messages to whoever wants them; from any thread.
class Log {
public:
  using Sink = std::function<void(LogLevel level, const std::string &message)>;

  /// Messages of `most` and graver go to `sink`. No call of the former one is running
  /// afterwards, but the one that this is called from.
  void setSink(LogLevel most, Sink sink) {
    auto next = sink ? std::make_shared<Listener>() : nullptr;
    if (next)
      next->sink = std::move(sink);
    std::unique_lock<std::mutex> lock(mutex);
    std::shared_ptr<Listener> former = std::exchange(listener, std::move(next));
    wanted = listener ? most : LogLevel::Off;
    const int own = former && inside == former.get() ? 1 : 0;
    ended.wait(lock, [&] { return !former || former->running == own; });
  }

  /// Parts make one line, which is only put together when somebody wants it.
  template <typename... Parts>
  void write(LogLevel level, const Parts &...parts) {
    if (level > wanted)
      return;
    Call call(*this);
    if (call.of)
      call.of->sink(level, absl::StrCat(parts...));
  }

private:
  struct Listener {
    Sink sink;
    int running = 0; ///< calls
  };
  struct Call {
    explicit Call(Log &log) : log(log) {
      std::lock_guard<std::mutex> lock(log.mutex);
      of = log.listener;
      if (of)
        ++of->running;
      outer = std::exchange(inside, of.get());
    }
    ~Call() {
      inside = outer;
      std::lock_guard<std::mutex> lock(log.mutex);
      if (of)
        --of->running;
      log.ended.notify_all();
    }
    Log &log;
    std::shared_ptr<Listener> of;
    const Listener *outer;
  };

  std::atomic<LogLevel> wanted{LogLevel::Off};
  std::mutex mutex;
  std::condition_variable ended;
  std::shared_ptr<Listener> listener;
  static inline thread_local const Listener *inside = nullptr; ///< whose call runs on this thread
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_LOG_H
