//===- annotate.h - What a status is about ----------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_CORE_ANNOTATE_H
#define ANE_RUNTIME_CORE_ANNOTATE_H

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace ane::rt {

inline absl::Status annotate(const absl::Status &status, const std::string &where) {
  return absl::Status(status.code(), absl::StrCat(where, ": ", status.message()));
}

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_ANNOTATE_H
