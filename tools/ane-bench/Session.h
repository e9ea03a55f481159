//===- Session.h - a bundle's function on a device -------------*- C++ -*-===//
#ifndef ANE_TOOLS_BENCH_SESSION_H
#define ANE_TOOLS_BENCH_SESSION_H

#include "ane/runtime/ane.h"
#include <string>

namespace ane::bench {

/// A loaded bundle with its inputs set. Methods return what went wrong, or nothing.
class Session {
public:
  Session() = default;
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  /// Inputs are read from `inputs`/INPUT.bin: dense, in the model's type.
  std::string open(const std::string &bundle, const char *device, int threads, const std::string &inputs);
  /// Runs once; `ns` receives the time of the call.
  std::string run(double &ns);

private:
  ane_bundle *bundle = nullptr;
  ane_session *session = nullptr;
};

} // namespace ane::bench

#endif // ANE_TOOLS_BENCH_SESSION_H
