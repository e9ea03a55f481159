// What a manifest says is done as far as it can be: buffers, surfaces and
// layouts of its plans, on a device that takes every program, and without any
// file or native code.
#include "runtime/core/buckets.h"
#include "runtime/test/temporary_folder.h"

#include <algorithm>
#include <cstring>
#include <fstream>

using namespace ane::rt;

namespace {

/// Writes every byte of its outputs, as a device may.
class FilledProgram final : public DeviceProgram {
public:
  absl::StatusOr<Completion> submit(const Request &request) override {
    for (const auto *list : {&request.inputs, &request.outputs})
      for (Surface *surface : *list)
        std::memset(surface->map(Access::Write)->data(), 0x3C, static_cast<size_t>(surface->bytes()));
    return Completion();
  }
};

/// Of an executor, or of one for several sizes.
template <typename Function>
void setWeights(const manifest::Manifest &manifest, Function &function) {
  for (const manifest::Weight &weight : manifest.weights) {
    int64_t bytes = manifest::byteCount(weight.type);
    if (bytes <= 1 << 16)
      function.setWeight(weight.name, std::vector<uint8_t>(bytes, 1).data(), bytes).IgnoreError();
  }
}

void runSize(Buckets &buckets, int64_t size) {
  const std::vector<Port> &inputs = buckets.inputs();
  for (size_t i = 0; i < inputs.size(); ++i) {
    manifest::TensorType type = inputs[i].type;
    std::replace(type.shape.begin(), type.shape.end(), int64_t(-1), size);
    std::vector<uint8_t> value(static_cast<size_t>(manifest::byteCount(type)), 1);
    buckets.setInput(i, value.data(), static_cast<int64_t>(value.size())).IgnoreError();
  }
  if (!buckets.prepare().ok() || !buckets.run().ok())
    return;
  for (size_t i = 0; i < buckets.outputs().size(); ++i)
    buckets.output(i);
}

/// Also as one function, with inputs of each size from the smallest on; on the states of another session, with other
/// weights, and on copies of both.
void runBuckets(const std::shared_ptr<Bundle> &bundle) {
  for (const manifest::Bucket &record : bundle->manifest().buckets) {
    auto buckets = Buckets::create(bundle, record);
    if (!buckets.ok())
      continue;
    int64_t largest = std::min<int64_t>(record.sizes.back(), 9);
    for (int64_t size = 1; size <= largest; ++size)
      runSize(**buckets, size);
    auto shared = Buckets::create(bundle, record, (*buckets)->smallest().get());
    if (!shared.ok())
      continue;
    setWeights(bundle->manifest(), **shared);
    runSize(**shared, largest);
    if (auto fork = (*shared)->fork(); fork.ok())
      runSize(**fork, 1);
    runSize(**buckets, 1);
  }
}

class FilledDevice final : public Device {
public:
  std::string_view name() const override { return "filled"; }
  absl::StatusOr<std::unique_ptr<DeviceProgram>> create(const ProgramDesc &) override {
    return std::make_unique<FilledProgram>();
  }
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const test::TemporaryFolder folder;
  static const bool written = static_cast<bool>(std::ofstream(folder.path("any.mil")) << "text");
  auto manifest = manifest::parse({reinterpret_cast<const char *>(data), size});
  if (!written || !manifest.ok())
    return 0;
  for (manifest::Program &program : manifest->programs)
    program.mil = "any.mil";
  BundleOptions options;
  options.trust = Trust::Nobody;
  options.memoryLimit = 1 << 24;
  for (bool device : {true, false}) {
    options.makeDevice = [=] { return device ? std::make_unique<FilledDevice>() : std::unique_ptr<Device>(); };
    auto bundle = Bundle::make(folder.open(), *manifest, options);
    if (!bundle.ok())
      return 0;
    for (const manifest::Function &function : manifest->functions) {
      auto executor = Executor::create(*bundle, function.name);
      if (!executor.ok())
        continue;
      for (size_t i = 0; i < (*executor)->inputs().size(); ++i)
        if (auto input = (*executor)->inputData(i); input.ok())
          std::memset(*input, 1, static_cast<size_t>((*executor)->inputs()[i].bytes));
      (*executor)->run().IgnoreError();
      setWeights(*manifest, **executor);
      // Values that stay, states that were changed, and other weights.
      (*executor)->run().IgnoreError();
    }
    runBuckets(*bundle);
  }
  return 0;
}
