//===- log.h - What the runtime has to say ----------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_CORE_LOG_H
#define ANE_RUNTIME_CORE_LOG_H

#include "absl/strings/str_cat.h"
#include <atomic>
#include <functional>
#include <mutex>
#include <string>

namespace ane::rt {

/// Lower is graver.
enum class LogLevel : int { Off = 0, Error = 1, Warning = 2, Info = 3 };

/// Hands messages to whoever wants them; from any thread.
class Log {
public:
  using Sink = std::function<void(LogLevel level, const std::string &message)>;

  /// Messages of `most` and graver go to `sink`. Calls that are running end with
  /// the sink they began with.
  void setSink(LogLevel most, Sink sink) {
    std::lock_guard<std::mutex> lock(mutex);
    this->sink = std::move(sink);
    wanted = this->sink ? most : LogLevel::Off;
  }

  /// Parts make one line, which is only put together when somebody wants it.
  template <typename... Parts>
  void write(LogLevel level, const Parts &...parts) {
    if (level > wanted)
      return;
    Sink current;
    {
      std::lock_guard<std::mutex> lock(mutex);
      current = sink;
    }
    if (current)
      current(level, absl::StrCat(parts...));
  }

private:
  std::atomic<LogLevel> wanted{LogLevel::Off};
  std::mutex mutex;
  Sink sink;
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_LOG_H
