//===- streams.h - What a tool reads and prints -----------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_STREAMS_H
#define ANE_RUNTIME_TOOLS_STREAMS_H

#include "absl/status/status.h"

#include <array>
#include <atomic>
#include <istream>
#include <ostream>
#include <string>

namespace ane::rt::tools {

struct Streams {
  std::istream &in;
  std::ostream &out;    ///< results; may be shown when flushed
  std::ostream &err;    ///< notes and errors
  bool isTyped = false; ///< somebody types what is read, and sees it
  bool isShown = false; ///< `err` is a terminal, whose line may be written over
};

/// A descriptor that is written to when its stream is flushed. Who has closed the other
/// end has had what they wanted: nothing is written from then on, and the stream is bad.
class OutputBuffer : public std::streambuf {
public:
  explicit OutputBuffer(int fd) : fd(fd) {}
  /// DataLoss if something was not written that somebody waits for.
  const absl::Status &status() const { return failure; }

protected:
  int_type overflow(int_type byte) override;
  std::streamsize xsputn(const char *text, std::streamsize count) override;
  int sync() override;

private:
  int fd;
  bool isClosed = false;
  std::string held;
  absl::Status failure;
};

/// A descriptor that is read as its bytes come. It ends when `ends` is set, also while
/// it waits.
class InputBuffer : public std::streambuf {
public:
  InputBuffer(int fd, const std::atomic<bool> &ends) : fd(fd), ends(ends) {}

protected:
  int_type underflow() override;

private:
  int fd;
  const std::atomic<bool> &ends;
  std::array<char, 4096> part;
};

} // namespace ane::rt::tools
#endif // ANE_RUNTIME_TOOLS_STREAMS_H
