//===- ConstantRows.cpp - rows of constant elements -----------------------===//

#include "ConstantRows.h"
#include "ElementMeaning.h"
#include "ane/IR/ConstantEval.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::ane;

template <typename T>
static T at(const char *data, int64_t i) {
  T value;
  std::memcpy(&value, data + i * sizeof(T), sizeof(T));
  return value;
}

template <typename T, typename Number>
static void loadAs(const char *data, int64_t first, int64_t step, MutableArrayRef<Number> values) {
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = Number(at<T>(data, first + int64_t(i) * step));
}

/// Of integers.
template <typename Number>
static void loadIntegers(const char *data, Type type, int64_t first, int64_t step, MutableArrayRef<Number> values) {
  bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
  if (unsigned width = type.getIntOrFloatBitWidth(); width < 8 && width > 1) {
    loadAs<uint8_t>(data, first, step, values);
    if (!isUnsigned)
      for (Number &value : values)
        if (value >= 1 << (width - 1))
          value -= 1 << width;
    return;
  }
  switch (elementBytes(type)) {
  case 1:
    return isUnsigned ? loadAs<uint8_t>(data, first, step, values) : loadAs<int8_t>(data, first, step, values);
  case 2:
    return isUnsigned ? loadAs<uint16_t>(data, first, step, values) : loadAs<int16_t>(data, first, step, values);
  case 4:
    return isUnsigned ? loadAs<uint32_t>(data, first, step, values) : loadAs<int32_t>(data, first, step, values);
  default:
    return isUnsigned ? loadAs<uint64_t>(data, first, step, values) : loadAs<int64_t>(data, first, step, values);
  }
}

void mlir::ane::loadRow(const char *data, Type type, int64_t first, int64_t step, MutableArrayRef<double> values) {
  if (type.isF32())
    return loadAs<float>(data, first, step, values);
  if (type.isF64())
    return loadAs<double>(data, first, step, values);
  if (type.isF16())
    return loadAs<_Float16>(data, first, step, values);
  if (auto floating = dyn_cast<FloatType>(type)) {
    unsigned width = floating.getWidth();
    for (size_t i = 0; i < values.size(); ++i) {
      int64_t from = first + int64_t(i) * step;
      uint64_t bits = width == 8 ? at<uint8_t>(data, from) : at<uint16_t>(data, from);
      values[i] = APFloat(floating.getFloatSemantics(), APInt(width, bits)).convertToDouble();
    }
    return;
  }
  loadIntegers(data, type, first, step, values);
}

template <typename T, typename Number, typename Convert>
static void storeAs(char *data, int64_t first, ArrayRef<Number> values, Convert convert) {
  for (size_t i = 0; i < values.size(); ++i) {
    T element = convert(values[i]);
    std::memcpy(data + (first + i) * sizeof(T), &element, sizeof(T));
  }
}

template <typename Number>
static void storeIntegers(char *data, Type type, int64_t first, ArrayRef<Number> values) {
  auto convert = [&](Number value) { return integerOf(value, type); };
  if (unsigned width = type.getIntOrFloatBitWidth(); width < 8)
    return storeAs<uint8_t>(data, first, values, [&](Number value) { return convert(value) & ((1 << width) - 1); });
  switch (elementBytes(type)) {
  case 1:
    return storeAs<uint8_t>(data, first, values, convert);
  case 2:
    return storeAs<uint16_t>(data, first, values, convert);
  case 4:
    return storeAs<uint32_t>(data, first, values, convert);
  default:
    return storeAs<int64_t>(data, first, values, convert);
  }
}

void mlir::ane::storeRow(char *data, Type type, int64_t first, ArrayRef<double> values) {
  if (type.isF32())
    return storeAs<float>(data, first, values, [](double value) { return float(value); });
  if (type.isF64())
    return storeAs<double>(data, first, values, [](double value) { return value; });
  if (type.isF16())
    return storeAs<_Float16>(data, first, values, [](double value) { return _Float16(value); });
  if (auto floating = dyn_cast<FloatType>(type)) {
    auto bits = [&](double value) {
      APFloat converted(value);
      bool lossy;
      converted.convert(floating.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lossy);
      return converted.bitcastToAPInt().getZExtValue();
    };
    return floating.getWidth() == 8 ? storeAs<uint8_t>(data, first, values, bits)
                                    : storeAs<uint16_t>(data, first, values, bits);
  }
  storeIntegers(data, type, first, values);
}

RankedTensorType mlir::ane::unrounded(RankedTensorType type) {
  Type element = type.getElementType();
  bool isHalf = element.isF16() || element.isBF16();
  return isHalf ? type.clone(Float32Type::get(type.getContext())) : type;
}

void mlir::ane::castIntegers(const char *source, Type from, char *target, Type to, int64_t count) {
  std::vector<int64_t> values(count);
  loadIntegers<int64_t>(source, from, 0, 1, values);
  auto floating = dyn_cast<FloatType>(to);
  if (!floating)
    return storeIntegers<int64_t>(target, to, 0, values);
  for (int64_t i = 0; i < count; ++i)
    storeRow(target, to, i, floatOf(values[i], from, floating));
}

namespace {
/// Integer arithmetic on the bits, without a branch: weights are hundreds of megabytes, and baseline x86-64 converts
/// through a library call an element.
[[gnu::always_inline]] inline void narrow(const char *source, float overflow, MutableArrayRef<uint16_t> halves) {
  constexpr uint32_t infinity = 0x7f800000, tooLarge = 0x477ff000, smallestNormal = 0x38800000, half = 0x3f000000;
  uint32_t most = uint32_t(llvm::bit_cast<uint16_t>(_Float16(overflow)));
  for (size_t i = 0; i < halves.size(); ++i) {
    uint32_t bits = at<uint32_t>(source, i), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    // The exponent's bias falls by 112; the sum rounds, with ties to the even mantissa.
    uint32_t normal = (size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13;
    // Beside 0.5 the last bit of a float is the smallest fp16 number: the addition rounds.
    uint32_t subnormal = llvm::bit_cast<uint32_t>(llvm::bit_cast<float>(size) + 0.5f) - half;
    uint32_t result = size < smallestNormal ? subnormal : normal;
    result = size >= tooLarge ? most : result;
    result = size > infinity ? 0x7e00 : result;
    halves[i] = uint16_t(result | sign);
  }
}

#if defined(__x86_64__)
/// The same bits, eight at a time.
__attribute__((target("avx2"))) void narrowAvx2(const char *source, float overflow, MutableArrayRef<uint16_t> halves) {
  narrow(source, overflow, halves);
}
#endif
} // namespace

void mlir::ane::narrowRow(const char *source, float overflow, MutableArrayRef<uint16_t> halves) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2"))
    return narrowAvx2(source, overflow, halves);
#endif
  narrow(source, overflow, halves);
}
