//===- ane_state.cpp - C API: states and adapters -------------------------===//
#include "runtime/api/handles.h"
#include "runtime/core/adapter.h"
#include "runtime/core/state_file.h"
#include <limits>

using namespace ane::rt;
using namespace ane::rt::api;

extern "C" {

size_t ane_state_count(const ane_session *session) { return session ? session->impl->states().all().size() : 0; }

ane_status *ane_state_info(const ane_session *session, size_t index, ane_tensor_info *info) {
  return withSession(session, [&] {
    auto state = session->impl->states().find(index);
    if (!state.ok())
      return toStatus(state.status());
    return fillStruct("info", infoOf((*state)->record->name, (*state)->record->type), info);
  });
}

ane_status *ane_state_find(const ane_session *session, const char *name, size_t *index) {
  return withSession(session, [&] {
    std::vector<std::string> names;
    for (const State &state : session->impl->states().all())
      names.push_back(state.record->name);
    return findName(names, "state", name, index);
  });
}

ane_status *ane_state_read(const ane_session *session, size_t index, void *data, size_t bytes) {
  return withSession(session, [&] {
    if (!data && bytes != 0)
      return invalid("data is NULL");
    return toStatus(session->impl->states().read(index, data, static_cast<int64_t>(bytes)));
  });
}

ane_status *ane_state_write(ane_session *session, size_t index, const void *data, size_t bytes) {
  return withSession(session, [&] {
    if (!data && bytes != 0)
      return invalid("data is NULL");
    return toStatus(session->impl->states().write(index, data, static_cast<int64_t>(bytes)));
  });
}

ane_status *ane_state_reset(ane_session *session) {
  return withSession(session, [&] { return toStatus(session->impl->resetStates()); });
}

ane_status *ane_state_save(const ane_session *session, const char *path) {
  return withSession(
      session, [&] { return path ? toStatus(saveStates(session->impl->states(), path)) : invalid("path is NULL"); });
}

ane_status *ane_state_restore(ane_session *session, const char *path) {
  return withSession(
      session, [&] { return path ? toStatus(restoreStates(session->impl->states(), path)) : invalid("path is NULL"); });
}

ane_status *ane_state_copy(ane_session *session, const ane_session *from, size_t entries, size_t *bytes) {
  return withSession(session, [&] {
    return withSession(from, [&] {
      constexpr size_t most = std::numeric_limits<int64_t>::max();
      auto copied = session->impl->states().take(from->impl->states(), static_cast<int64_t>(std::min(entries, most)));
      if (copied.ok() && bytes)
        *bytes = static_cast<size_t>(*copied);
      return toStatus(copied.status());
    });
  });
}

ane_status *ane_state_fork(const ane_session *session, ane_session **fork) {
  return withSession(session, [&]() -> ane_status * {
    if (!fork)
      return invalid("fork is NULL");
    return session->buckets ? makeSession(session->buckets->fork(), fork) : makeSession(session->impl->fork(), fork);
  });
}

ane_status *ane_session_set_adapter(ane_session *session, const char *path, size_t *bytes) {
  return withSession(session, [&] {
    Bundle &bundle = *session->impl->owner();
    absl::StatusOr<std::vector<adapter::Matrices>> matrices = std::vector<adapter::Matrices>();
    if (path)
      matrices = readAdapter(bundle, path);
    if (!matrices.ok())
      return toStatus(matrices.status());
    int64_t written = setAdapter(session->impl->states(), bundle, *matrices);
    if (bytes)
      *bytes = static_cast<size_t>(written);
    return toStatus(absl::OkStatus());
  });
}

} // extern "C"
