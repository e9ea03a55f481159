//===- Peer.h - another program that runs the same model -------*- C++ -*-===//
//
// The peer is a child process. For each byte on its standard input it runs the model once and answers one line with the
// nanoseconds that took. It says "ready" first, and ends with its input.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_TOOLS_BENCH_PEER_H
#define ANE_TOOLS_BENCH_PEER_H

#include <cstdio>
#include <string>
#include <sys/types.h>

namespace ane::bench {

class Peer {
public:
  Peer() = default;
  ~Peer();
  Peer(const Peer &) = delete;
  Peer &operator=(const Peer &) = delete;

  /// Starts a shell command and waits until it is ready. Returns what went wrong, or nothing.
  std::string start(const std::string &command);
  std::string run(double &ns);

private:
  pid_t child = -1;
  FILE *to = nullptr, *from = nullptr;
};

} // namespace ane::bench

#endif // ANE_TOOLS_BENCH_PEER_H
