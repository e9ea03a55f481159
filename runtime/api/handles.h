//===- handles.h - What the C API's functions share -------------*- C++ -*-===//
#ifndef ANE_RUNTIME_API_HANDLES_H
#define ANE_RUNTIME_API_HANDLES_H

#include "ane/runtime/ane.h"
#include "runtime/core/executor.h"
#include <exception>
#include <new>

struct ane_status {
  ane_code code;
  std::string message;
};

struct ane_bundle {
  std::shared_ptr<ane::rt::Bundle> impl;
  std::string device, info, host;
};

struct ane_session {
  std::unique_ptr<ane::rt::Executor> impl;
  bool ran = false;
  std::string events = {}, profile = {};
};

namespace ane::rt::api {

ane_status *toStatus(const absl::Status &status);
ane_status *invalid(const char *message);

/// For when there is no memory for a status either; never freed.
extern ane_status outOfMemory;

/// No C++ exception leaves the library; those that can still occur inside are
/// failures of the standard library, as a rule to allocate.
template <typename Fn>
ane_status *guarded(Fn &&fn) noexcept {
  try {
    try {
      return fn();
    } catch (const std::bad_alloc &) {
      return &outOfMemory;
    } catch (const std::exception &error) {
      return new ane_status{ANE_INTERNAL, error.what()};
    }
  } catch (...) {
    return &outOfMemory;
  }
}

/// Keeps a text that is made anew by each call; null without the memory for it.
template <typename Fn>
const char *guardedText(std::string &kept, Fn &&fn) noexcept {
  try {
    kept = fn();
    return kept.c_str();
  } catch (const std::exception &) {
    return nullptr;
  }
}

ane_dtype toDtype(ElementType type);
/// What ane.h says of a tensor; the pointers are those of the arguments.
ane_tensor_info infoOf(const std::string &name, const manifest::TensorType &type);

} // namespace ane::rt::api

#endif // ANE_RUNTIME_API_HANDLES_H
