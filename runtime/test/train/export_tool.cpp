// export_tool SOURCE NAMES OUT [--half]: exports to OUT what SOURCE, a folder of Hugging Face or a GGUF file, has, as
// if it had been trained: all tensors whose names are lines of the file NAMES, each element of them halved. The Python
// tests load it.
#include "runtime/format/gguf/gguf.h"
#include "runtime/format/safetensors/safetensors.h"
#include "runtime/support/half.h"
#include "runtime/train/export/export.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <list>

using namespace ane::rt;

static int fail(const absl::Status &status) {
  std::fprintf(stderr, "error: %s\n", std::string(status.message()).c_str());
  return 1;
}

/// Half the values of a float32, float16 or bfloat16 tensor.
static std::vector<float> halved(const safetensors::Tensor &tensor) {
  std::vector<float> values(tensor.bytes / static_cast<uint64_t>(byteWidth(tensor.type)));
  for (size_t i = 0; i < values.size(); ++i) {
    uint16_t half = 0;
    uint32_t bits = 0;
    if (tensor.type == ElementType::Float32) {
      std::memcpy(&values[i], tensor.data + 4 * i, 4);
    } else {
      std::memcpy(&half, tensor.data + 2 * i, 2);
      bits = uint32_t(half) << 16;
      std::memcpy(&values[i], &bits, 4);
      if (tensor.type == ElementType::Float16)
        values[i] = halfToFloat(half);
    }
    values[i] *= 0.5f;
  }
  return values;
}

int main(int argc, char **argv) {
  bool isHalf = argc == 5 && argv[4] == std::string("--half");
  if (argc != 4 && !isHalf) {
    std::fprintf(stderr, "usage: export_tool SOURCE NAMES OUT [--half]\n");
    return 2;
  }
  std::string source = argv[1], name;
  std::list<std::vector<float>> values;
  std::vector<train::TrainedWeight> weights;
  std::ifstream names(argv[2]);
  if (source.size() > 5 && source.compare(source.size() - 5, 5, ".gguf") == 0) {
    absl::StatusOr<gguf::File> file = gguf::File::open(source);
    if (!file.ok())
      return fail(file.status());
    while (std::getline(names, name)) {
      const gguf::Tensor *tensor = file->tensor(name);
      if (!tensor) {
        weights.push_back({name, {}, nullptr});
        continue;
      }
      values.emplace_back(static_cast<size_t>(tensor->elements()));
      gguf::expandBlocks(tensor->block.type, tensor->data, tensor->elements() / tensor->block.elements,
                         values.back().data());
      for (float &value : values.back())
        value *= 0.5f;
      weights.push_back({name, tensor->shape, values.back().data()});
    }
  } else {
    absl::StatusOr<safetensors::Checkpoint> checkpoint = safetensors::Checkpoint::open(source);
    if (!checkpoint.ok())
      return fail(checkpoint.status());
    while (std::getline(names, name)) {
      // A line may be "NAME IN_THE_SOURCE".
      size_t space = name.find(' ');
      const safetensors::Tensor *tensor =
          checkpoint->tensor(space == std::string::npos ? name : name.substr(space + 1));
      name = name.substr(0, space);
      if (!tensor) {
        weights.push_back({name, {}, nullptr});
        continue;
      }
      values.push_back(halved(*tensor));
      weights.push_back({name, tensor->shape, values.back().data()});
    }
  }
  absl::Status status;
  if (train::exportKind(argv[3]) == train::ExportKind::Tensors) {
    status = train::exportSafetensors(argv[3], weights);
  } else {
    absl::StatusOr<train::ModelFile> model = train::ModelFile::open(source);
    if (!model.ok())
      return fail(model.status());
    status = isHalf ? train::exportGguf(*model, argv[3], weights, ElementType::Float16)
                    : train::exportModel(*model, argv[3], weights);
  }
  return status.ok() ? 0 : fail(status);
}
