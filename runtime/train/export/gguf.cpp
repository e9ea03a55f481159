//===- gguf.cpp - Trained weights as a GGUF file --------------------------===//
#include "runtime/format/gguf/gguf.h"
#include "runtime/support/half.h"
#include "runtime/support/output_file.h"
#include "runtime/train/export/plan.h"
#include <algorithm>

namespace ane::rt::train {
namespace {

constexpr std::string_view kFileType = "general.file_type", kAlignment = "general.alignment";
constexpr uint32_t kUnsigned32 = 4; ///< the format's number of the type

template <typename T>
void append(std::string &out, T value) {
  out.append(reinterpret_cast<const char *>(&value), sizeof value);
}

void appendText(std::string &out, std::string_view text) {
  append(out, static_cast<uint64_t>(text.size()));
  out += text;
}

/// A tensor as it will be.
struct Planned {
  const gguf::Tensor *source;
  const TrainedWeight *trained = nullptr;
  gguf::BlockType type;
  uint64_t bytes = 0;
};

std::vector<Planned> tensorsOf(const gguf::File &file, const ExportPlan &plan, ElementType matrices) {
  std::vector<Planned> all;
  for (const gguf::Tensor &tensor : file.tensors()) {
    Planned planned{&tensor, nullptr, tensor.block.type, tensor.bytes};
    if (auto found = plan.trained.find(tensor.name); found != plan.trained.end()) {
      bool isHalf = matrices == ElementType::Float16 && tensor.shape.size() > 1;
      planned.trained = found->second;
      planned.type = isHalf ? gguf::BlockType::F16 : gguf::BlockType::F32;
      planned.bytes = static_cast<uint64_t>(tensor.elements()) * (isHalf ? 2 : 4);
    }
    all.push_back(planned);
  }
  return all;
}

uint64_t alignmentOf(const gguf::File &file) {
  const gguf::Value *value = file.value(kAlignment);
  return value ? static_cast<uint64_t>(*value->as<int64_t>()) : 32;
}

uint64_t aligned(uint64_t bytes, uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

std::string headerOf(const gguf::File &file, const std::vector<Planned> &tensors, ElementType matrices) {
  std::string out = "GGUF";
  append(out, file.version());
  append(out, static_cast<uint64_t>(tensors.size()));
  append(out, static_cast<uint64_t>(file.metadata().size()));
  for (size_t i = 0; i < file.metadata().size(); ++i) {
    if (file.metadata()[i].first != kFileType) {
      out += file.metadataBytes(i);
      continue;
    }
    // What most tensors are: 0 is F32, 1 is F16.
    appendText(out, kFileType);
    append(out, kUnsigned32);
    append(out, static_cast<uint32_t>(matrices == ElementType::Float16));
  }
  uint64_t unit = alignmentOf(file), offset = 0;
  for (const Planned &tensor : tensors) {
    appendText(out, tensor.source->name);
    append(out, static_cast<uint32_t>(tensor.source->shape.size()));
    for (auto size = tensor.source->shape.rbegin(); size != tensor.source->shape.rend(); ++size)
      append(out, static_cast<uint64_t>(*size));
    append(out, static_cast<uint32_t>(tensor.type));
    append(out, offset);
    offset += aligned(tensor.bytes, unit);
  }
  out.resize(aligned(out.size(), unit));
  return out;
}

absl::Status writeTensor(OutputFile &file, const Planned &tensor) {
  if (!tensor.trained)
    return file.write(tensor.source->data, tensor.bytes);
  if (tensor.type == gguf::BlockType::F32)
    return file.write(tensor.trained->data, tensor.bytes);
  constexpr int64_t piece = 1 << 16;
  std::vector<uint16_t> halves(piece);
  int64_t count = tensor.source->elements();
  for (int64_t i = 0; i < count; i += piece) {
    int64_t now = std::min(piece, count - i);
    narrowToHalf(tensor.trained->data + i, halves.data(), now);
    if (absl::Status s = file.write(halves.data(), static_cast<uint64_t>(now) * sizeof(uint16_t)); !s.ok())
      return s;
  }
  return absl::OkStatus();
}

} // namespace

absl::Status exportGguf(const ModelFile &source, const std::string &path, absl::Span<const TrainedWeight> weights,
                        ElementType matrices) {
  absl::StatusOr<ExportPlan> plan = planExport(source, path, weights, {});
  if (!plan.ok())
    return plan.status();
  const gguf::File &model = source.ggufFile();
  const std::vector<Planned> tensors = tensorsOf(model, *plan, matrices);
  absl::StatusOr<OutputFile> file = OutputFile::create(path);
  if (!file.ok())
    return file.status();
  std::string header = headerOf(model, tensors, matrices);
  if (absl::Status s = file->write(header.data(), header.size()); !s.ok())
    return s;
  uint64_t unit = alignmentOf(model);
  for (const Planned &tensor : tensors) {
    absl::Status status = writeTensor(*file, tensor);
    std::string padding(aligned(tensor.bytes, unit) - tensor.bytes, '\0');
    if (status.ok())
      status = file->write(padding.data(), padding.size());
    if (!status.ok())
      return status;
  }
  return file->commit();
}

} // namespace ane::rt::train
