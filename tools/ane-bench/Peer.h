//===- Peer.h - another program that runs the same model -------*- C++ -*-===//
//
// The peer is a child process. For each byte on its standard input it runs the model once and answers one line with the
// nanoseconds that took. It says "ready" first, in a line that may go on with what it is, and ends with its input.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_TOOLS_BENCH_PEER_H
#define ANE_TOOLS_BENCH_PEER_H

#include <chrono>
#include <cstdio>
#include <string>
#include <sys/types.h>

namespace ane::bench {

/// Between runs of two sides: threads of the other go to sleep.
constexpr auto pauseBetween = std::chrono::milliseconds(10);

class Peer {
public:
  Peer() = default;
  ~Peer();
  Peer(const Peer &) = delete;
  Peer &operator=(const Peer &) = delete;

  /// Starts a shell command and waits until it is ready. Returns what went wrong, or nothing.
  std::string start(const std::string &command);
  /// `request` is the byte that the peer gets; it says what to run where that is not one thing.
  std::string run(double &ns, char request = 'r');
  /// Of the shell, or of the command that took its place.
  pid_t process() const { return child; }
  /// What the peer says that it is.
  const std::string &description() const { return described; }

private:
  pid_t child = -1;
  FILE *to = nullptr, *from = nullptr;
  std::string described;
};

} // namespace ane::bench

#endif // ANE_TOOLS_BENCH_PEER_H
