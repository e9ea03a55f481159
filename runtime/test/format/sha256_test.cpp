#include "runtime/support/sha256.h"
#include <gtest/gtest.h>

using ane::rt::Sha256;

namespace {

std::string hash(const std::string &text, size_t piece = SIZE_MAX) {
  Sha256 sha;
  for (size_t i = 0; i < text.size(); i += std::min(piece, text.size() - i))
    sha.update(text.data() + i, std::min(piece, text.size() - i));
  return sha.finish();
}

// Vectors of FIPS 180-4's examples.
TEST(Sha256, KnownVectors) {
  EXPECT_EQ(hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7"
                      "852b855");
  EXPECT_EQ(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff6"
                         "1f20015ad");
  EXPECT_EQ(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hash(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesDoNotMatter) {
  for (size_t size : {1, 55, 56, 57, 63, 64, 65, 119, 120, 121, 128, 1000}) {
    std::string text;
    for (size_t i = 0; i < size; ++i)
      text += char(i * 7);
    for (size_t piece : {1, 3, 63, 64, 65})
      EXPECT_EQ(hash(text, piece), hash(text)) << size << " in " << piece;
  }
}

} // namespace
