//===- streams.cpp - What a tool reads and prints -------------------------===//
#include "runtime/tools/streams.h"
#include "absl/strings/str_cat.h"

#include <cerrno>
#include <cstring>
#include <poll.h>
#include <unistd.h>

namespace ane::rt::tools {

OutputBuffer::int_type OutputBuffer::overflow(int_type byte) {
  if (!traits_type::eq_int_type(byte, traits_type::eof()))
    held += traits_type::to_char_type(byte);
  return traits_type::not_eof(byte);
}

std::streamsize OutputBuffer::xsputn(const char *text, std::streamsize count) {
  held.append(text, static_cast<size_t>(count));
  return count;
}

int OutputBuffer::sync() {
  std::string_view text = held;
  while (!text.empty() && !isClosed) {
    ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0) {
      if (errno != EPIPE)
        failure = absl::DataLossError(absl::StrCat("cannot write to the standard ",
                                                   fd == STDERR_FILENO ? "error" : "output", ": ", strerror(errno)));
      isClosed = true;
    } else {
      text.remove_prefix(static_cast<size_t>(written));
    }
  }
  held.clear();
  return isClosed ? -1 : 0;
}

InputBuffer::int_type InputBuffer::underflow() {
  // A signal may come right before the wait, and may be another thread's.
  constexpr int kMilliseconds = 100;
  pollfd waited{fd, POLLIN, 0};
  while (!ends) {
    int ready = ::poll(&waited, 1, kMilliseconds);
    if (ready == 0 || (ready < 0 && errno == EINTR))
      continue;
    ssize_t got = ::read(fd, part.data(), part.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
      continue;
    if (got <= 0)
      break;
    setg(part.data(), part.data(), part.data() + got);
    return traits_type::to_int_type(*gptr());
  }
  return traits_type::eof();
}

} // namespace ane::rt::tools
