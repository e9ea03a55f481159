// A whole bundle from a stranger, on the emulator and without native code: it is
// refused or it runs. The input is the manifest, a MIL text and a weight file,
// with a line of "=====" between them; sizes in the manifest are made right, so
// that what is inside the files is reached.
#include "runtime/core/emulator.h"
#include "runtime/core/executor.h"
#include "runtime/test/temporary_folder.h"

#include <array>
#include <cstring>
#include <fstream>

using namespace ane::rt;

namespace {

std::array<std::string_view, 3> split(std::string_view input) {
  constexpr std::string_view kLine = "\n=====\n";
  std::array<std::string_view, 3> parts;
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    size_t end = input.find(kLine);
    parts[i] = input.substr(0, end);
    input.remove_prefix(end == std::string_view::npos ? input.size() : end + kLine.size());
  }
  parts.back() = input;
  return parts;
}

void write(const std::string &path, std::string_view text) {
  std::ofstream(path, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
}

/// Linked, so that the fuzzer sees its branches.
const bool linked = (setEmulatorModule(ane_emulator_module()), true);

void run(const std::string &path, const char *mode) {
  BundleOptions options;
  options.device = "emulator";
  options.emulatorMode = mode;
  options.trust = Trust::Nobody;
  options.verifyHashes = true;
  options.memoryLimit = 1 << 26;
  auto bundle = Bundle::open(path, options);
  if (!bundle.ok())
    return;
  for (const manifest::Function &function : (*bundle)->manifest().functions) {
    auto executor = Executor::create(*bundle, function.name);
    if (!executor.ok())
      continue;
    for (size_t i = 0; i < (*executor)->inputs().size(); ++i)
      if (auto input = (*executor)->inputData(i); input.ok())
        std::memset(*input, 1, static_cast<size_t>((*executor)->inputs()[i].bytes));
    (*executor)->run().IgnoreError();
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto [json, mil, weights] = split({reinterpret_cast<const char *>(data), size});
  auto manifest = manifest::parse(json);
  if (!manifest.ok() || manifest->files.size() > 8)
    return 0;
  test::TemporaryFolder folder;
  for (manifest::File &file : manifest->files) {
    bool isText = file.path.size() > 4 && file.path.compare(file.path.size() - 4, 4, ".mil") == 0;
    std::string_view content = isText ? mil : weights;
    // The names of files are hostile to this program, too.
    std::error_code error;
    std::string path = folder.path(file.path);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
    if (error || std::filesystem::is_directory(path, error) || file.path == manifest::kFileName)
      return 0;
    write(path, content);
    auto hash = manifest::hashFile(path);
    if (!hash.ok()) // a name that the file system does not take
      return 0;
    file.bytes = static_cast<int64_t>(content.size());
    file.hash = *hash;
  }
  write(folder.path(manifest::kFileName), manifest::print(*manifest));
  for (const char *mode : {"plain", "lint", "faithful"})
    run(folder.path(""), mode);
  return 0;
}
