#include "runtime/format/manifest/manifest.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace ane::rt::manifest;
namespace fs = std::filesystem;

namespace {

/// Seeds of the fuzzers are of this schema: others end at its number.
TEST(Corpus, IsRead) {
  int seeds = 0;
  for (const char *folder : {"manifest", "executor"})
    for (const auto &entry : fs::directory_iterator(fs::path(ANE_FUZZ_CORPORA) / folder)) {
      if (entry.path().filename() == "not_utf8.json")
        continue;
      std::ifstream file(entry.path());
      auto parsed = parse(std::string(std::istreambuf_iterator<char>(file), {}));
      EXPECT_TRUE(parsed.ok()) << entry.path() << ": " << parsed.status();
      ++seeds;
    }
  EXPECT_GT(seeds, 10);
}

} // namespace
