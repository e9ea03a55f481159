//===- client.cpp - The runtime's public interface, in C++ ----------------===//
#include "runtime/train/client.h"
#include "absl/strings/str_cat.h"
#include <algorithm>

namespace ane::rt::train {
namespace {

absl::StatusCode toCode(ane_code code) {
  switch (code) {
  case ANE_OK:
    return absl::StatusCode::kOk;
  case ANE_INVALID_ARGUMENT:
    return absl::StatusCode::kInvalidArgument;
  case ANE_NOT_FOUND:
    return absl::StatusCode::kNotFound;
  case ANE_FAILED_PRECONDITION:
    return absl::StatusCode::kFailedPrecondition;
  case ANE_UNIMPLEMENTED:
    return absl::StatusCode::kUnimplemented;
  case ANE_RESOURCE_EXHAUSTED:
    return absl::StatusCode::kResourceExhausted;
  case ANE_DATA_LOSS:
    return absl::StatusCode::kDataLoss;
  case ANE_CANCELLED:
    return absl::StatusCode::kCancelled;
  case ANE_INTERNAL:
    break;
  }
  return absl::StatusCode::kInternal;
}

using Describe = ane_status *(const ane_session *, size_t, ane_tensor_info *);

absl::Status list(const ane_session *session, size_t count, Describe describe, std::vector<Port> &ports) {
  for (size_t i = 0; i < count; ++i) {
    ane_tensor_info info = ANE_TENSOR_INFO_INIT;
    if (absl::Status s = toStatus(describe(session, i, &info)); !s.ok())
      return s;
    ports.push_back({info.name, info.dtype, {info.shape, info.shape + info.rank}, static_cast<int64_t>(info.bytes), i});
  }
  return absl::OkStatus();
}

const Port *find(const std::vector<Port> &ports, const std::string &name) {
  auto found = std::find_if(ports.begin(), ports.end(), [&](const Port &port) { return port.name == name; });
  return found == ports.end() ? nullptr : &*found;
}

} // namespace

absl::Status toStatus(ane_status *status, const std::string &subject) {
  if (!status)
    return absl::OkStatus();
  std::unique_ptr<ane_status, void (*)(ane_status *)> owner(status, ane_status_free);
  return absl::Status(toCode(ane_status_code(status)),
                      absl::StrCat(subject, subject.empty() ? "" : ": ", ane_status_message(status)));
}

absl::StatusOr<BundleHandle> openBundle(const std::string &path, const DeviceOptions &options) {
  ane_options open = ANE_OPTIONS_INIT;
  open.device = options.device.empty() ? nullptr : options.device.c_str();
  open.emulator_mode = options.emulatorMode.empty() ? nullptr : options.emulatorMode.c_str();
  open.context = options.context;
  open.threads = options.threads;
  open.trust = options.trust;
  open.verify = options.verify;
  // Gradients are looked at as a whole: a step that does not fit in fp16 is skipped.
  open.numeric = options.clampsFp16 ? ANE_NUMERIC_CLAMP : ANE_NUMERIC_OFF;
  open.weights_by = options.weightsBy.empty() || options.weightsBy == "inputs" ? nullptr : options.weightsBy.c_str();
  ane_bundle *bundle = nullptr;
  if (absl::Status s = toStatus(ane_bundle_open(path.c_str(), &open, &bundle)); !s.ok())
    return s;
  return BundleHandle(bundle);
}

absl::StatusOr<Function> Function::open(const BundleHandle &bundle, const std::string &name) {
  Function function;
  ane_session *session = nullptr;
  if (absl::Status s = toStatus(ane_session_create(bundle.get(), name.c_str(), &session)); !s.ok())
    return s;
  function.handle.reset(session);
  function.functionName = name;
  if (absl::Status s = list(session, ane_session_input_count(session), ane_session_input_info, function.inputPorts);
      !s.ok())
    return s;
  if (absl::Status s = list(session, ane_session_output_count(session), ane_session_output_info, function.outputPorts);
      !s.ok())
    return s;
  return function;
}

const Port *Function::input(const std::string &name) const { return find(inputPorts, name); }
const Port *Function::output(const std::string &name) const { return find(outputPorts, name); }

absl::StatusOr<const Port *> Function::need(const std::vector<Port> &ports, const std::string &name, int64_t floats,
                                            const std::string &who) const {
  const Port *port = find(ports, name);
  if (!port)
    return absl::InvalidArgumentError(
        absl::StrCat("function ", functionName, " of the bundle has no ", name, ", which ", who, " needs"));
  if (port->dtype != ANE_FLOAT32 || port->bytes != floats * static_cast<int64_t>(sizeof(float)))
    return absl::InvalidArgumentError(absl::StrCat(name, " of function ", functionName, " has ", port->bytes,
                                                   " bytes of ", ane_dtype_name(port->dtype), ", expected ", floats,
                                                   " elements of float32 for ", who));
  return port;
}

absl::Status Function::set(const Port &input, const void *data) {
  return toStatus(ane_session_set_input(handle.get(), input.index, data, static_cast<size_t>(input.bytes)),
                  functionName);
}

absl::Status Function::bind(const Port &input, const void *data, bool isConstant) {
  auto *bind = isConstant ? ane_session_bind_constant_input : ane_session_bind_input;
  return toStatus(bind(handle.get(), input.index, data, static_cast<size_t>(input.bytes)), functionName);
}

absl::Status Function::bindOutput(const Port &output, void *data) {
  return toStatus(ane_session_bind_output(handle.get(), output.index, data, static_cast<size_t>(output.bytes)),
                  functionName);
}

absl::Status Function::bindWeight(const std::string &name, const float *data, int64_t elements) {
  return toStatus(
      ane_session_bind_weight(handle.get(), name.c_str(), data, static_cast<size_t>(elements) * sizeof(float)),
      functionName);
}

absl::Status Function::run() { return toStatus(ane_session_run(handle.get())); }

absl::StatusOr<const float *> Function::floats(const Port &output) const {
  const void *data = nullptr;
  if (absl::Status s = toStatus(ane_session_output(handle.get(), output.index, &data, nullptr)); !s.ok())
    return s;
  return static_cast<const float *>(data);
}

absl::StatusOr<float> Function::scalar(const Port &output) const {
  auto value = floats(output);
  return value.ok() ? absl::StatusOr<float>(**value) : value.status();
}

DeviceWork workOf(const Function &function) {
  DeviceWork work;
  ane_copies copies = ANE_COPIES_INIT;
  if (toStatus(ane_session_copies(function.session(), &copies)).ok()) {
    work.stagedBytes = copies.total_surface_bytes + copies.total_weight_bytes;
    work.clamped = copies.total_clamped;
  }
  for (size_t i = 0; i < ane_session_step_count(function.session()); ++i) {
    ane_step step = ANE_STEP_INIT;
    if (toStatus(ane_session_step(function.session(), i, &step)).ok())
      work.evaluations += step.evaluations;
  }
  return work;
}

std::vector<DeviceEvent> eventsOf(const Function &function) {
  std::vector<DeviceEvent> events;
  for (size_t i = 0; i < ane_session_event_count(function.session()); ++i) {
    ane_event event = ANE_EVENT_INIT;
    if (toStatus(ane_session_event(function.session(), i, &event)).ok())
      events.push_back({event.program, event.device, event.reason, event.phase < ANE_PHASE_WEIGHTS});
  }
  return events;
}

std::vector<std::string> newEvents(const Function &function, size_t &told) {
  std::vector<std::string> lines;
  const std::vector<DeviceEvent> events = eventsOf(function);
  for (; told < events.size(); ++told) {
    const auto &[program, device, reason, isElsewhere] = events[told];
    lines.push_back(
        absl::StrCat("program ", program, " on ", device, isElsewhere ? ", runs on the CPU: " : ": ", reason));
  }
  return lines;
}

} // namespace ane::rt::train
