//===- transpose.cpp - Transposition of strided matrices ------------------===//
#include "runtime/support/transpose.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ane::rt {
namespace {

/// A register of 16 bytes, which SSE2 and NEON have alike.
template <typename T>
struct Lanes {
  static constexpr int64_t kCount = 16 / sizeof(T);
  typedef T Vector __attribute__((vector_size(16)));
  using Indices = std::make_integer_sequence<int, kCount>;

  /// a[first], b[first], a[first + 1], b[first + 1], ...
  template <int first, int... i>
  static Vector zip(Vector a, Vector b, std::integer_sequence<int, i...>) {
    return __builtin_shufflevector(a, b, (first + i / 2 + (i % 2 ? kCount : 0))...);
  }
};

/// As many rows and columns as a register has elements: each round puts rows side by side that were half the block
/// apart.
template <typename T>
inline void transposeBlock(const T *from, int64_t fromStride, T *to, int64_t toStride) {
  using L = Lanes<T>;
  constexpr int64_t n = L::kCount;
  typename L::Vector a[n], b[n];
  for (int64_t i = 0; i < n; ++i)
    std::memcpy(&a[i], from + i * fromStride, sizeof a[i]);
  for (int64_t round = 1; round < n; round *= 2) {
    for (int64_t i = 0; i < n / 2; ++i) {
      b[2 * i] = L::template zip<0>(a[i], a[i + n / 2], typename L::Indices());
      b[2 * i + 1] = L::template zip<n / 2>(a[i], a[i + n / 2], typename L::Indices());
    }
    std::copy(b, b + n, a);
  }
  for (int64_t i = 0; i < n; ++i)
    std::memcpy(to + i * toStride, &a[i], sizeof a[i]);
}

/// What is read and written in turn fits into the first cache, lines of which are used whole.
template <typename T>
void transposeMatrix(const T *from, int64_t fromStride, T *to, int64_t toStride, int64_t rows, int64_t columns) {
  constexpr int64_t n = Lanes<T>::kCount, kTile = 64 / sizeof(T);
  const int64_t wholeRows = rows - rows % n, wholeColumns = columns - columns % n;
  for (int64_t r0 = 0; r0 < wholeRows; r0 += kTile)
    for (int64_t c0 = 0; c0 < wholeColumns; c0 += kTile)
      for (int64_t c = c0; c < std::min(c0 + kTile, wholeColumns); c += n)
        for (int64_t r = r0; r < std::min(r0 + kTile, wholeRows); r += n)
          transposeBlock(from + r * fromStride + c, fromStride, to + c * toStride + r, toStride);
  auto singly = [&](int64_t firstRow, int64_t lastRow, int64_t firstColumn, int64_t lastColumn) {
    for (int64_t c = firstColumn; c < lastColumn; ++c)
      for (int64_t r = firstRow; r < lastRow; ++r)
        to[c * toStride + r] = from[r * fromStride + c];
  };
  singly(0, wholeRows, wholeColumns, columns);
  singly(wholeRows, rows, 0, columns);
}

} // namespace

void transpose(const void *from, int64_t fromStride, void *to, int64_t toStride, int64_t rows, int64_t columns,
               int64_t width) {
  auto typed = [&](auto element) {
    using T = decltype(element);
    transposeMatrix(static_cast<const T *>(from), fromStride, static_cast<T *>(to), toStride, rows, columns);
  };
  switch (width) {
  case 1:
    return typed(uint8_t());
  case 2:
    return typed(uint16_t());
  case 4:
    return typed(uint32_t());
  default:
    return typed(uint64_t());
  }
}

} // namespace ane::rt
