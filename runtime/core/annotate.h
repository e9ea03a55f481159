//===- annotate.h - What a status is about ----------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_CORE_ANNOTATE_H
#define ANE_RUNTIME_CORE_ANNOTATE_H

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"

namespace ane::rt {

/// With what the status carries beside its message (device/refusal.h).
inline absl::Status annotate(const absl::Status &status, const std::string &where) {
  absl::Status named(status.code(), absl::StrCat(where, ": ", status.message()));
  status.ForEachPayload([&](absl::string_view type, const absl::Cord &payload) { named.SetPayload(type, payload); });
  return named;
}

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_ANNOTATE_H
