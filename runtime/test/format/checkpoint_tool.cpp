// checkpoint_tool CHECKPOINT FOLDER: writes each tensor as FOLDER/INDEX.npy and prints "INDEX TYPE NAME", in the order
// of the checkpoint; GGUF and bfloat16 as float32. Metadata of GGUF are lines "= KEY KIND TEXT-OR-NUMBER-OR-COUNT".
// checkpoint_tool --copy CHECKPOINT FILE: writes the tensors of a safetensors checkpoint as one file.
#include "runtime/format/gguf/gguf.h"
#include "runtime/format/npy/npy.h"
#include "runtime/format/safetensors/safetensors.h"
#include "runtime/format/safetensors/writer.h"

#include <cstdio>
#include <cstring>

using namespace ane::rt;

static int fail(const absl::Status &status) {
  std::fprintf(stderr, "error: %s\n", std::string(status.message()).c_str());
  return 1;
}

static std::string text(const gguf::Value &value) {
  if (auto *held = value.as<bool>())
    return *held ? "true" : "false";
  if (auto *held = value.as<int64_t>())
    return std::to_string(*held);
  if (auto *held = value.as<uint64_t>())
    return std::to_string(*held);
  if (auto *held = value.as<double>())
    return std::to_string(*held);
  if (auto *held = value.as<std::string_view>())
    return std::string(*held);
  return std::visit(
      [](const auto &list) -> std::string {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(list)>>)
          return "";
        else
          return std::to_string(list.size());
      },
      value.held);
}

static int dumpGguf(const std::string &path, const std::string &folder) {
  absl::StatusOr<gguf::File> file = gguf::File::open(path);
  if (!file.ok())
    return fail(file.status());
  int index = 0;
  for (const gguf::Tensor &tensor : file->tensors()) {
    std::vector<float> elements(static_cast<size_t>(tensor.elements()));
    gguf::expandBlocks(tensor.block.type, tensor.data, tensor.elements() / tensor.block.elements, elements.data());
    absl::Status written =
        npy::write(folder + "/" + std::to_string(index) + ".npy", ElementType::Float32, tensor.shape, elements.data());
    if (!written.ok())
      return fail(written);
    std::printf("%d %s %s\n", index++, std::string(tensor.block.name).c_str(), std::string(tensor.name).c_str());
  }
  for (const auto &[key, value] : file->metadata())
    std::printf("= %s %s\n", std::string(key).c_str(), text(value).c_str());
  return 0;
}

static int dumpSafetensors(const std::string &path, const std::string &folder) {
  absl::StatusOr<safetensors::Checkpoint> checkpoint = safetensors::Checkpoint::open(path);
  if (!checkpoint.ok())
    return fail(checkpoint.status());
  int index = 0;
  for (const auto &[name, tensor] : checkpoint->tensors()) {
    ElementType type = tensor.type;
    std::vector<uint8_t> bytes(tensor.data, tensor.data + tensor.bytes);
    if (type == ElementType::BFloat16) {
      // The upper halves of float32.
      type = ElementType::Float32;
      bytes.assign(tensor.bytes * 2, 0);
      for (uint64_t i = 0; i < tensor.bytes; i += 2)
        std::memcpy(&bytes[i * 2 + 2], tensor.data + i, 2);
    }
    absl::Status written = npy::write(folder + "/" + std::to_string(index) + ".npy", type, tensor.shape, bytes.data());
    if (!written.ok())
      return fail(written);
    std::printf("%d %s %s\n", index++, tensor.describe().c_str(), name.c_str());
  }
  return 0;
}

static absl::Status copy(const std::string &from, const std::string &to) {
  absl::StatusOr<safetensors::Checkpoint> checkpoint = safetensors::Checkpoint::open(from);
  if (!checkpoint.ok())
    return checkpoint.status();
  std::vector<safetensors::TensorRecord> records;
  for (const auto &[name, tensor] : checkpoint->tensors())
    records.push_back({name, tensor.type, tensor.shape});
  absl::StatusOr<safetensors::Writer> writer = safetensors::Writer::create(to, records, {{"format", "pt"}});
  if (!writer.ok())
    return writer.status();
  for (const auto &[name, tensor] : checkpoint->tensors())
    if (absl::Status written = writer->write(tensor.data, tensor.bytes); !written.ok())
      return written;
  return writer->commit();
}

int main(int argc, char **argv) {
  if (argc == 4 && argv[1] == std::string("--copy")) {
    absl::Status copied = copy(argv[2], argv[3]);
    return copied.ok() ? 0 : fail(copied);
  }
  if (argc != 3) {
    std::fprintf(stderr, "usage: checkpoint_tool CHECKPOINT FOLDER, or checkpoint_tool --copy CHECKPOINT FILE\n");
    return 2;
  }
  std::string path = argv[1];
  bool isGguf = path.size() > 5 && path.compare(path.size() - 5, 5, ".gguf") == 0;
  return isGguf ? dumpGguf(path, argv[2]) : dumpSafetensors(path, argv[2]);
}
