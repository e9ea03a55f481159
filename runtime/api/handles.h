//===- handles.h - What stands behind the handles of ane.h ------*- C++ -*-===//
#ifndef ANE_RUNTIME_API_HANDLES_H
#define ANE_RUNTIME_API_HANDLES_H

#include "absl/strings/str_cat.h"
#include "ane/runtime/ane.h"
#include "runtime/api/runner.h"
#include "runtime/core/buckets.h"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <new>
#include <set>

struct ane_status {
  ane_code code;
  std::string message;
};

struct ane_context {
  std::shared_ptr<ane::rt::Context> impl;
};

struct ane_bundle {
  std::shared_ptr<ane::rt::Bundle> impl;
  std::string device, info;
  std::mutex mutex = {};           ///< guards `ways`
  std::set<std::string> ways = {}; ///< that ane_bundle_weights_by has told
};

struct ane_session {
  /// Null while none runs, on whatever thread.
  using Running = std::atomic<const ane_session *>;

  explicit ane_session(std::shared_ptr<ane::rt::Executor> executor,
                       std::shared_ptr<Running> running = std::make_shared<Running>(nullptr))
      : impl(std::move(executor)), running(std::move(running)) {}
  explicit ane_session(std::unique_ptr<ane::rt::Buckets> sizes,
                       std::shared_ptr<Running> running = std::make_shared<Running>(nullptr))
      : ane_session(sizes->smallest(), std::move(running)) {
    buckets = std::move(sizes);
  }

  const std::vector<ane::rt::Port> &inputs() const { return buckets ? buckets->inputs() : impl->inputs(); }
  const std::vector<ane::rt::Port> &outputs() const { return buckets ? buckets->outputs() : impl->outputs(); }
  /// Calls `visit` with the executors that there are, of buckets those of all sizes, until it returns true.
  template <typename Visit>
  bool anyExecutor(Visit &&visit) const {
    if (!buckets)
      return visit(*impl);
    return std::any_of(buckets->all().begin(), buckets->all().end(),
                       [&](const auto &executor) { return executor && visit(*executor); });
  }
  /// What comes before each run, on the caller's thread; from then on the session runs, unless there is an error.
  absl::Status begin();
  absl::Status run() { return buckets ? buckets->run() : impl->run(); }

  std::shared_ptr<ane::rt::Executor> impl;   ///< of buckets: the one that ran last
  std::unique_ptr<ane::rt::Buckets> buckets; ///< null: of one function
  /// Ends whatever `impl` and `buckets` run: ane_session_cancel sets it on any thread.
  const std::shared_ptr<std::atomic<bool>> cancelled = impl->cancelFlag();
  bool ran = false;
  std::shared_ptr<Running> running; ///< of the sessions that share states
  std::unique_ptr<ane::rt::Runner> runner;
};

namespace ane::rt::api {

ane_status *toStatus(const absl::Status &status);
ane_status *invalid(const std::string &message);
/// For when there is no memory for a status either; never freed.
ane_status *outOfMemory();

ane_dtype toDtype(ElementType type);
/// What ane.h says of a tensor; the pointers are those of the arguments.
ane_tensor_info infoOf(const std::string &name, const manifest::TensorType &type);

/// Sets `index` to the place of `name` in `names`, of inputs, outputs or states; NotFound lists them.
ane_status *findName(const std::vector<std::string> &names, const char *kind, const char *name, size_t *index);

/// A session of what could be made; further arguments are those of ane_session().
template <typename Function, typename... Rest>
ane_status *makeSession(absl::StatusOr<std::unique_ptr<Function>> made, ane_session **session, Rest &&...rest) {
  if (made.ok())
    *session = new ane_session(std::move(*made), std::forward<Rest>(rest)...);
  return toStatus(made.status());
}

/// No C++ exception leaves the library; those that can still occur inside are
/// failures of the standard library, as a rule to allocate.
template <typename Fn>
ane_status *guarded(Fn &&fn) noexcept {
  try {
    try {
      return fn();
    } catch (const std::bad_alloc &) {
      return outOfMemory();
    } catch (const std::exception &error) {
      return new ane_status{ANE_INTERNAL, error.what()};
    }
  } catch (...) {
    return outOfMemory();
  }
}

/// What `fn` gives, or the status of what it throws.
template <typename Fn>
absl::Status statusOf(Fn &&fn) noexcept {
  try {
    return fn();
  } catch (const std::bad_alloc &) {
    return absl::ResourceExhaustedError("out of memory");
  } catch (const std::exception &error) {
    return absl::InternalError(error.what());
  } catch (...) {
    return absl::InternalError("an exception of unknown type");
  }
}

/// As guarded(), for a session that is there and has no run under way.
template <typename Session, typename Fn>
ane_status *withSession(Session *session, Fn &&fn) noexcept {
  return guarded([&]() -> ane_status * {
    if (!session)
      return invalid("session is NULL");
    if (*session->running)
      return new ane_status{ANE_FAILED_PRECONDITION, "a run of the session is under way; call ane_session_wait first"};
    return fn();
  });
}

/// Structs of callers. Members are only ever appended, in units of 8 bytes: what
/// is a member today was no padding at the end of an older struct.
constexpr size_t kLargestStruct = 4096;

template <typename T>
absl::Status checkSize(const char *what, size_t size) {
  static_assert(std::is_standard_layout_v<T> && sizeof(T) % 8 == 0);
  if (size >= sizeof(size_t) && size <= kLargestStruct && size % 8 == 0)
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, ": size is ", size, ", expected ", sizeof(T),
                                                 " or what a header of another version says; use ANE_..._INIT"));
}

/// What the caller knows, and 0 for the rest. What only the caller knows must be 0.
template <typename T>
absl::StatusOr<T> readStruct(const char *what, const T *given) {
  T result;
  std::memset(&result, 0, sizeof result);
  result.size = sizeof result;
  if (!given)
    return result;
  if (absl::Status status = checkSize<T>(what, given->size); !status.ok())
    return status;
  auto *bytes = reinterpret_cast<const unsigned char *>(given);
  for (size_t i = sizeof(T); i < given->size; ++i)
    if (bytes[i] != 0)
      return absl::InvalidArgumentError(absl::StrCat(what, ": byte ", i, " is set, which libanemone ", ANE_VERSION,
                                                     " does not know; it needs the library of the header"));
  std::memcpy(&result, given, std::min(given->size, sizeof(T)));
  return result;
}

/// Sets what the caller knows of `value`, and 0 beyond it.
template <typename T>
ane_status *fillStruct(const char *what, const T &value, T *out) {
  if (!out)
    return invalid(absl::StrCat(what, " is NULL"));
  size_t size = out->size;
  if (absl::Status status = checkSize<T>(what, size); !status.ok())
    return toStatus(status);
  std::memset(static_cast<void *>(out), 0, size);
  std::memcpy(static_cast<void *>(out), &value, std::min(size, sizeof(T)));
  out->size = size;
  return nullptr;
}

inline uint64_t known(std::optional<int64_t> value) { return value ? static_cast<uint64_t>(*value) : ANE_UNKNOWN; }

/// The context that NULL stands for is the process's.
inline std::shared_ptr<Context> contextOf(const ane_context *context) {
  return context ? context->impl : Context::process();
}

} // namespace ane::rt::api
#endif // ANE_RUNTIME_API_HANDLES_H
