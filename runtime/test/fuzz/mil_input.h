// A fuzz input that is a program and its weight file: MIL text up to the first zero byte, then the bytes of
// "@model_path/w.bin".
#ifndef ANE_RUNTIME_TEST_FUZZ_MIL_INPUT_H
#define ANE_RUNTIME_TEST_FUZZ_MIL_INPUT_H

#include "runtime/test/temporary_folder.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

namespace ane::rt {

struct MilInput {
  std::string text;
  std::string modelDir;

  MilInput(const uint8_t *data, size_t size) {
    static const test::TemporaryFolder folder;
    modelDir = folder.path("");
    std::string_view bytes(reinterpret_cast<const char *>(data), size);
    size_t end = std::min(bytes.find('\0'), size);
    text = bytes.substr(0, end);
    std::string_view blob = bytes.substr(std::min(end + 1, size));
    // Most inputs have none, and writing a file takes longer than the rest.
    static std::string written = "none yet";
    if (written != blob)
      std::ofstream(modelDir + "w.bin", std::ios::binary) << blob;
    written = blob;
  }
};

} // namespace ane::rt

#endif // ANE_RUNTIME_TEST_FUZZ_MIL_INPUT_H
