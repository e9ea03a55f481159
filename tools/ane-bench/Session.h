//===- Session.h - a bundle's function on a device -------------*- C++ -*-===//
#ifndef ANE_TOOLS_BENCH_SESSION_H
#define ANE_TOOLS_BENCH_SESSION_H

#include "ane/runtime/ane.h"
#include <string>

namespace ane::bench {

/// Takes the status over and returns its message; nothing if there is none.
std::string messageOf(ane_status *status);
/// Runs once; `ns` receives the time of the call. Returns what went wrong, or nothing.
std::string timed(ane_session *session, double &ns);
/// Sets all inputs to `inputs`/INPUT.bin: dense, in the model's type. Returns what went wrong, or nothing.
std::string setInputs(ane_session *session, const std::string &inputs);

/// A loaded bundle with its inputs set. Methods return what went wrong, or nothing.
class Session {
public:
  Session() = default;
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  /// Inputs as setInputs() sets them.
  std::string open(const std::string &bundle, const char *device, int threads, const std::string &inputs);
  std::string run(double &ns) { return timed(session, ns); }

private:
  ane_bundle *bundle = nullptr;
  ane_session *session = nullptr;
};

} // namespace ane::bench

#endif // ANE_TOOLS_BENCH_SESSION_H
