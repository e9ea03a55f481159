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
  changedWeights.insert(&weight);
  for (auto [stored, file] : places)
    write(*stored, file->mutableData() + stored->offset);
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
    manifest::makeStored(weight, stored, static_cast<const uint8_t *>(data), to);
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
