//===- async.cpp - C API: runs that do not keep the caller waiting --------===//
#include "runtime/api/handles.h"
#include <system_error>

using namespace ane::rt;
using namespace ane::rt::api;

extern "C" {

ane_status *ane_session_run_async(ane_session *session, ane_run_callback callback, void *user) {
  return withSession(session, [&]() -> ane_status * {
    if (!session->runner)
      session->runner = std::make_unique<Runner>();
    auto work = [session]() -> absl::Status {
      absl::Status status = statusOf([&] { return session->run(); });
      session->ran = status.ok();
      // From here on the session is ready, for the callback above all.
      *session->running = nullptr;
      return status;
    };
    auto done = [callback, user](const absl::Status &status) {
      if (!callback)
        return;
      ane_status *given = guarded([&] { return toStatus(status); });
      callback(user, given);
      ane_status_free(given);
    };
    if (absl::Status status = session->begin(); !status.ok())
      return toStatus(status);
    try {
      if (session->runner->start(work, done))
        return nullptr;
      *session->running = nullptr;
      return new ane_status{ANE_CANCELLED, "the session is being destroyed"};
    } catch (const std::system_error &error) {
      *session->running = nullptr;
      return new ane_status{ANE_RESOURCE_EXHAUSTED, absl::StrCat("no thread for the run: ", error.what())};
    } catch (...) {
      *session->running = nullptr;
      throw;
    }
  });
}

ane_status *ane_session_wait(ane_session *session) {
  return guarded([&]() -> ane_status * {
    if (!session)
      return invalid("session is NULL");
    return session->runner ? toStatus(session->runner->wait()) : nullptr;
  });
}

void ane_session_cancel(ane_session *session) {
  if (session && *session->running == session)
    *session->cancelled = true;
}

} // extern "C"
