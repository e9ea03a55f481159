//===- arrays.cpp - Examples in arrays of NumPy ---------------------------===//
#include "absl/strings/str_cat.h"
#include "runtime/format/npz/npz.h"
#include "runtime/support/hash.h"
#include "runtime/support/quote.h"
#include "runtime/train/data/readers.h"
#include <cstring>

namespace ane::rt::train {
namespace {

template <typename... Parts>
absl::Status wrong(const Parts &...parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

class Arrays : public Dataset {
public:
  Arrays(std::string path, std::vector<npy::Array> arrays) : path(std::move(path)), arrays(std::move(arrays)) {
    for (const npy::Array &array : this->arrays)
      strides.push_back(array.data.size() / static_cast<uint64_t>(array.shape[0]));
  }

  uint64_t size() const override { return static_cast<uint64_t>(arrays[0].shape[0]); }
  bool isText() const override { return false; }
  void read(uint64_t index, absl::Span<void *const> to) const override {
    for (size_t i = 0; i < arrays.size(); ++i)
      std::memcpy(to[i], arrays[i].data.data() + index * strides[i], strides[i]);
  }
  std::string describe() const override { return absl::StrCat(path, ": ", size(), " examples"); }
  std::string fingerprint() const override {
    Hash hash;
    for (const npy::Array &array : arrays)
      hash.update(array.data.data(), array.data.size());
    return hash.digest();
  }

private:
  std::string path;
  std::vector<npy::Array> arrays; ///< of each field
  std::vector<uint64_t> strides;  ///< bytes of an example
};

/// Integers that are indices are in range, or do not count.
template <typename T>
absl::Status checkRange(const npy::Array &array, const Field &field, std::optional<int64_t> ignore,
                        const std::string &subject) {
  int64_t elements = array.elements(), each = field.elements();
  for (int64_t i = 0; i < elements; ++i) {
    T value;
    std::memcpy(&value, array.data.data() + static_cast<size_t>(i) * sizeof value, sizeof value);
    if ((value < field.min || value > field.max) && !(ignore && value == *ignore))
      return wrong(subject, ": element ", i % each, " of example ", i / each, " is ", value, ", expected ", field.min,
                   " to ", field.max, " (", field.reader, ")");
  }
  return absl::OkStatus();
}

absl::Status checkField(const npy::Header &header, const Field &field, const std::string &subject) {
  manifest::TensorType is{header.type, header.shape};
  std::vector<int64_t> rest(header.shape.begin() + !header.shape.empty(), header.shape.end());
  if (header.type != field.type.dtype || header.shape.empty() || rest != field.type.shape) {
    std::string sizes;
    for (int64_t size : field.type.shape)
      absl::StrAppend(&sizes, ",", size);
    return wrong(subject, " is ", manifest::typeText(is), ", the model takes ",
                 std::string(numpyName(field.type.dtype)), "[examples", sizes,
                 "]; convert it with .astype and .reshape, or compile the model for these sizes");
  }
  return header.shape[0] > 0 ? absl::OkStatus() : wrong(subject, " is ", manifest::typeText(is), ": has no example");
}

} // namespace

absl::StatusOr<std::shared_ptr<const Dataset>> openArrays(const std::string &path, const Signature &signature) {
  absl::StatusOr<npz::Archive> archive = npz::Archive::open(path);
  if (!archive.ok())
    return archive.status();
  // All headers before any elements: a wrong file is one at once.
  int64_t examples = 0;
  for (const Field &field : signature.fields) {
    std::string subject = absl::StrCat(path, ": array ", quote(field.name));
    absl::StatusOr<npy::Header> header = archive->header(field.name);
    if (!header.ok())
      return header.status();
    if (absl::Status status = checkField(*header, field, subject); !status.ok())
      return status;
    if (&field != &signature.fields[0] && header->shape[0] != examples)
      return wrong(subject, " has ", header->shape[0], " examples, ", quote(signature.fields[0].name), " has ",
                   examples, "; axis 0 of all arrays is the examples");
    examples = header->shape[0];
  }
  MemoryBudget budget;
  std::vector<npy::Array> arrays;
  for (const Field &field : signature.fields) {
    absl::StatusOr<npy::Array> array = archive->read(field.name, budget);
    if (!array.ok())
      return array.status();
    std::string subject = absl::StrCat(path, ": array ", quote(field.name));
    absl::Status status;
    std::optional<int64_t> ignore = &field == signature.target() ? signature.ignore : std::nullopt;
    if (!field.reader.empty() && field.type.dtype == ElementType::Int32)
      status = checkRange<int32_t>(*array, field, ignore, subject);
    if (!field.reader.empty() && field.type.dtype == ElementType::Int64)
      status = checkRange<int64_t>(*array, field, ignore, subject);
    if (!status.ok())
      return status;
    arrays.push_back(*std::move(array));
  }
  return std::make_shared<const Arrays>(path, std::move(arrays));
}

} // namespace ane::rt::train
