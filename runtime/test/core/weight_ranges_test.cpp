#include "runtime/core/weight_ranges.h"
#include <gtest/gtest.h>
#include <tuple>

using namespace ane::rt;

namespace {

using Found = std::vector<std::tuple<std::string, int64_t, int64_t>>;

Found listOf(const WeightRanges &ranges) {
  Found found;
  for (const WeightRange &range : ranges.list())
    found.emplace_back(range.path, range.offset, range.bytes);
  return found;
}

TEST(WeightRanges, GrowTogetherWhereTheyTouch) {
  WeightRanges ranges;
  EXPECT_TRUE(ranges.empty());
  ranges.add({"b", 64, 64});
  ranges.add({"a", 256, 64});
  ranges.add({"a", 64, 64});
  EXPECT_EQ(listOf(ranges), (Found{{"a", 64, 64}, {"a", 256, 64}, {"b", 64, 64}}));
  ranges.add({"a", 128, 64}); // touches the first
  ranges.add({"a", 300, 100});
  EXPECT_EQ(listOf(ranges), (Found{{"a", 64, 128}, {"a", 256, 144}, {"b", 64, 64}}));
  ranges.add({"a", 70, 8}); // is there
  WeightRanges more;
  more.add({"a", 190, 100}); // fills the gap
  more.add({"c", 0, 1});
  ranges.add(more);
  EXPECT_EQ(listOf(ranges), (Found{{"a", 64, 336}, {"b", 64, 64}, {"c", 0, 1}}));
  ranges.add({"a", 0, 1000});
  EXPECT_EQ(listOf(ranges), (Found{{"a", 0, 1000}, {"b", 64, 64}, {"c", 0, 1}}));
}

} // namespace
