//===- refusal.cpp - Why a device does not run a program ------------------===//
#include "runtime/device/refusal.h"

namespace ane::rt {

Refusal refusalOf(const absl::Status &status) {
  switch (status.code()) {
  case absl::StatusCode::kUnimplemented:
    return Refusal::Program;
  case absl::StatusCode::kFailedPrecondition:
  case absl::StatusCode::kUnavailable:
    return Refusal::Transient;
  case absl::StatusCode::kResourceExhausted:
    return Refusal::Resource;
  default:
    return Refusal::None;
  }
}

} // namespace ane::rt
