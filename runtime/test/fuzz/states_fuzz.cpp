// Files of states, read by a session of two.
#include "runtime/core/executor.h"
#include "runtime/core/state_file.h"
#include "runtime/test/temporary_folder.h"
#include <cstdlib>

using namespace ane::rt;

namespace {

constexpr char kManifest[] = R"({"schema":5, "producer": "", "target": {"chip": "", "route": "", "os": "",
  "opset": "", "strictness": ""}, "tensors": [{"name": "a", "dtype": "float32", "shape": [2, 3]},
  {"name": "b", "dtype": "int64", "shape": []}], "states": [{"name": "a", "dtype": "float32", "shape": [2, 3]},
  {"name": "b", "dtype": "int64", "shape": []}], "functions": [{"name": "main", "inputs": [], "outputs": [],
  "states": [{"state": 0, "read": 0, "write": 0}, {"state": 1, "read": 1, "write": 1}], "steps": []}],
  "programs": [], "host_functions": [], "host_libraries": [], "host_weights": [], "files": []})";

std::unique_ptr<Executor> makeExecutor() {
  static const test::TemporaryFolder folder;
  auto manifest = manifest::parse(kManifest);
  BundleOptions options;
  options.device = "cpu";
  options.trust = Trust::Nobody;
  auto bundle = manifest.ok() ? Bundle::make(folder.open(), *manifest, options) : manifest.status();
  auto executor = bundle.ok() ? Executor::create(*bundle, "") : bundle.status();
  if (!executor.ok())
    std::abort();
  return *std::move(executor);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const std::unique_ptr<Executor> executor = makeExecutor();
  readStates(executor->states(), data, size, "input").IgnoreError();
  return 0;
}
