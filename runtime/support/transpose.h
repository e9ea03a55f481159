//===- transpose.h - Transposition of strided matrices --------------------===//
#ifndef ANE_RUNTIME_SUPPORT_TRANSPOSE_H
#define ANE_RUNTIME_SUPPORT_TRANSPOSE_H

#include <cstdint>

namespace ane::rt {

/// to[c * toStride + r] = from[r * fromStride + c], for all r below `rows` and c below `columns`. Elements are of
/// `width` bytes, 1, 2, 4 or 8; strides count elements. The two do not overlap.
void transpose(const void *from, int64_t fromStride, void *to, int64_t toStride, int64_t rows, int64_t columns,
               int64_t width);

} // namespace ane::rt
#endif // ANE_RUNTIME_SUPPORT_TRANSPOSE_H
