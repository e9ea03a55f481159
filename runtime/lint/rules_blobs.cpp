//===- rules_blobs.cpp - Weight files -------------------------------------===//
//
// Reads headers, records and payloads on its own: the device's compiler takes
// much that is wrong here and computes with whatever is there
// (ane-programming.md 3).
//
//===----------------------------------------------------------------------===//

#include "runtime/lint/rules.h"

#include "absl/strings/match.h"
#include "runtime/format/blob/blob.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace ane::rt::lint {
namespace {

struct BlobUse {
  const mil::Value *value;
  std::string name; ///< of the constant
};

/// Adds every BLOBFILE of the function, in the order of the text.
void addBlobs(const mil::Function &function, std::vector<BlobUse> &result) {
  for (const mil::Statement &statement : function.statements) {
    std::string name = statement.results.empty() ? statement.op : statement.results[0].name;
    for (const auto *list : {&statement.arguments, &statement.attributes})
      for (const mil::NamedValue &named : *list)
        if (named.value.kind == mil::Value::Kind::Blob)
          result.push_back({&named.value, name});
  }
}

std::vector<BlobUse> blobsOf(const mil::Function &function) {
  std::vector<BlobUse> result;
  addBlobs(function, result);
  return result;
}

/// Those of all procedures, which read the same files.
std::vector<BlobUse> blobsOf(const mil::Program &program) {
  std::vector<BlobUse> result;
  for (const mil::Function &function : program.functions)
    addBlobs(function, result);
  return result;
}

uint64_t bytesOf(const mil::Type &type) {
  std::optional<int64_t> count = type.numElements();
  return blob::packedBytes(type.dtype, static_cast<uint64_t>(count.value_or(0))).value_or(0);
}

std::string subjectOf(const BlobUse &use) {
  return absl::StrCat("weight '", use.name, "' at ", use.value->offset, " of '", use.value->path, "'");
}

/// Records that the text names must lie apart, whatever procedures name them.
void overlaps(RuleContext &context, const std::vector<BlobUse> &blobs, uint64_t unit) {
  std::set<std::pair<std::string_view, uint64_t>> places;
  for (const BlobUse &use : blobsOf(*context.program))
    places.insert({use.value->path, use.value->offset});
  for (const BlobUse &use : blobs) {
    auto next = places.upper_bound({use.value->path, use.value->offset});
    if (next == places.end() || next->first != use.value->path)
      continue;
    uint64_t end = use.value->offset + unit + bytesOf(use.value->type);
    if (next->second < end)
      context.reportAt(use.value->loc, subjectOf(use), absl::StrCat("ends at ", end),
                       absl::StrCat("at most ", next->second, ", where the next record is"));
  }
}

/// What the record says, against what the text says.
void compareRecord(RuleContext &context, const BlobUse &use, const blob::Reader &reader) {
  const mil::Value &value = *use.value;
  std::optional<int64_t> count = value.type.numElements();
  std::vector<std::string> deviations;
  auto blob = reader.readAs(value.offset, value.type.dtype, static_cast<uint64_t>(count.value_or(0)), deviations);
  if (!blob.ok()) {
    context.reportAt(value.loc, subjectOf(use), std::string(blob.status().message()));
    return;
  }
  for (const std::string &deviation : deviations) {
    size_t colon = deviation.rfind(": ");
    Diagnostic &diagnostic = context.reportAt(value.loc, subjectOf(use),
                                              colon == std::string::npos ? deviation : deviation.substr(colon + 2));
    // Writers leave the count at 1, and every compiler from M3 on reads such
    // files (ane-programming.md 3.3).
    diagnostic.warning |= absl::StrContains(deviation, "the header counts");
  }
}

/// Each weight file, opened once.
class WeightFiles {
public:
  explicit WeightFiles(const Folder *folder) : folder(folder) {}

  /// Null where the file is not there, or nothing is known of files.
  const absl::StatusOr<blob::Reader> *open(const std::string &name) {
    if (!folder)
      return nullptr;
    auto found = files.find(name);
    if (found == files.end())
      found = files.emplace(name, read(name)).first;
    return absl::IsNotFound(found->second.status()) ? nullptr : &found->second;
  }

private:
  absl::StatusOr<blob::Reader> read(const std::string &name) const {
    std::optional<std::string_view> path = weightPath(name);
    if (!path)
      return absl::InvalidArgumentError(absl::StrCat("\"", name, "\" does not begin with @model_path/"));
    absl::StatusOr<MappedFile> file = folder->map(*path);
    return file.ok() ? blob::Reader::of(*std::move(file), name) : file.status();
  }

  const Folder *folder;
  std::map<std::string, absl::StatusOr<blob::Reader>> files;
};

/// Offsets name records, and records tell the truth.
void blobOffset(RuleContext &context) {
  auto unit = static_cast<uint64_t>(context.limit(Limit::BlobAlignment));
  std::vector<BlobUse> blobs = blobsOf(context.view.function());
  WeightFiles files(context.options.folder);
  for (const BlobUse &use : blobs) {
    uint64_t offset = use.value->offset;
    if (offset < unit || offset % unit != 0) {
      context.reportAt(use.value->loc, subjectOf(use), absl::StrCat("offset ", offset),
                       absl::StrCat("a multiple of ", unit, ", not 0"));
      continue;
    }
    if (const absl::StatusOr<blob::Reader> *file = files.open(use.value->path)) {
      if (!file->ok())
        context.reportAt(use.value->loc, subjectOf(use), std::string(file->status().message()));
      else
        compareRecord(context, use, **file);
    }
  }
  overlaps(context, blobs, unit);
}

/// The first element beyond fp16, as text; "" if there is none.
std::string firstOf(const mil::Value &value, double bound) {
  for (double element : value.floats)
    if (!(std::abs(element) <= bound))
      return absl::StrCat(element);
  return "";
}

std::string firstInfinite(const uint8_t *data, uint64_t bytes) {
  for (uint64_t i = 0; i + 2 <= bytes; i += 2) {
    uint16_t half;
    std::memcpy(&half, data + i, 2);
    if ((half & 0x7C00) == 0x7C00)
      return absl::StrCat(half & 0x3FF ? "NaN" : half & 0x8000 ? "-inf" : "inf", " (element ", i / 2, ")");
  }
  return "";
}

void finiteConstants(RuleContext &context) {
  double bound = numericOf(Numeric::Fp16Max);
  std::string range = absl::StrCat("between -", bound, " and ", bound);
  for (const mil::Statement &statement : context.view.function().statements)
    for (const auto *list : {&statement.arguments, &statement.attributes})
      for (const mil::NamedValue &named : *list) {
        if (named.value.type.dtype != ElementType::Float16 || !named.value.isElements())
          continue;
        std::string found = firstOf(named.value, bound);
        if (!found.empty())
          context.reportAt(
              named.value.loc,
              absl::StrCat("constant '", statement.results.empty() ? named.name : statement.results[0].name, "'"),
              found, range);
      }
  WeightFiles files(context.options.folder);
  // A payload is read once, however often and as whatever shape it is named.
  std::map<std::tuple<std::string_view, uint64_t, int64_t>, std::string> read;
  for (const BlobUse &use : blobsOf(context.view.function())) {
    const mil::Value &value = *use.value;
    const absl::StatusOr<blob::Reader> *file =
        value.type.dtype == ElementType::Float16 ? files.open(value.path) : nullptr;
    if (!file || !file->ok())
      continue;
    int64_t count = value.type.numElements().value_or(0);
    auto [known, isNew] = read.try_emplace({value.path, value.offset, count});
    if (isNew) {
      std::vector<std::string> ignored;
      auto blob = (*file)->readAs(value.offset, value.type.dtype, static_cast<uint64_t>(count), ignored);
      if (blob.ok())
        known->second = firstInfinite(blob->data, blob->bytes);
    }
    if (!known->second.empty())
      context.reportAt(value.loc, subjectOf(use), known->second, range);
  }
}

constexpr RuleEntry kRules[] = {{"checkBlobOffset", blobOffset}, {"checkFiniteConstants", finiteConstants}};

} // namespace

absl::Span<const RuleEntry> blobRules() { return kRules; }

std::vector<std::string> weightFiles(const mil::Program &program, const Folder &folder) {
  std::set<std::string_view> paths;
  for (const mil::Function &function : program.functions)
    for (const BlobUse &use : blobsOf(function))
      if (auto path = weightPath(use.value->path); path && folder.openFile(*path).ok())
        paths.insert(*path);
  return {paths.begin(), paths.end()};
}

} // namespace ane::rt::lint
