//===- ane.cpp - C API: status, bundles and sessions ----------------------===//
#include "absl/strings/str_join.h"
#include "runtime/api/handles.h"
#include "runtime/core/report.h"
#include <algorithm>
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
  case absl::StatusCode::kCancelled:
    return ANE_CANCELLED;
  default:
    return ANE_INTERNAL;
  }
}

ane_status noMemory{ANE_RESOURCE_EXHAUSTED, "out of memory"};

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
  return {sizeof(ane_tensor_info),
          name.c_str(),
          toDtype(type.dtype),
          0,
          type.shape.size(),
          type.shape.data(),
          static_cast<size_t>(manifest::byteCount(type))};
}

ane_status *api::findName(const std::vector<std::string> &names, const char *kind, const char *name, size_t *index) {
  if (!name || !index)
    return invalid(name ? "index is NULL" : "name is NULL");
  auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    return new ane_status{ANE_NOT_FOUND, absl::StrCat("there is no ", kind, " ", name, "; the function has ",
                                                      names.empty() ? "none" : absl::StrJoin(names, ", "))};
  *index = static_cast<size_t>(found - names.begin());
  return nullptr;
}

namespace {

ane_status *describe(const std::vector<Port> &ports, const char *kind, size_t index, ane_tensor_info *info) {
  if (index >= ports.size())
    return invalid(absl::StrCat(kind, " ", index, ": the function has ", ports.size()));
  ane_tensor_info value = infoOf(ports[index].name, ports[index].type);
  value.bytes = static_cast<size_t>(ports[index].bytes); // of buckets, the most
  return fillStruct("info", value, info);
}

ane_status *find(const std::vector<Port> &ports, const char *kind, const char *name, size_t *index) {
  std::vector<std::string> names;
  for (const Port &port : ports)
    names.push_back(port.name);
  return findName(names, kind, name, index);
}

absl::StatusOr<BundleOptions> readOptions(const ane_options *options) {
  auto read = readStruct("options", options);
  if (!read.ok())
    return read.status();
  BundleOptions result;
  if (read->device)
    result.device = read->device;
  if (read->emulator_mode)
    result.emulatorMode = read->emulator_mode;
  result.threads = read->threads;
  result.verifyHashes = read->verify != 0;
  if (read->trust < ANE_TRUST_OWNER || read->trust > ANE_TRUST_NOBODY)
    return absl::InvalidArgumentError(absl::StrCat("options: trust is ", read->trust, ", expected an ane_trust"));
  result.trust = read->no_native_code ? Trust::Nobody : static_cast<Trust>(read->trust);
  if (read->numeric < ANE_NUMERIC_RESCUE || read->numeric > ANE_NUMERIC_CLAMP)
    return absl::InvalidArgumentError(absl::StrCat("options: numeric is ", read->numeric, ", expected an ane_numeric"));
  result.numeric = static_cast<NumericPolicy>(read->numeric);
  if (read->context)
    result.context = read->context->impl;
  if (read->memory_limit)
    result.memoryLimit = static_cast<int64_t>(std::min<uint64_t>(read->memory_limit, INT64_MAX));
  auto way = weightWayFrom(read->weights_by ? read->weights_by : "");
  if (!way.ok())
    return absl::InvalidArgumentError(absl::StrCat("options: weights_by ", way.status().message()));
  result.weightsBy = *way;
  return result;
}

ane_status *copiesOnly() {
  return new ane_status{ANE_FAILED_PRECONDITION,
                        "the session has buckets, whose values are copied: use ane_session_set_input and _output"};
}

ane_status *bindInput(ane_session *session, size_t index, const void *data, size_t bytes, bool isConstant) {
  return withSession(session, [&] {
    return session->buckets ? copiesOnly()
                            : toStatus(session->impl->bindInput(index, data, static_cast<int64_t>(bytes), isConstant));
  });
}

ane_phase phaseOf(const Event &event) {
  if (event.phase == "weights")
    return ANE_PHASE_WEIGHTS;
  if (event.phase == "evaluation")
    return ANE_PHASE_EVALUATION;
  return event.phase == "load" ? ANE_PHASE_LOAD : event.phase == "run" ? ANE_PHASE_RUN : ANE_PHASE_NUMERIC;
}

ane_step_kind kindOf(const StepProfile &step) {
  if (step.kind == "host")
    return ANE_STEP_HOST;
  if (step.kind == "update")
    return ANE_STEP_UPDATE;
  return step.kind == "program" ? ANE_STEP_PROGRAM : ANE_STEP_TWIN;
}

uint64_t number(int64_t value) { return static_cast<uint64_t>(value); }

} // namespace

absl::Status ane_session::begin() {
  ran = false;
  *cancelled = false;
  *running = this;
  struct Underway { // also after an exception
    ~Underway() {
      if (!isReady)
        running = nullptr;
    }
    Running &running;
    bool isReady;
  } underway{*running, !buckets};
  if (!buckets)
    return absl::OkStatus();
  auto chosen = buckets->prepare();
  if (!chosen.ok())
    return chosen.status();
  impl = *std::move(chosen);
  underway.isReady = true;
  return absl::OkStatus();
}

ane_status *ane::rt::api::toStatus(const absl::Status &status) {
  if (status.ok())
    return nullptr;
  return new ane_status{toCode(status.code()), std::string(status.message())};
}
ane_status *ane::rt::api::invalid(const std::string &message) { return new ane_status{ANE_INVALID_ARGUMENT, message}; }
ane_status *ane::rt::api::outOfMemory() { return &noMemory; }

extern "C" {

ane_code ane_status_code(const ane_status *status) { return status ? status->code : ANE_OK; }
const char *ane_status_message(const ane_status *status) { return status ? status->message.c_str() : ""; }
void ane_status_free(ane_status *status) {
  if (status != &noMemory)
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
    *bundle = new ane_bundle{std::move(*opened), std::move(device), std::move(info)};
    return nullptr;
  });
}
void ane_bundle_close(ane_bundle *bundle) { delete bundle; }

const char *ane_bundle_device(const ane_bundle *bundle) { return bundle ? bundle->device.c_str() : nullptr; }
const char *ane_bundle_host(const ane_bundle *bundle) { return bundle ? bundle->impl->hostName().c_str() : nullptr; }
const char *ane_bundle_info(const ane_bundle *bundle) { return bundle ? bundle->info.c_str() : nullptr; }
ane_status *ane_bundle_weights_by(ane_bundle *bundle, const char **way) {
  return guarded([&]() -> ane_status * {
    if (!bundle || !way)
      return invalid(bundle ? "way is NULL" : "bundle is NULL");
    std::string told = bundle->impl->weightsBy();
    std::lock_guard<std::mutex> lock(bundle->mutex);
    *way = bundle->ways.insert(std::move(told)).first->c_str();
    return nullptr;
  });
}
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
    std::string name = function ? function : "";
    if (const manifest::Bucket *bucket = bundle->impl->bucket(name))
      return makeSession(Buckets::create(bundle->impl, *bucket), session);
    return makeSession(Executor::create(bundle->impl, name), session);
  });
}
ane_status *ane_session_share(const ane_session *session, const char *function, ane_session **other) {
  return withSession(session, [&]() -> ane_status * {
    if (!function || !other)
      return invalid(function ? "other is NULL" : "function is NULL");
    const Executor &origin = *session->impl;
    if (const manifest::Bucket *bucket = origin.owner()->bucket(function))
      return makeSession(Buckets::create(origin.owner(), *bucket, &origin), other, session->running);
    return makeSession(origin.share(function), other, session->running);
  });
}
void ane_session_destroy(ane_session *session) {
  if (session && session->runner) {
    // In this order, so that no callback starts a run that is not cancelled.
    session->runner->close();
    ane_session_cancel(session);
    session->runner->join();
  }
  delete session;
}

size_t ane_session_input_count(const ane_session *session) { return session ? session->inputs().size() : 0; }
size_t ane_session_output_count(const ane_session *session) { return session ? session->outputs().size() : 0; }
ane_status *ane_session_input_info(const ane_session *session, size_t index, ane_tensor_info *info) {
  return guarded(
      [&] { return session ? describe(session->inputs(), "input", index, info) : invalid("session is NULL"); });
}
ane_status *ane_session_output_info(const ane_session *session, size_t index, ane_tensor_info *info) {
  return guarded(
      [&] { return session ? describe(session->outputs(), "output", index, info) : invalid("session is NULL"); });
}
ane_status *ane_session_find_input(const ane_session *session, const char *name, size_t *index) {
  return guarded([&] { return session ? find(session->inputs(), "input", name, index) : invalid("session is NULL"); });
}
ane_status *ane_session_find_output(const ane_session *session, const char *name, size_t *index) {
  return guarded(
      [&] { return session ? find(session->outputs(), "output", name, index) : invalid("session is NULL"); });
}

ane_status *ane_session_set_input(ane_session *session, size_t index, const void *data, size_t bytes) {
  return withSession(session, [&] {
    if (!data && bytes != 0)
      return invalid("data is NULL");
    auto size = static_cast<int64_t>(bytes);
    return toStatus(session->buckets ? session->buckets->setInput(index, data, size)
                                     : session->impl->setInput(index, data, size));
  });
}

ane_status *ane_session_input_data(ane_session *session, size_t index, void **data, size_t *bytes) {
  return withSession(session, [&]() -> ane_status * {
    if (!data)
      return invalid("data is NULL");
    if (session->buckets)
      return copiesOnly();
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
  return bindInput(session, index, data, bytes, /*isConstant=*/false);
}
ane_status *ane_session_bind_constant_input(ane_session *session, size_t index, const void *data, size_t bytes) {
  return bindInput(session, index, data, bytes, /*isConstant=*/true);
}

ane_status *ane_session_bind_output(ane_session *session, size_t index, void *data, size_t bytes) {
  return withSession(session, [&] {
    if (session->buckets)
      return copiesOnly();
    // The value of the last run stays where it was written.
    session->ran = false;
    return toStatus(session->impl->bindOutput(index, data, static_cast<int64_t>(bytes)));
  });
}

static ane_status *giveWeight(ane_session *session, const char *name, const void *data, size_t bytes, bool stays) {
  return withSession(session, [&] {
    if (!name || (!data && bytes != 0))
      return invalid(name ? "data is NULL" : "name is NULL");
    auto size = static_cast<int64_t>(bytes);
    return toStatus(session->buckets ? session->buckets->setWeight(name, data, size, stays)
                                     : session->impl->setWeight(name, data, size, stays));
  });
}

ane_status *ane_session_set_weight(ane_session *session, const char *name, const void *data, size_t bytes) {
  return giveWeight(session, name, data, bytes, /*stays=*/false);
}

ane_status *ane_session_bind_weight(ane_session *session, const char *name, const void *data, size_t bytes) {
  return giveWeight(session, name, data, bytes, /*stays=*/true);
}

ane_status *ane_session_run(ane_session *session) {
  return withSession(session, [&] {
    if (absl::Status status = session->begin(); !status.ok())
      return toStatus(status);
    struct Underway {
      ~Underway() { running = nullptr; }
      ane_session::Running &running;
    } underway{*session->running};
    absl::Status status = session->run();
    session->ran = status.ok();
    return toStatus(status);
  });
}

ane_status *ane_session_output(const ane_session *session, size_t index, const void **data, size_t *bytes) {
  return withSession(session, [&]() -> ane_status * {
    if (!data)
      return invalid("data is NULL");
    ane_tensor_info info = ANE_TENSOR_INFO_INIT;
    if (ane_status *status = describe(session->outputs(), "output", index, &info))
      return status;
    if (!session->ran)
      return new ane_status{ANE_FAILED_PRECONDITION, "the session has not run successfully"};
    auto value = session->buckets ? session->buckets->output(index)
                                  : std::pair<const void *, int64_t>(session->impl->outputs()[index].data, info.bytes);
    *data = value.first;
    if (bytes)
      *bytes = static_cast<size_t>(value.second);
    return nullptr;
  });
}

size_t ane_session_event_count(const ane_session *session) {
  size_t count = 0;
  if (session && !*session->running)
    session->anyExecutor([&](const Executor &executor) {
      count += executor.events().size();
      return false;
    });
  return count;
}
ane_status *ane_session_event(const ane_session *session, size_t index, ane_event *event) {
  return withSession(session, [&] {
    const Event *found = nullptr;
    size_t before = 0;
    session->anyExecutor([&](const Executor &executor) {
      const std::vector<Event> &events = executor.events();
      if (index - before < events.size())
        found = &events[index - before];
      before += events.size();
      return found != nullptr;
    });
    if (!found)
      return invalid(absl::StrCat("event ", index, ": the session has ", before));
    const Event &e = *found;
    ane_event value = {sizeof value,     e.program.c_str(), e.device.c_str(),
                       e.reason.c_str(), phaseOf(e),        static_cast<int32_t>(std::min<int64_t>(e.runs, INT32_MAX))};
    return fillStruct("event", value, event);
  });
}

size_t ane_session_step_count(const ane_session *session) { return session ? session->impl->profile().size() : 0; }
ane_status *ane_session_step(const ane_session *session, size_t index, ane_step *step) {
  return withSession(session, [&] {
    const std::vector<StepProfile> &steps = session->impl->profile();
    if (index >= steps.size())
      return invalid(absl::StrCat("step ", index, ": the function has ", steps.size()));
    const StepProfile &s = steps[index];
    ane_step value = {sizeof value,
                      s.name.c_str(),
                      s.device.c_str(),
                      kindOf(s),
                      0,
                      number(s.runs),
                      number(s.lastNs),
                      number(s.totalNs),
                      number(s.lastLayoutNs),
                      number(s.totalLayoutNs),
                      number(s.evaluations),
                      number(s.evaluationNs),
                      number(s.inputBytes),
                      number(s.outputBytes),
                      number(s.weightBytes),
                      known(s.energyNj),
                      number(s.rescuedRuns)};
    return fillStruct("step", value, step);
  });
}

ane_status *ane_session_copies(const ane_session *session, ane_copies *copies) {
  return withSession(session, [&] {
    Copies c = session->buckets ? session->buckets->copies() : session->impl->copies();
    ane_copies value = {sizeof value,
                        number(c.runs),
                        number(c.lastSurfaceBytes),
                        number(c.totalSurfaceBytes),
                        number(c.lastStateBytes),
                        number(c.totalStateBytes),
                        number(c.lastScannedBytes),
                        number(c.totalScannedBytes),
                        number(c.totalWeightBytes),
                        number(c.totalClamped)};
    return fillStruct("copies", value, copies);
  });
}

} // extern "C"
