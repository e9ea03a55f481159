//===- surface_io.cpp - Values in surfaces --------------------------------===//

#include "runtime/device/emulator/surface_io.h"

#include "absl/strings/str_cat.h"
#include "runtime/support/half.h"

#include <cstring>

namespace ane::rt::emulator {
namespace {

template <typename T>
struct Elements {
  static void read(const uint8_t *from, int32_t *to, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      T value;
      std::memcpy(&value, from + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
      to[i] = static_cast<int32_t>(value);
    }
  }
  static void write(const int32_t *from, uint8_t *to, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      T value = static_cast<T>(from[i]);
      std::memcpy(to + i * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
    }
  }
};

bool isPossible(ElementType type) {
  switch (type) {
  case ElementType::Float16:
  case ElementType::Float32:
  case ElementType::Bool:
  case ElementType::Int8:
  case ElementType::UInt8:
  case ElementType::Int16:
  case ElementType::UInt16:
  case ElementType::Int32:
  case ElementType::UInt32:
    return true;
  default:
    return false;
  }
}

void readRow(ElementType type, const uint8_t *from, void *to, int64_t count) {
  auto *ints = static_cast<int32_t *>(to);
  switch (type) {
  case ElementType::Float16:
    return widenHalf(reinterpret_cast<const uint16_t *>(from), static_cast<float *>(to), count);
  case ElementType::Bool:
    for (int64_t i = 0; i < count; ++i)
      ints[i] = from[i] != 0;
    return;
  case ElementType::Int8:
    return Elements<int8_t>::read(from, ints, count);
  case ElementType::UInt8:
    return Elements<uint8_t>::read(from, ints, count);
  case ElementType::Int16:
    return Elements<int16_t>::read(from, ints, count);
  case ElementType::UInt16:
    return Elements<uint16_t>::read(from, ints, count);
  default:
    std::memcpy(to, from, static_cast<size_t>(count) * 4);
  }
}

void writeRow(ElementType type, const void *from, uint8_t *to, int64_t count) {
  auto *ints = static_cast<const int32_t *>(from);
  switch (type) {
  case ElementType::Float16:
    return narrowToHalf(static_cast<const float *>(from), reinterpret_cast<uint16_t *>(to), count);
  case ElementType::Bool:
    for (int64_t i = 0; i < count; ++i)
      to[i] = ints[i] != 0;
    return;
  case ElementType::Int8:
    return Elements<int8_t>::write(ints, to, count);
  case ElementType::UInt8:
    return Elements<uint8_t>::write(ints, to, count);
  case ElementType::Int16:
    return Elements<int16_t>::write(ints, to, count);
  case ElementType::UInt16:
    return Elements<uint16_t>::write(ints, to, count);
  default:
    std::memcpy(to, from, static_cast<size_t>(count) * 4);
  }
}

} // namespace

absl::Status checkSurface(const SurfaceDesc &surface, const TensorType &type, const std::string &where) {
  TensorType described{surface.type, surface.shape};
  auto refuse = [&](const auto &...parts) {
    return absl::InvalidArgumentError(absl::StrCat(where, " '", surface.name, "' ", parts...));
  };
  if (described != type)
    return refuse("is ", type.str(), " in the program, but its surface is ", described.str());
  if (!isPossible(surface.type))
    return refuse("is ", type.str(), "; surfaces hold no elements of that type");
  int64_t element = byteWidth(surface.type);
  int64_t row = surfaceRowBytes(surface.type, surface.shape);
  if (surface.rowStride < row || surface.rowStride % element != 0)
    return refuse("has rows of ", row, " bytes; a row stride of ", surface.rowStride,
                  " bytes does not hold them or is no multiple of ", element);
  int64_t rows = surfaceRows(surface.shape);
  if (rows > 0 && (surface.bytes < row || (surface.bytes - row) / surface.rowStride < rows - 1))
    return refuse("needs ", rows, " rows of ", surface.rowStride, " bytes; its surface has ", surface.bytes, " bytes");
  return absl::OkStatus();
}

void readSurface(const SurfaceDesc &surface, const uint8_t *from, void *to) {
  int64_t rows = surfaceRows(surface.shape);
  int64_t width = surface.shape.empty() ? 1 : surface.shape.back();
  auto *target = static_cast<uint8_t *>(to);
  for (int64_t row = 0; row < rows; ++row)
    readRow(surface.type, from + row * surface.rowStride, target + row * width * 4, width);
}

void writeSurface(const SurfaceDesc &surface, const void *from, uint8_t *to) {
  int64_t rows = surfaceRows(surface.shape);
  int64_t width = surface.shape.empty() ? 1 : surface.shape.back();
  auto *source = static_cast<const uint8_t *>(from);
  for (int64_t row = 0; row < rows; ++row)
    writeRow(surface.type, source + row * width * 4, to + row * surface.rowStride, width);
}

} // namespace ane::rt::emulator
