//===- ShapeAlgebraTest.cpp - axes, shapes and strided views --------------===//
//
// Views against what they mean, element by element.
//
//===----------------------------------------------------------------------===//

#include "ane/IR/ShapeAlgebra.h"
#include "llvm/ADT/Sequence.h"
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace mlir::ane;

using Shape = SmallVector<int64_t>;

/// The tensor's elements in the order of the view.
static std::vector<int64_t> read(const StridedView &view) {
  std::vector<int64_t> elements;
  for (int64_t i = 0; i < view.numElements(); ++i)
    elements.push_back(view.at(i));
  return elements;
}

/// All indices of a shape, row-major.
static std::vector<Shape> indices(ArrayRef<int64_t> shape) {
  std::vector<Shape> all{{}};
  for (int64_t size : shape) {
    std::vector<Shape> longer;
    for (const Shape &index : all)
      for (int64_t i = 0; i < size; ++i) {
        longer.push_back(index);
        longer.back().push_back(i);
      }
    all = std::move(longer);
  }
  return all;
}

TEST(ShapeAlgebra, Axes) {
  EXPECT_EQ(axisFromFront(-1, 3), 2);
  EXPECT_EQ(axisFromFront(0, 3), 0);
  EXPECT_EQ(axisFromFront(3, 3), std::nullopt);
  EXPECT_EQ(axisFromFront(-4, 3), std::nullopt);
  EXPECT_EQ(axisFromFront(0, 0), std::nullopt);
  EXPECT_EQ(*normalizeAxes(std::nullopt, std::nullopt, 3), (Shape{0, 1, 2}));
  EXPECT_EQ(*normalizeAxes(std::nullopt, ArrayRef<int64_t>{}, 3), Shape());
  EXPECT_EQ(*normalizeAxes(std::nullopt, ArrayRef<int64_t>{-1, 0}, 3), (Shape{2, 0}));
  EXPECT_TRUE(failed(normalizeAxes(std::nullopt, ArrayRef<int64_t>{-1, 2}, 3)));
}

/// As Python's slice.indices says.
TEST(ShapeAlgebra, Bounds) {
  EXPECT_EQ(clampBound(INT64_MAX, 1, 5), 5);
  EXPECT_EQ(clampBound(INT64_MIN, 1, 5), 0);
  EXPECT_EQ(clampBound(INT64_MAX, -1, 5), 4);
  EXPECT_EQ(clampBound(INT64_MIN, -1, 5), -1);
  EXPECT_EQ(clampBound(-2, 1, 5), 3);
  EXPECT_EQ(clampBound(3, 1, 0), 0);
  EXPECT_EQ(clampBound(3, -1, 0), -1);
}

TEST(ShapeAlgebra, Shapes) {
  EXPECT_EQ(numElements({}), 1);
  EXPECT_EQ(numElements({int64_t(1) << 40, int64_t(1) << 40}), INT64_MAX);
  EXPECT_EQ(numElements({int64_t(1) << 40, int64_t(1) << 40, 0}), 0);
  EXPECT_EQ(resolveReshape({-1, 4}, 12), Shape({3, 4}));
  EXPECT_EQ(resolveReshape({}, 1), Shape());
  EXPECT_EQ(resolveReshape({0, 7}, 0), Shape({0, 7}));
  for (Shape wrong :
       {Shape{-1, -1}, Shape{5, -1}, Shape{0, -1}, Shape{-2, -6}, Shape{3, 5}, Shape{INT64_MAX, INT64_MAX}})
    EXPECT_EQ(resolveReshape(wrong, 12), std::nullopt) << wrong[0];
  EXPECT_EQ(resolveReshape({0, -1}, 0), std::nullopt);
  EXPECT_EQ(flattenedAt({2, 3, 4}, 0), Shape({1, 24}));
  EXPECT_EQ(flattenedAt({2, 3, 4}, 3), Shape({24, 1}));
}

TEST(ShapeAlgebra, Movements) {
  StridedView x = StridedView::dense({3, 4});
  EXPECT_EQ(read(x), (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(x.at(ArrayRef<int64_t>{2, 1}), 9);
  EXPECT_EQ(read(x.transpose({1, 0})), (std::vector<int64_t>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
  EXPECT_EQ(read(x.reverse({0})), (std::vector<int64_t>{8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3}));
  EXPECT_EQ(read(x.slice({{2, 2, -2}, {1, 2}})), (std::vector<int64_t>{9, 10, 1, 2}));
  StridedView row = x.slice({{1, 1, 1, /*drop=*/true}, {0, 4}});
  EXPECT_EQ(row.shape, Shape({4}));
  EXPECT_EQ(read(row), (std::vector<int64_t>{4, 5, 6, 7}));
  StridedView windows = row.windows(0, 3, 1);
  EXPECT_EQ(windows.shape, Shape({2, 3}));
  EXPECT_EQ(read(windows), (std::vector<int64_t>{4, 5, 6, 5, 6, 7}));
  EXPECT_EQ(read(*row.broadcast({2, 4})), (std::vector<int64_t>{4, 5, 6, 7, 4, 5, 6, 7}));
  EXPECT_FALSE(row.broadcast({2, 8}));
  EXPECT_EQ(read(*StridedView::dense({}).broadcast({3})), (std::vector<int64_t>{0, 0, 0}));
}

/// A reshape either keeps every element at its place, or is nothing; of a dense tensor it is always something.
TEST(ShapeAlgebra, Reshapes) {
  std::mt19937 random(3);
  auto pick = [&](int64_t n) { return int64_t(random() % n); };
  int kept = 0, refused = 0;
  for (int round = 0; round < 5000; ++round) {
    Shape factors;
    for (int64_t i = 0, n = pick(6); i < n; ++i)
      factors.push_back(1 + pick(3));
    auto group = [&] {
      Shape shape;
      for (int64_t factor : factors)
        if (shape.empty() || pick(2))
          shape.push_back(factor);
        else
          shape.back() *= factor;
      while (pick(4) == 0)
        shape.insert(shape.begin() + pick(shape.size() + 1), 1);
      return shape;
    };
    Shape from = group();
    if (pick(2))
      std::shuffle(factors.begin(), factors.end(), random);
    Shape to = group();
    StridedView view = StridedView::dense(from);
    ASSERT_TRUE(view.reshape(to)) << round;
    EXPECT_EQ(read(*view.reshape(to)), read(view));
    Shape perm = llvm::to_vector(llvm::seq<int64_t>(0, from.size()));
    std::shuffle(perm.begin(), perm.end(), random);
    view = view.transpose(perm);
    if (!from.empty() && pick(2))
      view = view.reverse({pick(from.size())});
    if (!from.empty() && pick(3) == 0) {
      Shape wide(view.shape);
      for (int64_t &size : wide)
        size = size == 1 && pick(2) ? 2 : size;
      view = *view.broadcast(wide);
    }
    StridedView fewest = view.collapsed();
    EXPECT_EQ(read(fewest), read(view));
    EXPECT_LE(fewest.shape.size(), std::max<size_t>(view.shape.size(), 1));
    if (view.numElements() != numElements(to))
      continue;
    std::optional<StridedView> reshaped = view.reshape(to);
    (reshaped ? kept : refused)++;
    if (!reshaped)
      continue;
    EXPECT_EQ(reshaped->shape, to);
    ASSERT_EQ(read(*reshaped), read(view)) << round;
    // What `at` says of an index is what it says of the index's place.
    int64_t place = 0;
    for (const Shape &index : indices(to))
      EXPECT_EQ(reshaped->at(index), reshaped->at(place++));
  }
  EXPECT_GT(kept, 200);
  EXPECT_GT(refused, 200);
}

/// Strides say a reshape exactly where there are some: tried against all.
TEST(ShapeAlgebra, RefusesOnlyWhatHasNoStrides) {
  StridedView x = StridedView::dense({2, 3, 4}).transpose({1, 0, 2}); // [3, 2, 4], strides [4, 12, 1]
  EXPECT_TRUE(x.reshape({3, 2, 2, 2}));
  EXPECT_TRUE(x.reshape({3, 1, 2, 4, 1}));
  EXPECT_FALSE(x.reshape({6, 4}));
  EXPECT_FALSE(x.reshape({3, 8}));
  EXPECT_FALSE(x.reshape({2, 3, 4}));
  EXPECT_FALSE(x.reshape({3, 2, 5}));
  EXPECT_TRUE(StridedView::dense({0, 3}).transpose({1, 0}).reshape({5, 0}));
}
