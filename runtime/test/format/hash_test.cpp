#include "runtime/support/hash.h"
#include <gtest/gtest.h>

using ane::rt::Hash;

namespace {

std::string hash(const std::string &text, size_t piece = SIZE_MAX) {
  Hash hash;
  for (size_t i = 0; i < text.size(); i += std::min(piece, text.size() - i))
    hash.update(text.data() + i, std::min(piece, text.size() - i));
  return hash.digest();
}

// What xxh128sum prints for files of these contents.
TEST(Hash, KnownValues) {
  EXPECT_EQ(hash(""), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(hash("abc"), "06b05ab6733a618578af5f94892f3950");
  EXPECT_EQ(hash(std::string(1000000, 'a')), "a545df8e384a9579b1fd6fae5285c4eb");
}

TEST(Hash, PiecesDoNotMatter) {
  for (size_t size : {1, 16, 17, 128, 129, 240, 241, 255, 256, 257, 1000, 5000}) {
    std::string text;
    for (size_t i = 0; i < size; ++i)
      text += char(i * 7);
    for (size_t piece : {1, 3, 63, 64, 65, 256})
      EXPECT_EQ(hash(text, piece), hash(text)) << size << " in " << piece;
  }
}

} // namespace
