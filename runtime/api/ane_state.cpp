//===- ane_state.cpp - C API: states ---------------------------------------===//
#include "runtime/api/handles.h"
#include "runtime/core/state_file.h"
#include <cstring>

using namespace ane::rt;
using namespace ane::rt::api;

extern "C" {

size_t ane_state_count(const ane_session *session) { return session ? session->impl->states().all().size() : 0; }

ane_status *ane_state_info(const ane_session *session, size_t index, ane_tensor_info *info) {
  return guarded([&]() -> ane_status * {
    if (!session || !info)
      return invalid(session ? "info is NULL" : "session is NULL");
    auto state = session->impl->states().find(index);
    if (!state.ok())
      return toStatus(state.status());
    *info = infoOf((*state)->record->name, (*state)->record->type);
    return nullptr;
  });
}

ane_status *ane_state_read(const ane_session *session, size_t index, void *data, size_t bytes) {
  return guarded([&]() -> ane_status * {
    if (!session || (!data && bytes != 0))
      return invalid(session ? "data is NULL" : "session is NULL");
    return toStatus(session->impl->states().read(index, data, static_cast<int64_t>(bytes)));
  });
}

ane_status *ane_state_write(ane_session *session, size_t index, const void *data, size_t bytes) {
  return guarded([&]() -> ane_status * {
    if (!session || (!data && bytes != 0))
      return invalid(session ? "data is NULL" : "session is NULL");
    return toStatus(session->impl->states().write(index, data, static_cast<int64_t>(bytes)));
  });
}

ane_status *ane_state_reset(ane_session *session) {
  return guarded([&] { return session ? toStatus(session->impl->resetStates()) : invalid("session is NULL"); });
}

ane_status *ane_state_save(const ane_session *session, const char *path) {
  return guarded([&]() -> ane_status * {
    if (!session || !path)
      return invalid(session ? "path is NULL" : "session is NULL");
    return toStatus(saveStates(session->impl->states(), path));
  });
}

ane_status *ane_state_restore(ane_session *session, const char *path) {
  return guarded([&]() -> ane_status * {
    if (!session || !path)
      return invalid(session ? "path is NULL" : "session is NULL");
    return toStatus(restoreStates(session->impl->states(), path));
  });
}

ane_status *ane_state_fork(const ane_session *session, ane_session **fork) {
  return guarded([&]() -> ane_status * {
    if (!session || !fork)
      return invalid(session ? "fork is NULL" : "session is NULL");
    auto made = session->impl->fork();
    if (!made.ok())
      return toStatus(made.status());
    *fork = new ane_session{std::move(*made)};
    return nullptr;
  });
}

} // extern "C"
