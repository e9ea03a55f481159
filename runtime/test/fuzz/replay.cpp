// Runs a fuzz target over its committed inputs, as an ordinary test: as they
// are, every prefix, every byte flipped, and fixed pseudo-random edits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace {

void run(const char *data, size_t size) {
  // An allocation of the exact size: a sanitizer sees one byte too far.
  std::vector<uint8_t> bytes(data, data + size);
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}
void run(const std::string &bytes) { run(bytes.data(), bytes.size()); }

std::vector<std::string> corpus() {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(ANE_FUZZ_CORPUS))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> contents;
  for (const std::filesystem::path &path : files) {
    std::ifstream file(path, std::ios::binary);
    contents.emplace_back((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  }
  return contents;
}

/// Removes, repeats or overwrites a few ranges. The same seed gives the same
/// edits on every machine, so a failure can be repeated.
std::string edit(std::string bytes, std::mt19937 &random) {
  static const char *const tokens[] = {"-1",
                                       "0",
                                       "9223372036854775807",
                                       "18446744073709551616",
                                       "1e400",
                                       "..",
                                       "/",
                                       "\"",
                                       "{",
                                       "[",
                                       "]",
                                       "}",
                                       "(",
                                       "<",
                                       "null",
                                       "\\u0000",
                                       "\xff"};
  auto below = [&](size_t n) { return n == 0 ? 0 : random() % n; };
  for (size_t edits = 1 + below(3); edits > 0; --edits) {
    size_t at = below(bytes.size() + 1);
    size_t length = std::min<size_t>(1 + below(16), bytes.size() - at);
    switch (below(3)) {
    case 0:
      bytes.erase(at, length);
      break;
    case 1:
      bytes.insert(at, bytes.substr(at, length));
      break;
    default:
      bytes.replace(at, length, tokens[below(std::size(tokens))]);
    }
  }
  return bytes;
}

TEST(Replay, CommittedInputs) {
  std::vector<std::string> inputs = corpus();
  ASSERT_FALSE(inputs.empty()) << "no input in " << ANE_FUZZ_CORPUS;
  for (const std::string &bytes : inputs) {
    run(bytes);
    if (bytes.size() > 4096)
      continue;
    for (size_t size = 0; size < bytes.size(); ++size)
      run(bytes.data(), size);
    for (size_t i = 0; i < bytes.size(); ++i) {
      std::string mutant = bytes;
      mutant[i] = static_cast<char>(mutant[i] ^ 0x15);
      run(mutant);
    }
  }
}

TEST(Replay, EditedInputs) {
  std::mt19937 random(1);
  for (const std::string &bytes : corpus())
    for (int i = 0, n = bytes.size() > 4096 ? 50 : 500; i < n; ++i)
      run(edit(bytes, random));
}

} // namespace
