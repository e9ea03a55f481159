//===- refusal.cpp - Why a device does not run a program ------------------===//
#include "runtime/device/refusal.h"

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace ane::rt {
namespace {

/// Statuses carry these beside their message.
constexpr char kWait[] = "anemone/wait-ms", kCode[] = "anemone/code";

absl::StatusCode codeFor(Refusal kind) {
  switch (kind) {
  case Refusal::None:
    return absl::StatusCode::kOk;
  case Refusal::Program:
    return absl::StatusCode::kUnimplemented;
  case Refusal::Transient:
    return absl::StatusCode::kUnavailable;
  case Refusal::Resource:
    return absl::StatusCode::kResourceExhausted;
  case Refusal::Gone:
    break;
  }
  return absl::StatusCode::kAborted;
}

std::string payload(const absl::Status &status, const char *name) {
  const auto found = status.GetPayload(name);
  return found ? std::string(*found) : "";
}

} // namespace

absl::Status refuse(Refusal kind, std::string message, std::string code, std::chrono::milliseconds wait) {
  absl::Status status(codeFor(kind), message);
  if (!code.empty())
    status.SetPayload(kCode, absl::Cord(absl::string_view(code)));
  if (wait.count() > 0)
    status.SetPayload(kWait, absl::Cord(absl::string_view(absl::StrCat(wait.count()))));
  return status;
}

Refusal refusalOf(const absl::Status &status) {
  switch (status.code()) {
  case absl::StatusCode::kOk:
  case absl::StatusCode::kInvalidArgument:
  case absl::StatusCode::kNotFound:
  case absl::StatusCode::kDataLoss:
  case absl::StatusCode::kCancelled:
    return Refusal::None;
  case absl::StatusCode::kFailedPrecondition:
  case absl::StatusCode::kUnavailable:
    return Refusal::Transient;
  case absl::StatusCode::kResourceExhausted:
    return Refusal::Resource;
  case absl::StatusCode::kAborted:
    return Refusal::Gone;
  default:
    return Refusal::Program;
  }
}

const char *nameOf(Refusal kind) {
  switch (kind) {
  case Refusal::None:
    return "none";
  case Refusal::Program:
    return "program";
  case Refusal::Transient:
    return "transient";
  case Refusal::Resource:
    return "resource";
  case Refusal::Gone:
    return "gone";
  }
  return "";
}

bool mayPass(Refusal kind) { return kind == Refusal::Transient || kind == Refusal::Resource || kind == Refusal::Gone; }

std::chrono::milliseconds waitOf(const absl::Status &status) {
  int64_t wait = 0;
  return std::chrono::milliseconds(absl::SimpleAtoi(payload(status, kWait), &wait) ? wait : 0);
}

std::string codeOf(const absl::Status &status) { return payload(status, kCode); }

} // namespace ane::rt
