//===- session_weights.cpp - Weights that a session has changed -----------===//
#include "runtime/core/session_weights.h"
#include "absl/strings/str_cat.h"
#include "runtime/core/numeric.h"
#include "runtime/support/number_text.h"
#include <algorithm>
#include <atomic>
#include <cstring>

namespace ane::rt {

/// Of a weight, a part that can be written while others are, and where its first byte is in the form.
struct SessionWeights::Part {
  manifest::StoredWeight stored;
  int64_t first;
};

/// A form that is written.
struct SessionWeights::Form {
  Place place;
  std::vector<Part> parts;
  std::vector<std::pair<int64_t, int64_t>> changed; ///< bytes of each part, where it `isCompared`
  int64_t partBytes = 0;                            ///< of the largest part
  bool isCompared = false;                          ///< with what is there
};

namespace {

/// Of float32, on all threads.
bool areFiniteInHalf(ThreadPool &pool, const void *data, int64_t count) {
  constexpr int64_t kPart = 1 << 16;
  std::atomic<bool> areFinite{true};
  pool.forEach(static_cast<uint64_t>((count + kPart - 1) / kPart), [&](uint64_t i) {
    const int64_t begin = static_cast<int64_t>(i) * kPart;
    if (areFinite && !isFiniteInHalf(static_cast<const float *>(data) + begin, std::min(kPart, count - begin)))
      areFinite = false;
  });
  return areFinite;
}

/// Whether the bundle's form of a weight can show another value, and this one.
absl::Status checkSettable(ThreadPool &pool, const manifest::Weight &weight, const void *data) {
  auto refuse = [&](const auto &...why) {
    return absl::UnimplementedError(absl::StrCat("weight ", weight.name, ": cannot be set: ", why...,
                                                 "; remedy: change it in the model and compile"));
  };
  if (std::string why = manifest::whyFixed(weight); !why.empty())
    return refuse(why);
  // Such values would have decided where ops run.
  auto isNarrowed = [&](const manifest::StoredWeight &stored) { return manifest::isNarrowed(weight, stored); };
  if (std::any_of(weight.stored.begin(), weight.stored.end(), isNarrowed) &&
      !areFiniteInHalf(pool, data, manifest::elementCount(weight.type.shape)))
    return refuse("the value has elements that are not finite in float16, as which a program stores it");
  return absl::OkStatus();
}

} // namespace

/// Some of the outermost dimension, or of the panels of a matrix.
std::vector<SessionWeights::Part> SessionWeights::partsOf(const manifest::StoredWeight &stored) {
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

namespace {

/// From the first byte that differs to behind the last one, as places in `to`, where `from` is then; both 0 if none
/// does.
std::pair<int64_t, int64_t> replaceBytes(absl::Span<const uint8_t> from, uint8_t *to) {
  const auto size = static_cast<int64_t>(from.size());
  if (std::memcmp(from.data(), to, from.size()) == 0)
    return {0, 0};
  const int64_t begin = std::mismatch(from.begin(), from.end(), to).first - from.begin();
  int64_t end = size;
  while (from[static_cast<size_t>(end) - 1] == to[end - 1])
    --end;
  std::memcpy(to + begin, from.data() + begin, static_cast<size_t>(end - begin));
  return {begin, end};
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

absl::StatusOr<std::vector<SessionWeights::Place>> SessionWeights::placesOf(const manifest::Weight &weight) {
  std::vector<Place> places;
  for (const manifest::StoredWeight &stored : weight.stored) {
    if (!bundle.device() && stored.hostFunctions.empty())
      continue; // no program runs
    auto file = open(stored.file);
    if (!file.ok())
      return file.status();
    places.push_back({&stored, *file});
  }
  return places;
}

uint8_t *SessionWeights::Place::memory(bool isFirst) const {
  if (isFirst) // later the pages are the session's already
    file->forget(static_cast<uint64_t>(stored->offset), static_cast<uint64_t>(stored->bytes));
  return file->mutableData() + stored->offset;
}

bool SessionWeights::hasReader(const manifest::StoredWeight &stored) const {
  return !stored.programs.empty() || std::any_of(stored.hostFunctions.begin(), stored.hostFunctions.end(),
                                                 [&](const std::string &name) { return readers.count(name) != 0; });
}

/// Null where the form stands in its file.
const uint8_t *SessionWeights::unwritten(const manifest::StoredWeight &stored) const {
  auto found = values.find(&stored);
  return found == values.end() ? nullptr : found->second;
}

absl::StatusOr<std::vector<SessionWeights::Change>> SessionWeights::set(const manifest::Weight &weight,
                                                                        const void *data, int64_t bytes, bool stays) {
  int64_t expected = manifest::byteCount(weight.type);
  if (bytes != expected)
    return absl::InvalidArgumentError(absl::StrCat("weight ", weight.name, ": has ", unsignedSize(bytes),
                                                   " bytes, expected ", manifest::typeText(weight.type), " of ",
                                                   expected, " bytes"));
  if (absl::Status status = checkSettable(bundle.pool(), weight, data); !status.ok())
    return status;
  auto places = placesOf(weight);
  if (!places.ok())
    return places.status();
  // All memory comes first: what is written can't be taken back.
  const bool isFirst = changedWeights.count(&weight) == 0;
  std::vector<Form> forms;
  std::vector<Change> changes;
  const auto turns = static_cast<size_t>(bundle.pool().threads());
  for (const Place &place : *places) {
    if (stays && !hasReader(*place.stored)) {
      values.try_emplace(place.stored);
      continue;
    }
    Form form{place, partsOf(*place.stored), {}, 0};
    form.changed.resize(form.parts.size());
    for (const Part &part : form.parts)
      form.partBytes = std::max(form.partBytes, part.stored.bytes);
    // CPU code reads the memory, whatever has changed; old bytes of the first time are not in memory, nor wanted there.
    form.isCompared = !isFirst && !place.stored->programs.empty();
    if (form.isCompared)
      scratch.resize(std::max(scratch.size(), turns * static_cast<size_t>(form.partBytes)));
    changes.reserve(changes.capacity() + form.parts.size());
    forms.push_back(std::move(form));
  }
  const bool isAll = !untold.insert(&weight).second || isFirst;
  changedWeights.insert(&weight);
  for (const Place &place : *places)
    if (auto value = values.find(place.stored); value != values.end())
      value->second = stays && !hasReader(*place.stored) ? static_cast<const uint8_t *>(data) : nullptr;
  for (Form &form : forms) {
    write(weight, form, static_cast<const uint8_t *>(data), isFirst);
    const manifest::StoredWeight &stored = *form.place.stored;
    for (size_t i = 0; i < form.parts.size(); ++i) {
      const auto [begin, end] = isAll ? std::pair(int64_t(0), form.parts[i].stored.bytes) : form.changed[i];
      if (begin != end && !stored.programs.empty())
        changes.push_back({&stored, stored.offset + form.parts[i].first + begin, end - begin});
    }
  }
  return changes;
}

/// As many parts at a time as there are threads, which have room for one each.
void SessionWeights::write(const manifest::Weight &weight, Form &form, const uint8_t *value, bool isFirst) {
  uint8_t *to = form.place.memory(isFirst);
  const size_t count = form.parts.size(),
               turns = form.isCompared ? static_cast<size_t>(bundle.pool().threads()) : count;
  for (size_t begin = 0; begin < count; begin += turns)
    bundle.pool().forEach(std::min(turns, count - begin), [&](uint64_t turn) {
      const auto &[stored, first] = form.parts[begin + turn];
      if (!form.isCompared)
        return manifest::makeStored(weight, stored, value, to + first);
      uint8_t *made = scratch.data() + turn * static_cast<size_t>(form.partBytes);
      manifest::makeStored(weight, stored, value, made);
      form.changed[begin + turn] = replaceBytes({made, static_cast<size_t>(stored.bytes)}, to + first);
    });
}

absl::Status SessionWeights::addReader(const std::string &hostFunction) {
  readers.insert(hostFunction);
  for (const manifest::Weight *weight : changedWeights)
    for (const manifest::StoredWeight &stored : weight->stored) {
      const uint8_t *value = unwritten(stored);
      if (!value || !hasReader(stored))
        continue;
      auto file = open(stored.file);
      if (!file.ok())
        return file.status();
      Form form{{&stored, *file}, partsOf(stored), {}};
      write(*weight, form, value, /*isFirst=*/false);
      values[&stored] = nullptr;
    }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<SessionWeights>> SessionWeights::copy() const {
  auto made = make(bundle);
  if (!made.ok())
    return made.status();
  for (const manifest::Weight *weight : changedWeights) {
    auto places = (*made)->placesOf(*weight);
    if (!places.ok())
      return places.status();
    (*made)->changedWeights.insert(weight);
    for (const Place &place : *places)
      if (const uint8_t *value = unwritten(*place.stored))
        manifest::makeStored(*weight, *place.stored, value, place.memory(true));
      else
        std::memcpy(place.memory(true), mapped.at(place.stored->file)->data() + place.stored->offset,
                    static_cast<size_t>(place.stored->bytes));
  }
  return made;
}

} // namespace ane::rt
