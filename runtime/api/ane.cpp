//===- ane.cpp - C API ----------------------------------------------------===//
#include "absl/strings/str_cat.h"
#include "runtime/api/handles.h"
#include "runtime/core/report.h"
#include <cstddef>
#include <cstring>
#include <type_traits>

using namespace ane::rt;
using namespace ane::rt::api;

namespace {

ane_code toCode(absl::StatusCode code) {
  switch (code) {
  case absl::StatusCode::kOk:
    return ANE_OK;
  case absl::StatusCode::kInvalidArgument:
    return ANE_INVALID_ARGUMENT;
  case absl::StatusCode::kNotFound:
    return ANE_NOT_FOUND;
  case absl::StatusCode::kFailedPrecondition:
    return ANE_FAILED_PRECONDITION;
  case absl::StatusCode::kUnimplemented:
    return ANE_UNIMPLEMENTED;
  case absl::StatusCode::kResourceExhausted:
    return ANE_RESOURCE_EXHAUSTED;
  case absl::StatusCode::kDataLoss:
    return ANE_DATA_LOSS;
  default:
    return ANE_INTERNAL;
  }
}

} // namespace

ane_status *api::toStatus(const absl::Status &status) {
  if (status.ok())
    return nullptr;
  return new ane_status{toCode(status.code()), std::string(status.message())};
}

ane_status *api::invalid(const char *message) { return new ane_status{ANE_INVALID_ARGUMENT, message}; }

ane_status api::outOfMemory{ANE_RESOURCE_EXHAUSTED, "out of memory"};

namespace {

// The C enumeration is a stable subset of the internal one.
constexpr ElementType kElementTypes[] = {
    ElementType::Bool,     ElementType::Int8,    ElementType::UInt8,  ElementType::Int16,  ElementType::UInt16,
    ElementType::Int32,    ElementType::UInt32,  ElementType::Int64,  ElementType::UInt64, ElementType::Float16,
    ElementType::BFloat16, ElementType::Float32, ElementType::Float64};
constexpr size_t kElementTypeCount = sizeof(kElementTypes) / sizeof(kElementTypes[0]);

} // namespace

ane_dtype api::toDtype(ElementType type) {
  size_t i = 0;
  while (i + 1 < kElementTypeCount && kElementTypes[i] != type)
    ++i;
  return static_cast<ane_dtype>(i);
}

ane_tensor_info api::infoOf(const std::string &name, const manifest::TensorType &type) {
  return {name.c_str(), toDtype(type.dtype), type.shape.size(), type.shape.data(),
          static_cast<size_t>(manifest::byteCount(type))};
}

namespace {

ane_status *describe(const std::vector<Port> &ports, const char *kind, size_t index, ane_tensor_info *info) {
  if (!info)
    return invalid("info is NULL");
  if (index >= ports.size())
    return invalid(absl::StrCat(kind, " ", index, ": the function has ", ports.size()).c_str());
  *info = infoOf(ports[index].name, ports[index].type);
  return nullptr;
}

/// Members that were there from the beginning.
constexpr size_t kFirstOptions = offsetof(ane_options, no_native_code);

/// The members of `options` that its writer knew, the defaults for the rest.
absl::StatusOr<BundleOptions> readOptions(const ane_options *options) {
  BundleOptions result;
  if (!options)
    return result;
  if (options->size < kFirstOptions)
    return absl::InvalidArgumentError(absl::StrCat("options: size is ", options->size, ", expected at least ",
                                                   kFirstOptions, "; use ANE_OPTIONS_INIT"));
  if (options->device)
    result.device = options->device;
  if (options->emulator_mode)
    result.emulatorMode = options->emulator_mode;
  result.threads = options->threads;
  result.verifyHashes = options->verify != 0;
  if (options->size >= kFirstOptions + sizeof options->no_native_code)
    result.nativeCode = options->no_native_code == 0;
  return result;
}

} // namespace

extern "C" {

ane_code ane_status_code(const ane_status *status) { return status ? status->code : ANE_OK; }
const char *ane_status_message(const ane_status *status) { return status ? status->message.c_str() : ""; }
void ane_status_free(ane_status *status) {
  if (status != &outOfMemory)
    delete status;
}

const char *ane_version(void) { return ANE_VERSION; }

ane_status *ane_bundle_open(const char *path, const ane_options *options, ane_bundle **bundle) {
  return guarded([&]() -> ane_status * {
    if (!path || !bundle)
      return invalid(path ? "bundle is NULL" : "path is NULL");
    auto read = readOptions(options);
    if (!read.ok())
      return toStatus(read.status());
    auto opened = Bundle::open(path, *read);
    if (!opened.ok())
      return toStatus(opened.status());
    std::string device = (*opened)->deviceName();
    std::string info = bundleJson((*opened)->manifest());
    *bundle = new ane_bundle{std::move(*opened), std::move(device), std::move(info), ""};
    return nullptr;
  });
}
void ane_bundle_close(ane_bundle *bundle) { delete bundle; }

const char *ane_bundle_device(const ane_bundle *bundle) { return bundle ? bundle->device.c_str() : nullptr; }
const char *ane_bundle_host(ane_bundle *bundle) {
  if (!bundle)
    return nullptr;
  return guardedText(bundle->host, [&] { return bundle->impl->hostName(); });
}
const char *ane_bundle_info(const ane_bundle *bundle) { return bundle ? bundle->info.c_str() : nullptr; }
size_t ane_bundle_function_count(const ane_bundle *bundle) {
  return bundle ? bundle->impl->manifest().functions.size() : 0;
}
const char *ane_bundle_function_name(const ane_bundle *bundle, size_t index) {
  if (index >= ane_bundle_function_count(bundle))
    return nullptr;
  return bundle->impl->manifest().functions[index].name.c_str();
}

const char *ane_dtype_name(ane_dtype dtype) {
  // C passes any number; to C++, one that the enumeration has not is undefined.
  std::underlying_type_t<ane_dtype> index;
  std::memcpy(&index, &dtype, sizeof index);
  if (index >= kElementTypeCount)
    return nullptr;
  // Names are literals, and so end in a NUL character.
  return numpyName(kElementTypes[index]).data();
}

ane_status *ane_session_create(ane_bundle *bundle, const char *function, ane_session **session) {
  return guarded([&]() -> ane_status * {
    if (!bundle || !session)
      return invalid(bundle ? "session is NULL" : "bundle is NULL");
    auto executor = Executor::create(bundle->impl, function ? function : "");
    if (!executor.ok())
      return toStatus(executor.status());
    *session = new ane_session{std::move(*executor)};
    return nullptr;
  });
}
void ane_session_destroy(ane_session *session) { delete session; }

size_t ane_session_input_count(const ane_session *session) { return session ? session->impl->inputs().size() : 0; }
size_t ane_session_output_count(const ane_session *session) { return session ? session->impl->outputs().size() : 0; }
ane_status *ane_session_input_info(const ane_session *session, size_t index, ane_tensor_info *info) {
  return guarded(
      [&] { return session ? describe(session->impl->inputs(), "input", index, info) : invalid("session is NULL"); });
}
ane_status *ane_session_output_info(const ane_session *session, size_t index, ane_tensor_info *info) {
  return guarded(
      [&] { return session ? describe(session->impl->outputs(), "output", index, info) : invalid("session is NULL"); });
}

ane_status *ane_session_set_input(ane_session *session, size_t index, const void *data, size_t bytes) {
  return guarded([&]() -> ane_status * {
    if (!session || (!data && bytes != 0))
      return invalid(session ? "data is NULL" : "session is NULL");
    return toStatus(session->impl->setInput(index, data, static_cast<int64_t>(bytes)));
  });
}

ane_status *ane_session_input_data(ane_session *session, size_t index, void **data, size_t *bytes) {
  return guarded([&]() -> ane_status * {
    if (!session || !data)
      return invalid(session ? "data is NULL" : "session is NULL");
    auto pointer = session->impl->inputData(index);
    if (!pointer.ok())
      return toStatus(pointer.status());
    *data = *pointer;
    if (bytes)
      *bytes = static_cast<size_t>(session->impl->inputs()[index].bytes);
    return nullptr;
  });
}

ane_status *ane_session_bind_input(ane_session *session, size_t index, const void *data, size_t bytes) {
  return guarded([&]() -> ane_status * {
    if (!session)
      return invalid("session is NULL");
    return toStatus(session->impl->bindInput(index, data, static_cast<int64_t>(bytes)));
  });
}

ane_status *ane_session_bind_output(ane_session *session, size_t index, void *data, size_t bytes) {
  return guarded([&]() -> ane_status * {
    if (!session)
      return invalid("session is NULL");
    // The value of the last run stays where it was written.
    session->ran = false;
    return toStatus(session->impl->bindOutput(index, data, static_cast<int64_t>(bytes)));
  });
}

ane_status *ane_session_run(ane_session *session) {
  return guarded([&]() -> ane_status * {
    if (!session)
      return invalid("session is NULL");
    session->ran = false;
    absl::Status status = session->impl->run();
    session->ran = status.ok();
    return toStatus(status);
  });
}

ane_status *ane_session_output(const ane_session *session, size_t index, const void **data, size_t *bytes) {
  return guarded([&]() -> ane_status * {
    if (!session || !data)
      return invalid(session ? "data is NULL" : "session is NULL");
    ane_tensor_info info;
    if (ane_status *status = describe(session->impl->outputs(), "output", index, &info))
      return status;
    if (!session->ran)
      return new ane_status{ANE_FAILED_PRECONDITION, "the session has not run successfully"};
    *data = session->impl->outputs()[index].data;
    if (bytes)
      *bytes = info.bytes;
    return nullptr;
  });
}

const char *ane_session_events(ane_session *session) {
  if (!session)
    return nullptr;
  return guardedText(session->events, [&] { return eventsJson(session->impl->events()); });
}

const char *ane_session_profile(ane_session *session) {
  if (!session)
    return nullptr;
  return guardedText(session->profile, [&] { return profileJson(session->impl->profile()); });
}

} // extern "C"
