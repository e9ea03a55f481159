#include "runtime/core/convert.h"
#include "runtime/core/layout.h"
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace ane::rt;
using Shape = std::vector<int64_t>;

namespace {

constexpr uint8_t kPadding = 0xA5;

int64_t bytesOf(ElementType type) { return byteWidth(type); }

/// The definition, one element at a time: where element `linear` of the
/// transposed tensor comes from.
int64_t sourceIndex(const manifest::Surface &surface, int64_t linear) {
  if (surface.expand.empty())
    return linear;
  Shape index(surface.expand.size());
  for (size_t i = surface.perm.size(); i-- > 0;) {
    int64_t axis = surface.perm[i];
    index[axis] = linear % surface.expand[axis];
    linear /= surface.expand[axis];
  }
  int64_t result = 0;
  for (size_t i = 0; i < index.size(); ++i)
    result = result * surface.expand[i] + index[i];
  return result;
}

void check(ElementType tensorType, const manifest::Surface &surface) {
  int64_t count = manifest::dataElements(surface);
  int64_t declared = surface.shape.empty() ? 1 : surface.shape.back();
  int64_t width = count / (manifest::elementCount(surface.shape) / declared);
  std::string name = "tensor ";
  for (int64_t d : surface.expand)
    name += std::to_string(d) + " ";
  name += "perm ";
  for (int64_t d : surface.perm)
    name += std::to_string(d) + " ";
  name += "surface ";
  for (int64_t d : surface.shape)
    name += std::to_string(d) + " ";
  SCOPED_TRACE(name + "stride " + std::to_string(surface.rowStride));

  // Small integers are exact in every type.
  std::vector<int32_t> values(count);
  for (int64_t i = 0; i < count; ++i)
    values[i] = static_cast<int32_t>(i * 7 % 113);
  std::vector<uint8_t> tensor(count * bytesOf(tensorType));
  convertElements(values.data(), ElementType::Int32, tensor.data(), tensorType, count);
  std::vector<uint8_t> expected(surface.bytes, kPadding);
  for (int64_t i = 0; i < count; ++i)
    convertElements(tensor.data() + sourceIndex(surface, i) * bytesOf(tensorType), tensorType,
                    expected.data() + i / width * surface.rowStride + i % width * bytesOf(surface.dtype), surface.dtype,
                    1);

  SurfaceLayout layout(tensorType, surface);
  std::vector<uint8_t> actual(surface.bytes, kPadding);
  layout.toSurface(tensor.data(), actual.data());
  ASSERT_EQ(actual, expected);
  std::vector<uint8_t> back(tensor.size(), kPadding);
  layout.fromSurface(actual.data(), back.data());
  ASSERT_EQ(back, tensor);

  // Entry by entry, of each axis of the tensor, and of what two axes make together.
  Shape shape = surface.expand.empty() ? surface.shape : surface.expand, merged = shape;
  if (merged.size() > 1) {
    merged[1] *= merged[0];
    merged.erase(merged.begin());
  }
  for (const Shape &axes : {shape, merged}) {
    SurfaceLayout layout(tensorType, surface); // entries are of one shape
    for (size_t axis = 0; axis < axes.size() && count == manifest::elementCount(axes); ++axis) {
      if (!layout.prepareEntries(axes, static_cast<int64_t>(axis)))
        continue;
      std::vector<uint8_t> entries(surface.bytes, kPadding);
      for (int64_t first = 0; first < axes[axis]; first += 2)
        layout.entriesToSurface(axis, first, std::min<int64_t>(2, axes[axis] - first), tensor.data(), entries.data());
      ASSERT_EQ(entries, expected) << "axis " << axis;
      std::fill(entries.begin(), entries.end(), kPadding);
      layout.entriesToSurface(axis, axes[axis] / 2, 1, tensor.data(), entries.data());
      int64_t changed = 0;
      for (int64_t i = 0; i < surface.bytes; ++i)
        changed += entries[i] != kPadding;
      ASSERT_LE(changed, count / axes[axis] * bytesOf(surface.dtype)) << "axis " << axis;
    }
  }
}

manifest::Surface makeSurface(ElementType type, Shape shape, Shape expand, Shape perm, int64_t extraElements) {
  manifest::Surface surface{"x", type, shape, 0, 0, expand, perm};
  int64_t width = shape.empty() ? 1 : shape.back();
  surface.rowStride = (width + extraElements) * bytesOf(type);
  surface.bytes = manifest::elementCount(shape) / width * surface.rowStride + extraElements;
  return surface;
}

TEST(Layout, Scalar) {
  check(ElementType::Float32, makeSurface(ElementType::Float16, {}, {}, {}, 31));
  check(ElementType::Float32, makeSurface(ElementType::Float16, {1, 1, 1, 1}, {}, {}, 31));
}

TEST(Layout, SameOrder) {
  check(ElementType::Float32, makeSurface(ElementType::Float16, {1, 3, 1, 50}, {}, {}, 14));
  check(ElementType::Float32, makeSurface(ElementType::Float16, {1, 3, 1, 64}, {}, {}, 0));
}

// The encoder's case: [batch, sequence, channels] to [1, C, 1, S].
TEST(Layout, ChannelsFirst) {
  check(ElementType::Float32, makeSurface(ElementType::Float16, {1, 70, 1, 45}, {1, 45, 70}, {0, 2, 1}, 19));
  check(ElementType::Float32, makeSurface(ElementType::Float16, {1, 384, 1, 128}, {1, 128, 384}, {0, 2, 1}, 0));
}

TEST(Layout, RowsWiderThanTheData) {
  // 45 elements in rows that the program declares as 64.
  check(ElementType::Float32, makeSurface(ElementType::Float16, {1, 70, 1, 64}, {1, 45, 70}, {0, 2, 1}, 0));
  check(ElementType::Float32, makeSurface(ElementType::Float16, {1, 8, 1, 32}, {6, 4}, {1, 0}, 3));
}

TEST(Layout, OneElementRows) {
  check(ElementType::Float32, makeSurface(ElementType::Float16, {1, 33, 1, 1}, {}, {}, 31));
}

// A row ends in the middle of a dimension of the transposed tensor.
TEST(Layout, RowsThatCutDimensions) {
  for (int64_t extra : {0, 5})
    check(ElementType::Float32, makeSurface(ElementType::Float16, {1, 8, 1, 3}, {6, 4}, {1, 0}, extra));
}

TEST(Layout, RandomShapesAndPermutations) {
  std::mt19937 random(7);
  const ElementType types[] = {ElementType::Float32, ElementType::Float16, ElementType::Int64,
                               ElementType::Int32,   ElementType::Int8,    ElementType::Float64};
  auto pick = [&](auto &items) { return items[random() % (sizeof(items) / sizeof(items[0]))]; };
  const int64_t sizes[] = {1, 1, 2, 3, 4, 5, 7, 8, 16, 33};
  for (int trial = 0; trial < 1500; ++trial) {
    Shape expand;
    int64_t count = 1;
    for (size_t rank = random() % 6; expand.size() < rank;) {
      expand.push_back(pick(sizes));
      count *= expand.back();
    }
    if (count > 20000)
      continue;
    Shape perm(expand.size());
    std::iota(perm.begin(), perm.end(), 0);
    std::shuffle(perm.begin(), perm.end(), random);
    // The surface keeps the transposed shape, or takes any other factoring.
    Shape shape;
    if (random() % 2) {
      for (int64_t axis : perm)
        shape.push_back(expand[axis]);
    } else {
      for (int64_t rest = count; rest > 1;) {
        int64_t factor = 1 + random() % rest;
        while (rest % factor != 0)
          --factor;
        shape.push_back(factor == 1 ? rest : factor);
        rest /= shape.back();
      }
    }
    int64_t extra = random() % 3 ? random() % 20 : 0;
    check(pick(types), makeSurface(pick(types), shape, expand, perm, extra));
    if (HasFatalFailure())
      return;
  }
}

} // namespace
