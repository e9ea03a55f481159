//===- checks.cpp - What values of a run must be --------------------------===//
#include "runtime/core/checks.h"
#include "absl/strings/str_cat.h"
#include "runtime/core/convert.h"
#include <algorithm>

namespace ane::rt {
namespace {

/// Calls `look(index, element)` until that is false.
template <typename Look>
void forEachInteger(const manifest::TensorType &type, const void *data, Look look) {
  constexpr int64_t chunk = 256;
  int64_t values[chunk], count = manifest::elementCount(type.shape);
  auto *bytes = static_cast<const uint8_t *>(data);
  for (int64_t first = 0; first < count; first += chunk) {
    int64_t size = std::min(chunk, count - first);
    convertElements(bytes + first * byteWidth(type.dtype), type.dtype, values, ElementType::Int64, size);
    for (int64_t i = 0; i < size; ++i)
      if (!look(first + i, values[i]))
        return;
  }
}

/// "3, 9, -2", at most the first eight.
std::string listOf(const manifest::TensorType &type, const void *data) {
  std::string list;
  forEachInteger(type, data, [&](int64_t i, int64_t value) {
    absl::StrAppend(&list, i == 0 ? "" : ", ", i == 8 ? "..." : absl::StrCat(value));
    return i < 8;
  });
  return list;
}

} // namespace

/// Gathers clamp their indices: a wrong one would give a plausible answer.
absl::Status checkIndices(const manifest::Port &port, const manifest::TensorType &type, const void *data) {
  absl::Status status;
  if (!port.reader.empty())
    forEachInteger(type, data, [&](int64_t i, int64_t value) {
      if (value < port.min || value > port.max)
        status = absl::InvalidArgumentError(absl::StrCat("input ", port.name, ": element ", i, " is ", value,
                                                         ", must be from ", port.min, " to ", port.max,
                                                         " as an index of node '", port.reader, "'"));
      return status.ok();
    });
  return status;
}

absl::Status checkValue(const manifest::Check &check, const manifest::TensorType &type, const void *data) {
  bool holds = true;
  int64_t sum = 0;
  forEachInteger(type, data, [&](int64_t, int64_t value) {
    holds = value >= check.min && value <= check.max && !__builtin_add_overflow(sum, value, &sum);
    return holds;
  });
  if (holds && (!check.total || sum == *check.total))
    return absl::OkStatus();
  std::string message =
      absl::StrCat(check.subject, ": is ", listOf(type, data), ", must be from ", check.min, " to ", check.max);
  if (check.total)
    absl::StrAppend(&message, " each, and ", *check.total, " together");
  return absl::InvalidArgumentError(message);
}

} // namespace ane::rt
