//===- RelayoutTest.cpp - the algebra against naive index computation -----===//

#include "ane/IR/Relayout.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace mlir;
using namespace mlir::ane;

namespace {

using Order = std::vector<int64_t>;

/// For each element of the result, in row-major order, its index in the source.
Order orderOf(const Relayout &layout) {
  size_t rank = layout.expand.size();
  std::vector<int64_t> strides(rank, 1);
  for (size_t i = rank - 1; i-- > 0;)
    strides[i] = strides[i + 1] * layout.expand[i + 1];
  Order order;
  std::vector<int64_t> index(rank, 0); // by result position
  for (int64_t n = layout.numElements(); n > 0; --n) {
    int64_t source = 0;
    for (size_t i = 0; i < rank; ++i)
      source += index[i] * strides[layout.perm[i]];
    order.push_back(source);
    for (size_t i = rank; i-- > 0 && ++index[i] == layout.expand[layout.perm[i]];)
      index[i] = 0;
  }
  return order;
}

Order chained(const Order &first, const Order &second) {
  Order order;
  for (int64_t i : second)
    order.push_back(first[i]);
  return order;
}

struct RelayoutTest : testing::Test {
  std::mt19937 random{20240607};

  int64_t below(int64_t bound) { return std::uniform_int_distribution<int64_t>(0, bound - 1)(random); }

  /// Row-major sizes whose product is `elements`, some of them 1.
  SmallVector<int64_t> sizes(int64_t elements) {
    SmallVector<int64_t> list;
    while (elements > 1) {
      SmallVector<int64_t> divisors;
      for (int64_t d = 1; d <= elements; ++d)
        if (elements % d == 0)
          divisors.push_back(d);
      list.push_back(divisors[below(divisors.size())]);
      elements /= list.back();
    }
    if (list.empty() || below(3) == 0)
      list.push_back(1);
    return list;
  }

  Relayout relayout(int64_t elements) {
    Relayout layout{sizes(elements), {}};
    layout.perm.resize(layout.expand.size());
    std::iota(layout.perm.begin(), layout.perm.end(), 0);
    std::shuffle(layout.perm.begin(), layout.perm.end(), random);
    return layout;
  }
};

constexpr int64_t counts[] = {1, 2, 7, 12, 24, 30, 64, 72, 120};
constexpr int rounds = 300;

/// True if each size of `shape` is a product of neighbouring `atoms`.
bool refines(ArrayRef<int64_t> atoms, ArrayRef<int64_t> shape) {
  size_t next = 0;
  for (int64_t size : shape) {
    int64_t covered = 1;
    while (covered < size && next < atoms.size())
      covered *= atoms[next++];
    if (covered != size)
      return false;
  }
  return next == atoms.size();
}

TEST_F(RelayoutTest, NormalizedMovesTheSameWithFewestAtoms) {
  for (int64_t elements : counts)
    for (int i = 0; i < rounds; ++i) {
      Relayout layout = relayout(elements), normal = layout.normalized();
      ASSERT_EQ(orderOf(normal), orderOf(layout));
      ASSERT_EQ(normal.normalized(), normal);
      ASSERT_LE(normal.expand.size(), layout.expand.size());
      for (size_t k = 1; k < normal.perm.size(); ++k)
        ASSERT_NE(normal.perm[k], normal.perm[k - 1] + 1) << "neighbours stayed apart";
      Order plain(elements);
      std::iota(plain.begin(), plain.end(), 0);
      ASSERT_EQ(layout.isReshape(), orderOf(layout) == plain);
    }
}

TEST_F(RelayoutTest, InverseUndoes) {
  for (int64_t elements : counts)
    for (int i = 0; i < rounds; ++i) {
      Relayout layout = relayout(elements);
      Order there = orderOf(layout), back = orderOf(layout.inverse());
      for (int64_t k = 0; k < elements; ++k)
        ASSERT_EQ(there[back[k]], k);
      auto both = layout.then(layout.inverse());
      ASSERT_TRUE(both);
      ASSERT_TRUE(both->isReshape());
    }
}

TEST_F(RelayoutTest, ThenIsTheChain) {
  int composed = 0, declined = 0;
  for (int64_t elements : counts)
    for (int i = 0; i < rounds; ++i) {
      Relayout first = relayout(elements), second = relayout(elements);
      auto both = first.then(second);
      ++(both ? composed : declined);
      if (both) {
        ASSERT_EQ(orderOf(*both), chained(orderOf(first), orderOf(second)));
      }
    }
  EXPECT_GT(composed, 500);
  EXPECT_GT(declined, 20);
}

TEST_F(RelayoutTest, RefinedKeepsTheMoveAndCutsAtBothShapes) {
  int refined = 0;
  for (int64_t elements : counts)
    for (int i = 0; i < rounds; ++i) {
      Relayout layout = relayout(elements);
      SmallVector<int64_t> source = sizes(elements), result = sizes(elements);
      auto fine = layout.refined(source, result);
      if (!fine)
        continue;
      ++refined;
      ASSERT_FALSE(llvm::is_contained(fine->expand, 1));
      ASSERT_TRUE(refines(fine->expand, source));
      ASSERT_TRUE(refines(fine->permuted(), result));
      if (!fine->expand.empty()) {
        ASSERT_EQ(orderOf(*fine), orderOf(layout));
      }
      // The dimension of each atom: sizes of the atoms of one dimension multiply to it.
      SmallVector<int64_t> product(source.size(), 1);
      for (auto [atom, dim] : llvm::zip_equal(fine->expand, atomDims(fine->expand, source)))
        product[dim] *= atom;
      ASSERT_EQ(product, source);
    }
  EXPECT_GT(refined, 500);
}

TEST_F(RelayoutTest, EmptyTensorsHaveNoCuts) {
  Relayout empty{{0, 4}, {1, 0}};
  EXPECT_FALSE(empty.refined({0, 4}, {4, 0}));
  EXPECT_FALSE(empty.then(empty.inverse()));
}

} // namespace
