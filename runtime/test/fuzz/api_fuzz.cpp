// Structs of the C API as callers of any age give them: their size and members are
// the input's. Whatever they say, the library reads and writes no byte beyond the
// size, which is the size of the allocation.
#include "ane/runtime/ane.h"
#include "runtime/test/temporary_folder.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <vector>

namespace {

/// x is written into the state at position p.
constexpr char kManifest[] = R"({"schema": 5, "producer": "", "target": {"chip": "", "route": "", "os": "",
  "opset": "", "strictness": ""}, "tensors": [{"name": "x", "dtype": "float32", "shape": [1, 2, 1, 4]},
  {"name": "p", "dtype": "int64", "shape": [1, 1]}, {"name": "before", "dtype": "float32", "shape": [1, 2, 6, 4]},
  {"name": "after", "dtype": "float32", "shape": [1, 2, 6, 4]}], "states": [{"name": "cache", "dtype": "float32",
  "shape": [1, 2, 6, 4]}], "functions": [{"name": "main", "inputs": [{"name": "x", "tensor": 0},
  {"name": "p", "tensor": 1}], "outputs": [], "states": [{"state": 0, "read": 2, "write": 3}],
  "steps": [{"kind": "update", "state": "cache", "inputs": [0, 1], "outputs": [3], "axis": 2, "skip_outside": false}]}],
  "programs": [], "host_functions": [], "host_libraries": [], "host_weights": [], "files": []})";

const std::string &bundlePath() {
  static const ane::rt::test::TemporaryFolder folder;
  static const std::string path = folder.path("");
  static const bool written = static_cast<bool>(std::ofstream(folder.path("manifest.json")) << kManifest);
  if (!written)
    std::abort();
  return path;
}

struct Input {
  const uint8_t *data;
  size_t left;
  void take(void *to, size_t bytes) {
    bytes = std::min(bytes, left);
    if (bytes != 0)
      std::memcpy(to, data, bytes);
    data += bytes;
    left -= bytes;
  }
  uint8_t byte() {
    uint8_t value = 0;
    take(&value, 1);
    return value;
  }
};

template <typename T>
class Struct {
public:
  explicit Struct(Input &input) : size(input.byte() | (input.byte() & 31) << 8), bytes(std::max(size, sizeof size)) {
    std::memcpy(bytes.data(), &size, sizeof size);
    input.take(bytes.data() + sizeof size, bytes.size() - sizeof size);
  }
  T *get() { return reinterpret_cast<T *>(bytes.data()); }
  /// Sets the member at `offset`, if the caller has it.
  template <typename Member>
  void set(size_t offset, Member value) {
    if (offset + sizeof value <= bytes.size())
      std::memcpy(bytes.data() + offset, &value, sizeof value);
  }

private:
  size_t size;
  std::vector<uint8_t> bytes;
};

/// Filled as far as the caller knows the struct, which keeps its size.
template <typename T, typename Fill>
void fill(Input &input, Fill &&fill) {
  Struct<T> out(input);
  size_t size = out.get()->size;
  ane_status *status = fill(out.get());
  if (out.get()->size != size || (!status && (size < sizeof size || size % 8 != 0)))
    std::abort();
  ane_status_free(status);
}

void run(ane_bundle *bundle, ane_context *context, Input &input) {
  ane_session *session = nullptr;
  ane_status_free(ane_session_create(bundle, nullptr, &session));
  float x[8] = {};
  int64_t position = input.byte() % 8;
  ane_status_free(ane_session_set_input(session, 0, x, sizeof x));
  ane_status_free(ane_session_set_input(session, 1, &position, sizeof position));
  ane_status_free(ane_session_run(session));
  fill<ane_step>(input, [&](ane_step *out) { return ane_session_step(session, 0, out); });
  fill<ane_copies>(input, [&](ane_copies *out) { return ane_session_copies(session, out); });
  fill<ane_tensor_info>(input, [&](ane_tensor_info *out) { return ane_session_input_info(session, 1, out); });
  fill<ane_tensor_info>(input, [&](ane_tensor_info *out) { return ane_state_info(session, 0, out); });
  fill<ane_event>(input, [&](ane_event *out) { return ane_session_event(session, 0, out); });
  fill<ane_counters>(input, [&](ane_counters *out) { return ane_context_counters(context, out); });
  ane_session_destroy(session);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input{data, size};
  ane_context *context = nullptr;
  Struct<ane_context_options> budgets(input), others(input);
  ane_status_free(ane_context_create(budgets.get(), &context));
  ane_status_free(ane_context_configure(context, others.get()));
  // Pointers are the caller's word, and threads cost time.
  Struct<ane_options> options(input);
  static const char *const devices[] = {nullptr, "cpu", "auto", "none", ""};
  options.set(offsetof(ane_options, device), devices[input.byte() % std::size(devices)]);
  options.set(offsetof(ane_options, emulator_mode), devices[input.byte() % std::size(devices)]);
  options.set(offsetof(ane_options, threads), int32_t(input.byte() % 5) - 1);
  options.set(offsetof(ane_options, context), context);
  static const char *const ways[] = {nullptr, "auto", "donor", "none", ""};
  options.set(offsetof(ane_options, weights_by), ways[input.byte() % std::size(ways)]);
  ane_bundle *bundle = nullptr;
  ane_status *status = ane_bundle_open(bundlePath().c_str(), options.get(), &bundle);
  if ((status == nullptr) != (bundle != nullptr))
    std::abort();
  ane_status_free(status);
  if (bundle)
    run(bundle, context, input);
  ane_bundle_close(bundle);
  ane_context_destroy(context);
  return 0;
}
