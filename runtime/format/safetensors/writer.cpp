//===- writer.cpp - Writes a safetensors file -----------------------------===//
#include "runtime/format/safetensors/writer.h"
#include "runtime/format/safetensors/spelling.h"
#include "runtime/support/quote.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

namespace ane::rt::safetensors {
namespace {

/// Bytes of a tensor's elements, at most `most`.
absl::StatusOr<uint64_t> bytesOf(const TensorRecord &tensor, uint64_t most) {
  if (tensor.shape.size() > kMaxRank)
    return absl::InvalidArgumentError(absl::StrCat("has rank ", tensor.shape.size(), ", limit ", kMaxRank));
  uint64_t bytes = static_cast<uint64_t>(byteWidth(tensor.type));
  bool isEmpty = std::count(tensor.shape.begin(), tensor.shape.end(), 0) > 0;
  for (int64_t size : tensor.shape) {
    if (size < 0)
      return absl::InvalidArgumentError(absl::StrCat("has an axis of ", size, ", expected 0 or more"));
    if (!isEmpty && static_cast<uint64_t>(size) > most / bytes)
      return absl::InvalidArgumentError(absl::StrCat("ends beyond ", most, " bytes"));
    bytes *= isEmpty ? 1 : static_cast<uint64_t>(size);
  }
  return isEmpty ? 0 : bytes;
}

/// A JSON string. Throws where the text is not UTF-8.
std::string jsonText(const std::string &text) { return nlohmann::json(text).dump(); }

absl::StatusOr<std::string> headerOf(const std::vector<TensorRecord> &tensors,
                                     const std::map<std::string, std::string> &metadata, uint64_t &end) try {
  std::string header = "{";
  auto begin = [&](const std::string &key) {
    absl::StrAppend(&header, header.size() > 1 ? "," : "", jsonText(key), ":");
  };
  if (!metadata.empty()) {
    begin(kMetadata);
    const char *separator = "{";
    for (const auto &[key, value] : metadata) {
      absl::StrAppend(&header, separator, jsonText(key), ":", jsonText(value));
      separator = ",";
    }
    header += '}';
  }
  std::set<std::string_view> seen;
  end = 0;
  for (const TensorRecord &tensor : tensors) {
    auto error = [&](const auto &...what) {
      return absl::InvalidArgumentError(absl::StrCat("tensor ", quote(tensor.name), " ", what...));
    };
    auto *spelling = std::find_if(std::begin(kSpellings), std::end(kSpellings),
                                  [&](const Spelling &known) { return known.type == tensor.type; });
    if (spelling == std::end(kSpellings))
      return error("is ", std::string(milName(tensor.type)), ", which safetensors files don't have");
    if (tensor.name.empty() || tensor.name == kMetadata)
      return error("can't have this name");
    if (!seen.insert(tensor.name).second)
      return error("occurs twice");
    absl::StatusOr<uint64_t> bytes = bytesOf(tensor, static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) - end);
    if (!bytes.ok())
      return error(bytes.status().message());
    begin(tensor.name);
    absl::StrAppend(&header, R"({"dtype":")", std::string(spelling->name), R"(","shape":[)",
                    absl::StrJoin(tensor.shape, ","), R"(],"data_offsets":[)", end, ",", end + *bytes, "]}");
    end += *bytes;
  }
  header += '}';
  // Spaces at the end let the elements begin at a multiple of 8, as the reference implementation has it.
  header.append((8 - header.size() % 8) % 8, ' ');
  if (header.size() > kMaxHeaderBytes)
    return absl::InvalidArgumentError(absl::StrCat("a header of ", header.size(), " bytes, limit ", kMaxHeaderBytes));
  return header;
} catch (const nlohmann::json::type_error &error) {
  return absl::InvalidArgumentError(absl::StrCat("a name is not UTF-8, as safetensors files need: ", error.what()));
}

} // namespace

absl::StatusOr<Writer> Writer::create(const std::string &path, const std::vector<TensorRecord> &tensors,
                                      const std::map<std::string, std::string> &metadata) {
  uint64_t end = 0;
  absl::StatusOr<std::string> header = headerOf(tensors, metadata, end);
  if (!header.ok())
    return absl::Status(header.status().code(), absl::StrCat(path, ": ", header.status().message()));
  absl::StatusOr<OutputFile> file = OutputFile::create(path);
  if (!file.ok())
    return file.status();
  Writer writer(*std::move(file));
  uint64_t size = header->size();
  writer.file.startHash();
  if (absl::Status status = writer.file.write(&size, sizeof size); !status.ok())
    return status;
  if (absl::Status status = writer.file.write(header->data(), header->size()); !status.ok())
    return status;
  writer.expected = writer.file.size() + end;
  return writer;
}

absl::Status Writer::commit() {
  if (file.size() != expected)
    return absl::FailedPreconditionError(absl::StrCat(file.path(), ": its tensors and header have ", expected,
                                                      " bytes, ", file.size(), " were written"));
  return file.commit();
}

} // namespace ane::rt::safetensors
