//===- program_desc.cpp - A program and the surfaces of its functions -----===//
#include "runtime/format/mil/program_desc.h"

namespace ane::rt {
namespace {

/// What rows of an engine's surface begin at multiples of (ane-programming.md 2.3).
constexpr int64_t kRowBytes = 64;

} // namespace

int64_t surfaceRows(const std::vector<int64_t> &shape) {
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < shape.size(); ++i)
    rows *= shape[i];
  return rows;
}

int64_t surfaceRowBytes(ElementType type, const std::vector<int64_t> &shape) {
  return byteWidth(type) * (shape.empty() ? 1 : shape.back());
}

SurfaceDesc makeSurfaceDesc(std::string name, ElementType type, std::vector<int64_t> shape) {
  SurfaceDesc desc;
  desc.name = std::move(name);
  desc.type = type;
  int64_t row = surfaceRowBytes(type, shape);
  desc.rowStride = (row + kRowBytes - 1) / kRowBytes * kRowBytes;
  desc.bytes = surfaceRows(shape) * desc.rowStride;
  desc.shape = std::move(shape);
  return desc;
}

std::optional<std::string_view> weightPath(std::string_view name) {
  constexpr std::string_view kPrefix = "@model_path/";
  if (name.substr(0, kPrefix.size()) != kPrefix)
    return std::nullopt;
  return name.substr(kPrefix.size());
}

} // namespace ane::rt
