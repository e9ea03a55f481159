//===- run_inputs.cpp - Values for the inputs of a run --------------------===//
#include "runtime/tools/run_inputs.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/core/convert.h"
#include "runtime/format/npy/npy.h"
#include <algorithm>

namespace ane::rt::tools {
namespace {

/// SplitMix64. The standard library's distributions differ between machines;
/// the same seed has to give the same inputs everywhere.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
  }
  int64_t below(uint64_t limit) { return static_cast<int64_t>(next() % limit); }
  /// Nearly normal, by the sum of twelve uniform numbers: exact arithmetic, so
  /// again the same everywhere.
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i)
      sum += static_cast<double>(next() >> 11) * 0x1p-53;
    return sum;
  }

private:
  uint64_t state;
};

uint64_t hashName(const std::string &name) {
  uint64_t hash = 0xCBF29CE484222325; // FNV-1a
  for (unsigned char c : name)
    hash = (hash ^ c) * 0x100000001B3;
  return hash;
}

/// The type with `size` where buckets differ.
manifest::TensorType sized(manifest::TensorType type, int64_t size) {
  std::replace(type.shape.begin(), type.shape.end(), int64_t(-1), size);
  return type;
}

/// `size` becomes that of the input, where it has one.
absl::Status readInput(RunSession &session, size_t index, const std::string &path, int64_t &size) {
  const Port &port = session.inputs()[index];
  std::string subject = absl::StrCat("input ", port.name, " (", path, ")");
  auto array = npy::read(path);
  if (!array.ok())
    return absl::Status(array.status().code(), absl::StrCat("input ", port.name, ": ", array.status().message()));
  int64_t own = size;
  for (size_t i = 0; i < port.type.shape.size() && array->shape.size() == port.type.shape.size(); ++i)
    if (port.type.shape[i] == -1)
      size = own = array->shape[i];
  manifest::TensorType type = sized(port.type, own);
  if (absl::Status status = npy::expect(*array, type.dtype, type.shape, subject); !status.ok()) {
    if (array->type == type.dtype)
      return status;
    return absl::InvalidArgumentError(
        absl::StrCat(status.message(), "; convert it with a.astype(\"", std::string(numpyName(type.dtype)), "\")"));
  }
  return session.setInput(index, array->data.data(), static_cast<int64_t>(array->data.size()));
}

} // namespace

void drawInput(const std::string &name, const manifest::TensorType &type, int64_t seed, void *data) {
  std::string lower = absl::AsciiStrToLower(name);
  auto named = [&](const char *word) { return absl::StrContains(lower, word); };
  int64_t count = manifest::elementCount(type.shape);
  int64_t last = type.shape.empty() ? 1 : type.shape.back();
  Random random(hashName(name) + static_cast<uint64_t>(seed));
  auto *bytes = static_cast<uint8_t *>(data);
  for (int64_t i = 0; i < count; ++i) {
    void *element = bytes + i * byteWidth(type.dtype);
    if (isFloat(type.dtype)) {
      double value = random.normal();
      convertElements(&value, ElementType::Float64, element, type.dtype, 1);
      continue;
    }
    int64_t value = type.dtype == ElementType::Bool ? random.below(2) : random.below(100);
    if (named("mask"))
      value = 1;
    else if (named("type") || named("segment"))
      value = 0;
    else if (named("position"))
      value = i % last;
    convertElements(&value, ElementType::Int64, element, type.dtype, 1);
  }
}

absl::Status setInputs(RunSession &session, const RunOptions &options) {
  const std::vector<Port> &ports = session.inputs();
  int64_t size = session.largestSize();
  std::string names;
  for (const Port &port : ports)
    absl::StrAppend(&names, names.empty() ? "" : ", ", port.name, " ", manifest::typeText(port.type));
  for (const auto &[name, path] : options.inputs) {
    // Names may hold a "=": the longest that fits is meant.
    std::string given = absl::StrCat(name, "=", path);
    size_t index = ports.size(), length = 0;
    for (size_t i = 0; i < ports.size(); ++i)
      if (ports[i].name.size() >= length && absl::StartsWith(given, absl::StrCat(ports[i].name, "="))) {
        index = i;
        length = ports[i].name.size();
      }
    if (index == ports.size())
      return absl::InvalidArgumentError(
          absl::StrCat("--input: function ", session.running().name(), " has no input \"", name, "\"; it has ", names));
    if (absl::Status s = readInput(session, index, given.substr(length + 1), size); !s.ok())
      return s;
  }
  for (size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].set)
      continue;
    if (!options.randomInputs)
      return absl::InvalidArgumentError(absl::StrCat("input ", ports[i].name, " (", manifest::typeText(ports[i].type),
                                                     ") has no value; give --input ", ports[i].name,
                                                     "=FILE.npy, or --random-inputs"));
    manifest::TensorType type = sized(ports[i].type, size);
    std::vector<uint8_t> data(manifest::byteCount(type));
    drawInput(ports[i].name, type, options.seed, data.data());
    if (absl::Status s = session.setInput(i, data.data(), static_cast<int64_t>(data.size())); !s.ok())
      return s;
  }
  return absl::OkStatus();
}

} // namespace ane::rt::tools
