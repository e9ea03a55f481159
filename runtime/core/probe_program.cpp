//===- probe_program.cpp - A program to try a device with -----------------===//
#include "runtime/core/probe_program.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "runtime/format/blob/blob.h"
#include "runtime/format/blob/layout.h"
#include "runtime/support/half.h"
#include <algorithm>
#include <cstring>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

namespace ane::rt {
namespace {

constexpr char kHead[] = R"(program(1.0)
[buildInfo = dict<tensor<string, []>, tensor<string, []>>({{"coremlc-version", "3505.4.1"}})]
{
    func main<ios16>(@PORT in) {
        tensor<int32, [2]> ones = const()[name = tensor<string, []>("ones"), val = tensor<int32, [2]>([1, 1])];
        tensor<int32, []> groups = const()[name = tensor<string, []>("groups"), val = tensor<int32, []>(1)];
        tensor<int32, [4]> pad = const()[name = tensor<string, []>("pad"), val = tensor<int32, [4]>([0, 0, 0, 0])];
        tensor<string, []> valid = const()[name = tensor<string, []>("valid"), val = tensor<string, []>("valid")];
)";
constexpr char kTail[] = R"(    } -> (out);
}
)";
constexpr int64_t kPayload = blob::kHeaderBytes + blob::kRecordBytes;
/// At least, on every target (C04; MinSurfaceBytes in Limits.td). The emulator, which has the records, need not be
/// there.
constexpr int64_t kSurfaceBytes = 49152;

int64_t weightBytes(const ProbeProgram::Size &size) { return size.channels * size.channels * 2; }
int64_t portElements(const ProbeProgram::Size &size) { return size.channels * size.columns; }
/// With the record before it: a multiple of the alignment.
int64_t matrixBytes(const ProbeProgram::Size &size) { return blob::kRecordBytes + weightBytes(size); }

std::string fileName(int64_t file) {
  return absl::StrCat("weights/probe", file == 0 ? "" : absl::StrCat(file), ".bin");
}

std::string textOf(const ProbeProgram::Size &size, const std::string &tag) {
  const std::string port = absl::StrCat("tensor<fp16, [1, ", size.channels, ", 1, ", size.columns, "]>"),
                    matrix = absl::StrCat("tensor<fp16, [", size.channels, ", ", size.channels, ", 1, 1]>");
  std::string text = absl::StrReplaceAll(kHead, {{"@PORT", port}});
  std::string last = "in";
  for (int64_t i = 0; i < size.constants; ++i) {
    const std::string weight = absl::StrCat("weight", tag, i);
    const std::string next = i + 1 == size.constants ? "out" : absl::StrCat("part", i);
    absl::StrAppend(&text, "        ", matrix, " ", weight, " = const()[name = tensor<string, []>(\"", weight,
                    "\"), val = ", matrix, "(BLOBFILE(path = tensor<string, []>(\"@model_path/",
                    fileName(i % size.files), "\"), offset = tensor<uint64, []>(",
                    blob::kHeaderBytes + i / size.files * matrixBytes(size), ")))];\n");
    absl::StrAppend(&text, "        ", port, " ", next,
                    " = conv(dilations = ones, groups = groups, pad = pad, pad_type = valid, strides = ones, weight = ",
                    weight, ", x = ", last, ")[name = tensor<string, []>(\"", next, "\")];\n");
    last = next;
  }
  return text + kTail;
}

absl::Status fill(Surface &surface, int64_t elements, float value) {
  const uint16_t half = floatToHalf(value);
  auto mapped = surface.map(Access::Write);
  if (!mapped.ok())
    return mapped.status();
  for (int64_t i = 0; i < elements; ++i)
    std::memcpy(mapped->data() + i * 2, &half, sizeof half);
  return absl::OkStatus();
}

} // namespace

absl::StatusOr<ProbeProgram> ProbeProgram::create(Device &device, std::string name, Size size, const std::string &tag) {
  ProbeProgram probe;
  probe.size = size;
  probe.desc.name = std::move(name);
  probe.desc.milText = textOf(size, tag);
  probe.desc.source = "probe.mil";
  ProcedureDesc &main = probe.desc.procedures[0];
  for (auto [port, ports, memory] :
       {std::tuple("in", &main.inputs, &probe.input), {"out", &main.outputs, &probe.output}}) {
    SurfaceDesc surface = makeSurfaceDesc(port, ElementType::Float16, {1, size.channels, 1, size.columns});
    surface.bytes = std::max(kSurfaceBytes, portElements(size) * 2);
    *ports = {surface};
    auto made = device.allocate(surface);
    if (!made.ok())
      return made.status();
    *memory = *std::move(made);
  }
  if (absl::Status s = fill(*probe.input, portElements(size), 1); !s.ok())
    return s;
  return probe;
}

int64_t ProbeProgram::bytes() { return kPayload + weightBytes({}) + static_cast<int64_t>(textOf({}, "").size()); }

WeightRange ProbeProgram::firstMatrix() { return {fileName(0), kPayload, weightBytes({})}; }

absl::StatusOr<std::shared_ptr<const Folder>> ProbeProgram::filesWith(float factor) const {
  auto folder = std::make_shared<Folder>(Folder::inMemory("probe"));
  for (int64_t file = 0; file < size.files; ++file) {
    const int64_t matrices = (size.constants - file + size.files - 1) / size.files;
    std::string bytes(blob::kHeaderBytes + matrices * matrixBytes(size), '\0');
    const blob::FileHeader header = {static_cast<uint32_t>(matrices), blob::kVersion, {}};
    std::memcpy(bytes.data(), &header, sizeof header);
    for (int64_t i = 0; i < matrices; ++i) {
      const int64_t at = blob::kHeaderBytes + i * matrixBytes(size), payload = at + blob::kRecordBytes;
      const int64_t constant = i * size.files + file;
      const blob::FileRecord record = {blob::kSentinel,
                                       *blob::dtypeCode(ElementType::Float16),
                                       static_cast<uint64_t>(weightBytes(size)),
                                       static_cast<uint64_t>(payload),
                                       0,
                                       {}};
      std::memcpy(bytes.data() + at, &record, sizeof record);
      const uint16_t half = floatToHalf(constant == 0 ? factor : 1);
      for (int64_t row = 0, channels = size.channels; row < channels; ++row)
        std::memcpy(bytes.data() + payload + (row * channels + (row + constant) % channels) * 2, &half, sizeof half);
    }
    auto mapped = MappedFile::copyOf(bytes.data(), bytes.size());
    if (!mapped.ok())
      return mapped.status();
    folder->replace(fileName(file), std::make_shared<const MappedFile>(*std::move(mapped)));
  }
  return folder;
}

absl::StatusOr<std::unique_ptr<Request>> ProbeProgram::request(DeviceProgram &program) const {
  Surface *in = input.get(), *out = output.get();
  return program.request(0, {&in, 1}, {&out, 1});
}

absl::Status ProbeProgram::clear() const { return fill(*output, portElements(size), 0); }

absl::StatusOr<float> ProbeProgram::factor() const {
  std::vector<uint16_t> halves(static_cast<size_t>(portElements(size)));
  auto mapped = output->map(Access::Read);
  if (!mapped.ok())
    return mapped.status();
  std::memcpy(halves.data(), mapped->data(), halves.size() * sizeof halves[0]);
  const bool isOne = std::all_of(halves.begin(), halves.end(), [&](uint16_t half) { return half == halves[0]; });
  return isOne ? halfToFloat(halves[0]) : std::numeric_limits<float>::quiet_NaN();
}

absl::StatusOr<float> ProbeProgram::evaluate(DeviceProgram &program) const {
  if (absl::Status s = clear(); !s.ok())
    return s;
  Surface *in = input.get(), *out = output.get();
  if (!program.evaluate(0, {&in, 1}, {&out, 1}).ok())
    if (absl::Status s = program.evaluate(0, {&in, 1}, {&out, 1}); !s.ok())
      return s;
  return factor();
}

} // namespace ane::rt
