//===- client.h - The runtime's public interface, in C++ ---------*- C++ -*-===//
//
// The trainer is a client of ane.h like any application. Here is what C++ wants of
// it: owners of handles, and errors as absl::Status.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_TRAIN_CLIENT_H
#define ANE_RUNTIME_TRAIN_CLIENT_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ane/runtime/ane.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ane::rt::train {

struct Close {
  void operator()(ane_bundle *bundle) const { ane_bundle_close(bundle); }
  void operator()(ane_session *session) const { ane_session_destroy(session); }
};
using BundleHandle = std::unique_ptr<ane_bundle, Close>;
using SessionHandle = std::unique_ptr<ane_session, Close>;

/// Frees `status`; `subject`, if any, begins the message.
absl::Status toStatus(ane_status *status, const std::string &subject = {});

/// What a bundle is opened with.
struct DeviceOptions {
  std::string device;       ///< as in ane_options; empty: "auto"
  std::string emulatorMode; ///< empty: "lint"
  ane_context *context = nullptr;
  int32_t threads = 0; ///< 0: as ane_options has it
  bool verify = false; ///< the hash of every file
  /// How weights of the bundle get into its programs, as in ane_options; empty: "auto".
  std::string weightsBy = {};
  bool clampsFp16 = false; ///< ANE_NUMERIC_CLAMP instead of ANE_NUMERIC_OFF
  int32_t trust = ANE_TRUST_OWNER;
};
absl::StatusOr<BundleHandle> openBundle(const std::string &path, const DeviceOptions &options);

/// An input or output of a session.
struct Port {
  std::string name;
  ane_dtype dtype;
  std::vector<int64_t> shape;
  int64_t bytes;
  size_t index;
};

/// A function of a bundle, ready to run.
class Function {
public:
  static absl::StatusOr<Function> open(const BundleHandle &bundle, const std::string &name);

  const std::string &name() const { return functionName; }
  const std::vector<Port> &inputs() const { return inputPorts; }
  const std::vector<Port> &outputs() const { return outputPorts; }
  /// Null if there is none of the name.
  const Port *input(const std::string &name) const;
  const Port *output(const std::string &name) const;

  /// InvalidArgument, naming `who` needs it, if there is none of the name, type and number of elements.
  absl::StatusOr<const Port *> need(const std::vector<Port> &ports, const std::string &name, int64_t floats,
                                    const std::string &who) const;

  absl::Status set(const Port &input, const void *data);
  absl::Status bind(const Port &input, const void *data, bool isConstant);
  /// Null: the session's own memory.
  absl::Status bindOutput(const Port &output, void *data);
  /// Gives a weight of the bundle other elements, float32 and row-major, which stay until it is bound again.
  absl::Status bindWeight(const std::string &name, const float *data, int64_t elements);
  absl::Status run();
  /// The elements of an output of floats.
  absl::StatusOr<const float *> floats(const Port &output) const;
  /// The only one.
  absl::StatusOr<float> scalar(const Port &output) const;

  ane_session *session() const { return handle.get(); }

private:
  SessionHandle handle;
  std::string functionName;
  std::vector<Port> inputPorts, outputPorts;
};

/// What devices did for a function, in all its runs.
struct DeviceWork {
  uint64_t evaluations = 0;
  uint64_t stagedBytes = 0; ///< copied into and out of surfaces, and into weight files of programs
  uint64_t clamped = 0;     ///< infinite elements that became 65,504 (DeviceOptions::clampsFp16)
};
DeviceWork workOf(const Function &function);

/// What happened otherwise than asked, as ane_session_event has it.
struct DeviceEvent {
  std::string program, device, reason;
  bool isElsewhere; ///< the program runs on the CPU
};
std::vector<DeviceEvent> eventsOf(const Function &function);
/// A line for each of them behind the first `told`, which becomes the number of all.
std::vector<std::string> newEvents(const Function &function, size_t &told);

} // namespace ane::rt::train
#endif // ANE_RUNTIME_TRAIN_CLIENT_H
