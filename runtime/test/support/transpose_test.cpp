//===- transpose_test.cpp - Transposition of strided matrices -------------===//
#include "runtime/support/transpose.h"

#include <gtest/gtest.h>

#include <vector>

namespace ane::rt {
namespace {

/// Sizes around those of a block and of a tile; what is between rows stays as it is.
template <typename T>
void check() {
  const std::vector<int64_t> sizes = {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 100};
  for (int64_t rows : sizes)
    for (int64_t columns : sizes) {
      const int64_t fromStride = columns + 3, toStride = rows + 1;
      std::vector<T> from(static_cast<size_t>(rows * fromStride)), to(static_cast<size_t>(columns * toStride), 77);
      for (size_t i = 0; i < from.size(); ++i)
        from[i] = static_cast<T>(i * 2654435761u >> 3);
      std::vector<T> wanted = to;
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < columns; ++c)
          wanted[c * toStride + r] = from[r * fromStride + c];
      transpose(from.data(), fromStride, to.data(), toStride, rows, columns, sizeof(T));
      ASSERT_EQ(to, wanted) << rows << " x " << columns;
    }
}

TEST(Transpose, OneByte) { check<uint8_t>(); }
TEST(Transpose, TwoBytes) { check<uint16_t>(); }
TEST(Transpose, FourBytes) { check<uint32_t>(); }
TEST(Transpose, EightBytes) { check<uint64_t>(); }

} // namespace
} // namespace ane::rt
