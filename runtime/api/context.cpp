//===- context.cpp - C API: what bundles share ----------------------------===//
#include "runtime/api/handles.h"

using namespace ane::rt;
using namespace ane::rt::api;

namespace {

absl::Status configure(Context &context, const ane_context_options *options) {
  auto read = readStruct("context options", options);
  if (!read.ok())
    return read.status();
  auto limit = [](uint64_t value) { return static_cast<int64_t>(std::min<uint64_t>(value, INT64_MAX)); };
  context.cache().setBudgets({limit(read->compilations), limit(read->loaded_programs), limit(read->loaded_bytes)});
  context.surfaceUse().limit = read->idle_surface_bytes ? limit(read->idle_surface_bytes) : kIdleSurfaceBytes;
  return absl::OkStatus();
}

} // namespace

extern "C" {

ane_status *ane_context_create(const ane_context_options *options, ane_context **context) {
  return guarded([&]() -> ane_status * {
    if (!context)
      return invalid("context is NULL");
    auto made = std::make_unique<ane_context>();
    made->impl = std::make_shared<Context>();
    if (absl::Status status = configure(*made->impl, options); !status.ok())
      return toStatus(status);
    *context = made.release();
    return nullptr;
  });
}

void ane_context_destroy(ane_context *context) { delete context; }

ane_status *ane_context_configure(ane_context *context, const ane_context_options *options) {
  return guarded([&] { return toStatus(configure(*contextOf(context), options)); });
}

ane_status *ane_context_counters(ane_context *context, ane_counters *counters) {
  return guarded([&] {
    ProgramCounters c = contextOf(context)->cache().counters();
    const SurfaceUse &use = contextOf(context)->surfaceUse();
    auto number = [](int64_t value) { return static_cast<uint64_t>(value); };
    ane_counters value = {sizeof(ane_counters),  number(c.compilations), number(c.loaded),        number(c.loadedBytes),
                          number(c.running),     number(c.hits),         number(c.evictions),     number(c.retries),
                          number(c.refusals),    number(c.evaluations),  number(c.evaluationNs),  number(use.used),
                          number(use.usedBytes), number(use.idleBytes),  number(use.allocations), number(use.handedOut),
                          number(c.loadNs),      number(c.weightBytes),  number(c.inputBytes),    number(c.outputBytes),
                          known(c.energyNj),     number(c.updates)};
    return fillStruct("counters", value, counters);
  });
}

ane_status *ane_context_set_log(ane_context *context, ane_log_level most, ane_log_callback callback, void *user) {
  return guarded([&]() -> ane_status * {
    Log::Sink sink;
    if (callback)
      sink = [callback, user](LogLevel level, const std::string &message) {
        callback(user, static_cast<ane_log_level>(level), message.c_str());
      };
    contextOf(context)->log().setSink(static_cast<LogLevel>(most), std::move(sink));
    return nullptr;
  });
}

} // extern "C"
