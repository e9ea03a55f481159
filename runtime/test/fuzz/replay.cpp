// Runs a fuzz target over its committed inputs, as an ordinary test.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace {

TEST(Replay, CommittedInputs) {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(ANE_FUZZ_CORPUS))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  ASSERT_FALSE(files.empty()) << "no input in " << ANE_FUZZ_CORPUS;
  for (const std::filesystem::path &path : files) {
    SCOPED_TRACE(path.string());
    std::ifstream file(path, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)),
                      std::istreambuf_iterator<char>());
    const auto *data = reinterpret_cast<const uint8_t *>(bytes.data());
    LLVMFuzzerTestOneInput(data, bytes.size());
    // Every prefix, and every byte flipped, of inputs that are small.
    if (bytes.size() > 2048)
      continue;
    for (size_t size = 0; size < bytes.size(); ++size)
      LLVMFuzzerTestOneInput(data, size);
    for (size_t i = 0; i < bytes.size(); ++i) {
      std::string mutant = bytes;
      mutant[i] = static_cast<char>(mutant[i] ^ 0x15);
      LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(mutant.data()),
                             mutant.size());
    }
  }
}

} // namespace
