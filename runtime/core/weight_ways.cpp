//===- weight_ways.cpp - Which ways weights get into programs -------------===//
#include "runtime/core/weight_ways.h"
#include "absl/strings/str_cat.h"
#include "runtime/device/refusal.h"
#include "runtime/format/blob/blob.h"
#include "runtime/format/blob/layout.h"
#include "runtime/support/half.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

namespace ane::rt {
namespace {

constexpr WeightWay kWays[] = {WeightWay::Patch, WeightWay::Donor, WeightWay::Recompile};

/// The spelling that all chips read (C29), of the op that sources have tried this with: a convolution by 1x1.
constexpr char kText[] = R"(program(1.0)
[buildInfo = dict<tensor<string, []>, tensor<string, []>>({{"coremlc-version", "3505.4.1"}})]
{
    func main<ios16>(tensor<fp16, [1, 32, 1, 32]> in) {
        tensor<fp16, [32, 32, 1, 1]> weight = const()[name = tensor<string, []>("weight"), val = tensor<fp16, [32, 32, 1, 1]>(BLOBFILE(path = tensor<string, []>("@model_path/weights/probe.bin"), offset = tensor<uint64, []>(64)))];
        tensor<int32, [2]> ones = const()[name = tensor<string, []>("ones"), val = tensor<int32, [2]>([1, 1])];
        tensor<int32, []> groups = const()[name = tensor<string, []>("groups"), val = tensor<int32, []>(1)];
        tensor<int32, [4]> pad = const()[name = tensor<string, []>("pad"), val = tensor<int32, [4]>([0, 0, 0, 0])];
        tensor<string, []> valid = const()[name = tensor<string, []>("valid"), val = tensor<string, []>("valid")];
        tensor<fp16, [1, 32, 1, 32]> out = conv(dilations = ones, groups = groups, pad = pad, pad_type = valid, strides = ones, weight = weight, x = in)[name = tensor<string, []>("out")];
    } -> (out);
}
)";
constexpr char kFile[] = "weights/probe.bin";
constexpr int64_t kChannels = 32, kColumns = 32, kElements = kChannels * kChannels;
constexpr int64_t kPayload = blob::kHeaderBytes + blob::kRecordBytes;
/// What weights multiply by, one set after the other.
constexpr float kFactors[] = {2, 3, 5};
constexpr int64_t kFileBytes = kPayload + kElements * 2;
/// On every target (C04; MinSurfaceBytes in Limits.td). The emulator, which has the records, need not be there.
constexpr int64_t kSurfaceBytes = 49152;

class Probe {
public:
  explicit Probe(Device &device) : device(device) {
    desc.name = "probe of weights";
    desc.milText = kText;
    desc.source = "probe.mil";
  }

  /// Compiles the program and looks whether it computes what it should.
  absl::Status begin() {
    auto makeSurface = [&](std::string name, std::vector<SurfaceDesc> &ports, std::unique_ptr<Surface> &memory) {
      SurfaceDesc port = makeSurfaceDesc(std::move(name), ElementType::Float16, {1, kChannels, 1, kColumns});
      port.bytes = kSurfaceBytes;
      ports = {port};
      auto made = device.allocate(port);
      if (made.ok())
        memory = *std::move(made);
      return made.status();
    };
    ProcedureDesc &main = desc.procedures[0];
    if (absl::Status s = makeSurface("in", main.inputs, input); !s.ok())
      return s;
    if (absl::Status s = makeSurface("out", main.outputs, output); !s.ok())
      return s;
    if (absl::Status s = fill(*input, 1); !s.ok())
      return s;
    auto files = filesWith(kFactors[0]);
    if (!files.ok())
      return files.status();
    desc.folder = *std::move(files);
    auto loaded = device.load(desc);
    if (!loaded.ok())
      return loaded.status();
    program = *std::move(loaded);
    auto factor = evaluate(*program);
    if (factor.ok() && *factor != kFactors[0])
      return absl::InternalError(absl::StrCat("the probe gives ", *factor, ", expected ", kFactors[0]));
    return factor.status();
  }

  /// Whether the program computes with other weights that get there that way; if not, why.
  std::string tryWay(WeightWay way) {
    const float before = current, wanted = kFactors[++used];
    auto files = filesWith(wanted);
    if (!files.ok())
      return reason(files.status());
    auto made = program->updateWeights(way, *std::move(files), {{kFile, kPayload, kElements * 2}});
    if (!made.ok())
      return reason(made.status());
    program = *std::move(made);
    auto factor = evaluate(*program);
    if (!factor.ok())
      return reason(factor.status());
    if (*factor == wanted) {
      current = wanted;
      return "";
    }
    return *factor == before ? "it computes with the old weights"
                             : "it computes with neither the old nor the new weights";
  }

  std::string reason(const absl::Status &status) {
    mayPass |= rt::mayPass(refusalOf(status));
    return std::string(status.message());
  }

  bool mayPass = false; ///< see WeightWays

private:
  /// A weight file with a matrix that multiplies by `factor`.
  static absl::StatusOr<std::shared_ptr<const Folder>> filesWith(float factor) {
    std::array<uint8_t, kFileBytes> bytes = {};
    const blob::FileHeader header = {1, blob::kVersion, {}};
    const blob::FileRecord record = {
        blob::kSentinel, *blob::dtypeCode(ElementType::Float16), kElements * 2, kPayload, 0, {}};
    std::memcpy(bytes.data(), &header, sizeof header);
    std::memcpy(bytes.data() + blob::kHeaderBytes, &record, sizeof record);
    const uint16_t half = floatToHalf(factor);
    for (int64_t i = 0; i < kChannels; ++i)
      std::memcpy(bytes.data() + kPayload + i * (kChannels + 1) * 2, &half, sizeof half);
    auto file = MappedFile::copyOf(bytes.data(), bytes.size());
    if (!file.ok())
      return file.status();
    auto folder = std::make_shared<Folder>(Folder::inMemory("probe"));
    folder->replace(kFile, std::make_shared<const MappedFile>(*std::move(file)));
    return folder;
  }

  static absl::Status fill(Surface &surface, float value) {
    const uint16_t half = floatToHalf(value);
    auto mapped = surface.map(Access::Write);
    if (!mapped.ok())
      return mapped.status();
    for (int64_t i = 0; i < kChannels * kColumns; ++i)
      std::memcpy(mapped->data() + i * 2, &half, sizeof half);
    return absl::OkStatus();
  }

  /// What all elements are multiplied by; NaN where they differ. A second try, as for any program.
  absl::StatusOr<float> evaluate(DeviceProgram &program) {
    if (absl::Status s = fill(*output, 0); !s.ok())
      return s;
    Surface *in = input.get(), *out = output.get();
    if (!program.evaluate(0, {&in, 1}, {&out, 1}).ok())
      if (absl::Status s = program.evaluate(0, {&in, 1}, {&out, 1}); !s.ok())
        return s;
    uint16_t halves[kChannels * kColumns];
    auto mapped = output->map(Access::Read);
    if (!mapped.ok())
      return mapped.status();
    std::memcpy(halves, mapped->data(), sizeof halves);
    const bool isOne =
        std::all_of(std::begin(halves), std::end(halves), [&](uint16_t half) { return half == halves[0]; });
    return isOne ? halfToFloat(halves[0]) : std::numeric_limits<float>::quiet_NaN();
  }

  Device &device;
  ProgramDesc desc;
  std::unique_ptr<Surface> input, output;
  std::unique_ptr<DeviceProgram> program;
  float current = kFactors[0];
  size_t used = 0;
};

} // namespace

WeightWays probeWeightWays(Device &device, bool isRoomForTwo) {
  WeightWays ways;
  Probe probe(device);
  if (absl::Status s = probe.begin(); !s.ok()) {
    ways.whyNoDonor = ways.whyNoPatch = absl::StrCat("the probe does not run: ", probe.reason(s));
    ways.mayPass = probe.mayPass;
    return ways;
  }
  // A patched program is no donor any more.
  ways.whyNoDonor = isRoomForTwo ? probe.tryWay(WeightWay::Donor) : "the budget has no room for two programs";
  ways.whyNoPatch = probe.tryWay(WeightWay::Patch);
  ways.mayPass = probe.mayPass;
  return ways;
}

int64_t probeBytes() { return kFileBytes + static_cast<int64_t>(sizeof kText); }

std::vector<WeightWay> WeightWays::order(std::optional<WeightWay> first) const {
  std::vector<WeightWay> list;
  for (WeightWay way : kWays)
    if (works(way))
      list.push_back(way);
  if (auto place = first ? std::find(list.begin(), list.end(), *first) : list.end(); place != list.end())
    std::rotate(list.begin(), place, place + 1);
  return list;
}

std::string WeightWays::text(std::optional<WeightWay> first) const {
  const WeightWay chosen = order(first).front();
  std::string text(nameOf(chosen)), since = ", since by ";
  for (auto [way, why] : {std::pair(WeightWay::Patch, &whyNoPatch), {WeightWay::Donor, &whyNoDonor}})
    if (!works(way) && (first ? way == *first : way < chosen))
      absl::StrAppend(&text, std::exchange(since, ", and by "), std::string(nameOf(way)), " ", *why);
  return text;
}

absl::StatusOr<std::optional<WeightWay>> weightWayFrom(const std::string &word) {
  if (word.empty() || word == "auto")
    return std::nullopt;
  for (WeightWay way : kWays)
    if (word == nameOf(way))
      return way;
  return absl::InvalidArgumentError(absl::StrCat("is \"", word, "\", expected auto, patch, donor or recompile"));
}

} // namespace ane::rt
