//===- session_weights.cpp - Weights that a session has changed -----------===//
#include "runtime/core/session_weights.h"
#include "absl/strings/str_cat.h"
#include "runtime/core/numeric.h"
#include <algorithm>
#include <cstring>

namespace ane::rt {
namespace {

/// Whether the bundle's form of a weight can show another value, and this one.
absl::Status checkSettable(const manifest::Weight &weight, const void *data) {
  auto refuse = [&](const auto &...why) {
    return absl::UnimplementedError(absl::StrCat("weight ", weight.name, ": cannot be set: ", why...,
                                                 "; remedy: change it in the model and compile"));
  };
  if (std::string why = manifest::whyFixed(weight); !why.empty())
    return refuse(why);
  // Such values would have decided where ops run.
  int64_t count = manifest::elementCount(weight.type.shape);
  auto isNarrowed = [&](const manifest::StoredWeight &stored) { return manifest::isNarrowed(weight, stored); };
  if (std::any_of(weight.stored.begin(), weight.stored.end(), isNarrowed) &&
      (overflowsHalf(data, weight.type.dtype, count) || hasNonFinite(data, weight.type.dtype, count)))
    return refuse("the value has elements that are not finite in float16, as which a program stores it");
  return absl::OkStatus();
}

/// A part of a form, and where its first byte is in the form.
struct Part {
  manifest::StoredWeight stored;
  int64_t first;
};

/// Parts that can be written at the same time: some of the outermost dimension, or of the panels of a matrix.
std::vector<Part> partsOf(const manifest::StoredWeight &stored) {
  constexpr int64_t kFewestBytes = 1 << 18, kParts = 16;
  bool hasPanels = stored.columns != 0 && stored.shape[0] == 1;
  size_t axis = hasPanels ? stored.shape.size() - 1 : 0;
  int64_t step = hasPanels ? stored.columns : 1;
  int64_t units = stored.shape.empty() ? 1 : (stored.shape[axis] + step - 1) / step;
  int64_t count = std::max<int64_t>(std::min({units, stored.bytes / kFewestBytes, kParts}), 1);
  if (count == 1)
    return {{stored, 0}};
  std::vector<Part> parts;
  for (int64_t i = 0; i < count; ++i) {
    int64_t begin = units * i / count, end = units * (i + 1) / count;
    Part part{stored, stored.bytes / units * begin};
    part.stored.shape[axis] = std::min(end * step, stored.shape[axis]) - begin * step;
    part.stored.base += begin * step * stored.strides[axis];
    part.stored.bytes = stored.bytes / units * (end - begin);
    parts.push_back(std::move(part));
  }
  return parts;
}

} // namespace

absl::StatusOr<std::unique_ptr<SessionWeights>> SessionWeights::make(const Bundle &bundle) {
  std::unique_ptr<SessionWeights> made(new SessionWeights(bundle));
  auto folder = bundle.files().again();
  if (!folder.ok())
    return folder.status();
  made->folder = std::make_shared<Folder>(*std::move(folder));
  for (const std::string &path : bundle.manifest().hostWeights) {
    auto file = made->open(path);
    if (!file.ok())
      return file.status();
    made->bases.push_back((*file)->data());
  }
  return made;
}

absl::StatusOr<MappedFile *> SessionWeights::open(const std::string &path) {
  std::shared_ptr<MappedFile> &entry = mapped[path];
  if (entry)
    return entry.get();
  const std::vector<manifest::File> &files = bundle.manifest().files;
  auto listed = std::find_if(files.begin(), files.end(), [&](const manifest::File &file) { return file.path == path; });
  auto file = mapWeights(*folder, *listed, /*copy=*/true);
  if (!file.ok())
    return file.status();
  entry = std::make_shared<MappedFile>(*std::move(file));
  folder->replace(path, entry);
  return entry.get();
}

template <typename Write>
absl::Status SessionWeights::update(const manifest::Weight &weight, Write &&write) {
  std::vector<std::pair<const manifest::StoredWeight *, MappedFile *>> places;
  for (const manifest::StoredWeight &stored : weight.stored) {
    if (!bundle.device() && stored.hostFunctions.empty())
      continue; // no program runs
    auto file = open(stored.file);
    if (!file.ok())
      return file.status();
    places.push_back({&stored, *file});
  }
  bool isFirst = changedWeights.insert(&weight).second;
  for (auto [stored, file] : places) {
    if (isFirst) // later the pages are the session's already
      file->forget(static_cast<uint64_t>(stored->offset), static_cast<uint64_t>(stored->bytes));
    write(*stored, file->mutableData() + stored->offset);
  }
  return absl::OkStatus();
}

absl::Status SessionWeights::set(const manifest::Weight &weight, const void *data, int64_t bytes) {
  int64_t expected = manifest::byteCount(weight.type);
  if (bytes != expected)
    return absl::InvalidArgumentError(absl::StrCat("weight ", weight.name, ": has ", bytes, " bytes, expected ",
                                                   manifest::typeText(weight.type), " of ", expected, " bytes"));
  if (absl::Status status = checkSettable(weight, data); !status.ok())
    return status;
  return update(weight, [&](const manifest::StoredWeight &stored, uint8_t *to) {
    std::vector<Part> parts = partsOf(stored);
    bundle.pool().forEach(parts.size(), [&](uint64_t i) {
      manifest::makeStored(weight, parts[i].stored, static_cast<const uint8_t *>(data), to + parts[i].first);
    });
  });
}

absl::StatusOr<std::unique_ptr<SessionWeights>> SessionWeights::copy() const {
  auto made = make(bundle);
  if (!made.ok())
    return made.status();
  for (const manifest::Weight *weight : changedWeights) {
    absl::Status status = (*made)->update(*weight, [&](const manifest::StoredWeight &stored, uint8_t *to) {
      std::memcpy(to, mapped.at(stored.file)->data() + stored.offset, static_cast<size_t>(stored.bytes));
    });
    if (!status.ok())
      return status;
  }
  return made;
}

} // namespace ane::rt
