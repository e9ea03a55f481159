//===- safetensors.cpp - Checkpoints of Hugging Face ----------------------===//
#include "runtime/format/safetensors/safetensors.h"
#include "runtime/format/safetensors/spelling.h"
#include "runtime/support/quote.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>

namespace ane::rt::safetensors {
namespace {

constexpr uint64_t kMaxIndexBytes = 100'000'000;

/// The standard library has traits of characters for chars alone.
std::string_view charsOf(const uint8_t *bytes, uint64_t size) { return {reinterpret_cast<const char *>(bytes), size}; }

/// Takes what the parser finds, and keeps no tree of it: only the schema's few
/// kinds of places are known, and all else ends the parser.
class Header : public nlohmann::json_sax<nlohmann::json> {
public:
  struct Entry {
    std::string dtype;
    std::optional<std::vector<uint64_t>> shape, offsets;
  };
  std::map<std::string, Entry> entries;
  std::map<std::string, std::string> metadata;
  std::string error;

  bool null() override { return fail("null"); }
  bool boolean(bool) override { return fail("a bool"); }
  bool number_integer(number_integer_t value) override { return fail(absl::StrCat(value)); }
  bool number_float(number_float_t, const string_t &text) override { return fail(text); }
  bool binary(binary_t &) override { return fail("binary data"); }
  bool number_unsigned(number_unsigned_t value) override {
    if (place != Place::Numbers)
      return fail(absl::StrCat(value));
    if (numbers.size() == kMaxRank)
      return fail(absl::StrCat("more than ", kMaxRank, " numbers"));
    numbers.push_back(value);
    return true;
  }
  bool string(string_t &text) override {
    if (place == Place::Metadata)
      metadata[field] = text;
    else if (place == Place::Tensor && field == "dtype" && entry->dtype.empty())
      entry->dtype = text;
    else
      return fail(quote(text));
    return true;
  }
  bool start_object(size_t) override {
    if (place == Place::Outside)
      place = Place::Names;
    else if (place == Place::Names)
      place = tensor == kMetadata ? Place::Metadata : Place::Tensor;
    else
      return fail("an object");
    return true;
  }
  bool key(string_t &text) override {
    if (place != Place::Names) {
      field = text;
      return true;
    }
    tensor = text;
    field.clear();
    if (tensor == kMetadata)
      return true;
    auto [at, isNew] = entries.try_emplace(tensor);
    entry = &at->second;
    return isNew || fail("a second tensor of this name");
  }
  bool end_object() override {
    place = place == Place::Names ? Place::Outside : Place::Names;
    return true;
  }
  bool start_array(size_t) override {
    if (place != Place::Tensor || (field != "shape" && field != "data_offsets"))
      return fail("a list");
    place = Place::Numbers;
    numbers.clear();
    return true;
  }
  bool end_array() override {
    place = Place::Tensor;
    std::optional<std::vector<uint64_t>> &target = field == "shape" ? entry->shape : entry->offsets;
    if (target)
      return fail("given twice");
    target = numbers;
    return true;
  }
  bool parse_error(size_t position, const std::string &, const nlohmann::detail::exception &) override {
    if (error.empty())
      error = absl::StrCat("the header is no JSON text from its byte ", position, " on");
    return false;
  }

private:
  enum class Place { Outside, Names, Metadata, Tensor, Numbers } place = Place::Outside;
  std::string tensor, field;
  Entry *entry = nullptr;
  std::vector<uint64_t> numbers;

  bool fail(std::string_view found) {
    error = tensor.empty() ? "the header" : absl::StrCat("tensor ", quote(tensor));
    absl::StrAppend(&error, field.empty() ? "" : absl::StrCat(", ", quote(field)), ": ",
                    absl::string_view(found.data(), found.size()),
                    "; expected are names with dtype, shape and data_offsets");
    return false;
  }
};

/// The tensor that an entry describes; its bytes are those of data_offsets.
absl::StatusOr<Tensor> tensorOf(const Header::Entry &entry, const uint8_t *data, uint64_t size) {
  if (entry.dtype.empty() || !entry.shape || !entry.offsets || entry.offsets->size() != 2)
    return absl::InvalidArgumentError("needs a dtype, a shape and two data_offsets");
  std::optional<ElementType> type = typeFromSpelling(entry.dtype);
  if (!type)
    return absl::InvalidArgumentError(absl::StrCat(
        "dtype ", quote(entry.dtype), " is not supported; supported are BOOL, [IU]8 to 64, F16, BF16, F32, F64"));
  uint64_t begin = (*entry.offsets)[0], end = (*entry.offsets)[1];
  if (begin > end || end > size)
    return absl::InvalidArgumentError(absl::StrCat("lies at ", begin, " to ", end, " of the data, which has ", size,
                                                   " bytes", begin <= end ? "; is the file truncated?" : ""));
  Tensor tensor{*type, {}, data + begin, end - begin, 0, 0};
  // Bounded by the bytes that are there, unless an axis is empty.
  uint64_t bytes = static_cast<uint64_t>(byteWidth(*type));
  bool isEmpty = std::count(entry.shape->begin(), entry.shape->end(), 0u) > 0;
  for (uint64_t dim : *entry.shape) {
    if (dim > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) || (!isEmpty && dim > size / bytes + 1))
      return absl::InvalidArgumentError(absl::StrCat("has an axis of ", dim, ", the data ", size, " bytes"));
    tensor.shape.push_back(static_cast<int64_t>(dim));
    bytes *= isEmpty ? 1 : dim;
  }
  if (isEmpty)
    bytes = 0;
  if (bytes != tensor.bytes)
    return absl::InvalidArgumentError(
        absl::StrCat(tensor.describe(), " takes ", bytes, " bytes, data_offsets give ", tensor.bytes));
  return tensor;
}

} // namespace

std::string Tensor::describe() const {
  std::string_view name = numpyName(type);
  return absl::StrCat(absl::string_view(name.data(), name.size()), "[", absl::StrJoin(shape, ", "), "]");
}

absl::StatusOr<Tensors> parse(const uint8_t *data, uint64_t size, const std::string &name,
                              std::map<std::string, std::string> *metadata) {
  auto error = [&](const auto &...what) { return absl::InvalidArgumentError(absl::StrCat(name, ": ", what...)); };
  uint64_t headerBytes = 0;
  if (size < sizeof headerBytes)
    return error("is no safetensors file: it has ", size, " bytes");
  std::memcpy(&headerBytes, data, sizeof headerBytes);
  if (headerBytes > kMaxHeaderBytes || headerBytes > size - sizeof headerBytes)
    return error("is no safetensors file, or is truncated: its header would have ", headerBytes,
                 " bytes, the file has ", size, " (limit ", kMaxHeaderBytes, ")");
  const uint8_t *text = data + sizeof headerBytes, *begin = text + headerBytes;
  Header header;
  if (!nlohmann::json::sax_parse(charsOf(text, headerBytes), &header))
    return error(header.error);
  uint64_t dataBytes = size - sizeof headerBytes - headerBytes;
  Tensors tensors;
  std::vector<std::pair<uint64_t, const std::string *>> places;
  for (const auto &[key, entry] : header.entries) {
    absl::StatusOr<Tensor> tensor = tensorOf(entry, begin, dataBytes);
    if (!tensor.ok())
      return error("tensor ", quote(key), " ", tensor.status().message());
    tensor->offset = static_cast<uint64_t>(tensor->data - data);
    auto at = tensors.emplace(key, *std::move(tensor)).first;
    places.emplace_back(static_cast<uint64_t>(at->second.data - begin), &at->first);
  }
  std::sort(places.begin(), places.end(), [&](const auto &a, const auto &b) {
    return std::pair(a.first, tensors.at(*a.second).bytes) < std::pair(b.first, tensors.at(*b.second).bytes);
  });
  uint64_t end = 0;
  for (const auto &[place, key] : places) {
    if (place != end)
      return error("tensor ", quote(*key), " begins at ", place, " of the data, the one before it ends at ", end);
    end = place + tensors.at(*key).bytes;
  }
  if (end != dataBytes)
    return error("the tensors end at ", end, " of the data, which has ", dataBytes, " bytes");
  if (metadata)
    *metadata = std::move(header.metadata);
  return tensors;
}

absl::Status Checkpoint::add(const std::string &path) {
  absl::StatusOr<MappedFile> mapping = MappedFile::open(path);
  if (!mapping.ok())
    return mapping.status();
  absl::StatusOr<Tensors> found = parse(mapping->data(), mapping->size(), path);
  if (!found.ok())
    return found.status();
  for (auto &[name, tensor] : *found) {
    tensor.file = paths.size();
    if (auto [known, isNew] = all.emplace(name, tensor); !isNew)
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": tensor ", quote(name), " is in ", paths[known->second.file], ", too"));
  }
  paths.push_back(path);
  mappings.push_back(*std::move(mapping));
  return absl::OkStatus();
}

absl::StatusOr<std::map<std::string, std::string>> parseIndex(const uint8_t *data, uint64_t size,
                                                              const std::string &name) {
  auto error = [&](const auto &...what) { return absl::InvalidArgumentError(absl::StrCat(name, ": ", what...)); };
  if (size > kMaxIndexBytes)
    return error("has ", size, " bytes, limit ", kMaxIndexBytes);
  nlohmann::json json =
      nlohmann::json::parse(charsOf(data, size), [](int depth, auto, auto &) { return depth < 4; }, false);
  if (!json.is_object() || !json.contains("weight_map") || !json["weight_map"].is_object())
    return error("is no index of safetensors files: it has no object 'weight_map'");
  std::map<std::string, std::string> files;
  for (const auto &[tensor, file] : json["weight_map"].items()) {
    const auto *text = file.template get_ptr<const std::string *>();
    // A name ends for the system where a zero stands.
    if (!text || text->empty() || text->find_first_of(std::string_view("/\0", 2)) != std::string::npos ||
        *text == "." || *text == "..")
      return error("weight_map: tensor ", quote(tensor), " needs the name of a file in the index's folder");
    files.emplace(tensor, *text);
  }
  return files;
}

absl::StatusOr<Checkpoint> Checkpoint::open(const std::string &path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  fs::path file = path;
  if (fs::is_directory(file, ignored)) {
    file /= "model.safetensors";
    if (!fs::exists(file, ignored))
      file += ".index.json";
    if (!fs::exists(file, ignored))
      return absl::NotFoundError(
          absl::StrCat(path, ": has neither model.safetensors nor model.safetensors.index.json"));
  }
  Checkpoint checkpoint;
  if (file.extension() != ".json") {
    if (absl::Status s = checkpoint.add(file.string()); !s.ok())
      return s;
    return checkpoint;
  }
  absl::StatusOr<MappedFile> mapping = MappedFile::open(file.string());
  if (!mapping.ok())
    return mapping.status();
  auto index = parseIndex(mapping->data(), mapping->size(), file.string());
  if (!index.ok())
    return index.status();
  std::set<std::string> names;
  for (const auto &[tensor, name] : *index)
    names.insert(name);
  for (const std::string &name : names)
    if (absl::Status s = checkpoint.add((file.parent_path() / name).string()); !s.ok())
      return s;
  for (const auto &[tensor, name] : *index) {
    const Tensor *found = checkpoint.tensor(tensor);
    if (!found || fs::path(checkpoint.paths[found->file]).filename() != name)
      return absl::InvalidArgumentError(absl::StrCat(file.string(), ": tensor ", quote(tensor), " is not in ", name));
  }
  return checkpoint;
}

const Tensor *Checkpoint::tensor(std::string_view name) const {
  auto found = all.find(name);
  return found == all.end() ? nullptr : &found->second;
}

} // namespace ane::rt::safetensors
