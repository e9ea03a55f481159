//===- run_outputs.cpp - Results of a run ---------------------------------===//
#include "runtime/tools/run_outputs.h"
#include "absl/strings/str_cat.h"
#include "runtime/core/convert.h"
#include "runtime/format/npy/npy.h"
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

namespace fs = std::filesystem;

namespace ane::rt::tools {

std::string outputFileName(const std::string &name) {
  std::string file = name;
  for (char &c : file)
    if (!isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_' && c != ':' && c != '-')
      c = '_';
  return file + ".npy";
}

absl::StatusOr<std::vector<std::string>> writeOutputs(const std::vector<Port> &outputs, const std::string &dir) {
  std::map<std::string, std::string> names;
  for (const Port &port : outputs) {
    auto [it, added] = names.emplace(outputFileName(port.name), port.name);
    if (!added)
      return absl::InvalidArgumentError(
          absl::StrCat("outputs ", it->second, " and ", port.name, " would both be written to ", it->first));
  }
  std::error_code error;
  bool existed = fs::exists(dir, error);
  fs::create_directories(dir, error);
  if (error)
    return absl::InvalidArgumentError(absl::StrCat(dir, ": cannot make the folder: ", error.message()));

  std::vector<std::string> written;
  for (const Port &port : outputs) {
    std::string path = (fs::path(dir) / outputFileName(port.name)).string();
    ElementType type = port.type.dtype;
    const void *data = port.data;
    std::vector<float> widened;
    if (type == ElementType::BFloat16) { // NumPy has no such type
      int64_t count = manifest::elementCount(port.type.shape);
      widened.resize(count);
      convertElements(data, type, widened.data(), ElementType::Float32, count);
      type = ElementType::Float32;
      data = widened.data();
    }
    if (absl::Status status = npy::write(path, type, port.type.shape, data); !status.ok()) {
      for (const std::string &file : written)
        fs::remove(file, error);
      if (!existed)
        fs::remove(dir, error);
      return absl::Status(status.code(), absl::StrCat("output ", port.name, ": ", status.message()));
    }
    written.push_back(path);
  }
  return written;
}

std::vector<double> elementsOf(const Port &port) {
  std::vector<double> values(manifest::elementCount(port.type.shape));
  convertElements(port.data, port.type.dtype, values.data(), ElementType::Float64, static_cast<int64_t>(values.size()));
  return values;
}

Summary summarize(const std::vector<double> &values) {
  Summary summary;
  summary.count = static_cast<int64_t>(values.size());
  if (values.empty())
    return summary;
  summary.min = std::numeric_limits<double>::infinity();
  summary.max = -summary.min;
  double sum = 0;
  bool hasNaN = false;
  for (double value : values) {
    summary.min = std::min(summary.min, value);
    summary.max = std::max(summary.max, value);
    sum += value;
    hasNaN = hasNaN || std::isnan(value);
  }
  summary.mean = sum / static_cast<double>(values.size());
  if (hasNaN) // comparisons skip it
    summary.min = summary.max = std::numeric_limits<double>::quiet_NaN();
  return summary;
}

Difference compare(const std::vector<double> &actual, const std::vector<double> &reference) {
  Difference result;
  double squares = 0, dot = 0, normA = 0, normB = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    double a = actual[i], b = reference[i];
    if (std::isnan(a) && std::isnan(b))
      continue;
    if (std::isnan(a) || std::isnan(b))
      ++result.oneNaN;
    double error = a == b ? 0 : std::fabs(a - b);
    if (std::isnan(error))
      error = std::numeric_limits<double>::infinity();
    result.maxAbs = std::max(result.maxAbs, error);
    result.maxReference = std::max(result.maxReference, std::fabs(b));
    squares += error * error;
    dot += a * b;
    normA += a * a;
    normB += b * b;
  }
  if (!actual.empty())
    result.rms = std::sqrt(squares / static_cast<double>(actual.size()));
  if (normA != 0 || normB != 0)
    result.cosine = dot / std::sqrt(normA * normB);
  return result;
}

} // namespace ane::rt::tools
