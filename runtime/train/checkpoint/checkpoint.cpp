//===- checkpoint.cpp - Saves runs and goes on with them ------------------===//
#include "runtime/train/checkpoint/checkpoint.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/format/safetensors/safetensors.h"
#include "runtime/format/safetensors/writer.h"
#include "runtime/support/hash.h"
#include "runtime/support/quote.h"
#include "runtime/support/unfinished.h"
#include "runtime/train/checkpoint/store.h"
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <sys/stat.h>

namespace fs = std::filesystem;

namespace ane::rt::train {
namespace {

constexpr std::string_view kPrefix = "step-";
constexpr int64_t kMaxStateBytes = int64_t(64) << 20;

template <typename... Parts>
absl::Status wrong(const std::string &path, const Parts &...parts) {
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", parts...));
}

/// What the files call an array.
std::string keyOf(const RunArray &array) {
  return array.moment.empty() ? array.name : absl::StrCat(array.moment, ".", array.name);
}

int64_t elementsOf(const RunArray &array) { return manifest::elementCount(array.shape); }

/// One of the two files of arrays.
absl::StatusOr<StoredFile> writeArrays(const std::string &folder, const char *name,
                                       absl::Span<const RunArray *const> arrays) {
  std::vector<safetensors::TensorRecord> records;
  for (const RunArray *array : arrays)
    records.push_back({keyOf(*array), ElementType::Float32, array->shape});
  auto writer = safetensors::Writer::create(absl::StrCat(folder, "/", name), records);
  if (!writer.ok())
    return writer.status();
  for (const RunArray *array : arrays)
    if (absl::Status s = writer->write(array->data, static_cast<uint64_t>(elementsOf(*array)) * sizeof(float)); !s.ok())
      return s;
  uint64_t bytes = writer->size();
  if (absl::Status status = writer->commit(); !status.ok())
    return status;
  return StoredFile{name, static_cast<int64_t>(bytes), writer->digest()};
}

absl::Status writeAll(const std::string &folder, StateFile &state, absl::Span<const RunArray> arrays) {
  std::vector<const RunArray *> weights, moments;
  for (const RunArray &array : arrays)
    (array.moment.empty() ? weights : moments).push_back(&array);
  for (auto &[name, list] : {std::pair(kWeightsFile, weights), std::pair(kMomentsFile, moments)}) {
    if (list.empty())
      continue;
    absl::StatusOr<StoredFile> file = writeArrays(folder, name, list);
    if (!file.ok())
      return file.status();
    state.files.push_back(*std::move(file));
  }
  std::string text = printState(state);
  return writeFile(absl::StrCat(folder, "/", kStateFile), text.data(), text.size());
}

/// The step of a checkpoint's name; -1 for other names.
int64_t stepOf(std::string_view name) {
  int64_t step = -1;
  if (name.substr(0, kPrefix.size()) != kPrefix)
    return -1;
  std::string_view digits = name.substr(kPrefix.size());
  if (!std::all_of(digits.begin(), digits.end(), absl::ascii_isdigit) ||
      !absl::SimpleAtoi(absl::string_view(digits.data(), digits.size()), &step) ||
      checkpointPath("", step) != absl::StrCat("/", absl::string_view(name.data(), name.size())))
    return -1;
  return step;
}

/// What killed processes left of any checkpoint.
void removeAllLeftOvers(const std::string &folder) {
  std::set<std::string> places;
  for (const std::string &name : namesIn(folder))
    if (size_t at = name.find(absl::StrCat(".", kUnfinished, "-")); at != std::string::npos)
      if (stepOf(name.substr(0, at)) >= 0)
        places.insert(absl::StrCat(folder, "/", name.substr(0, at)));
  for (const std::string &place : places)
    removeLeftOvers(place);
}

absl::StatusOr<UnfinishedFolder> beginCheckpoint(const std::string &folder, const std::string &place) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    return absl::ErrnoToStatus(error.value(), absl::StrCat("cannot create folder ", folder));
  removeAllLeftOvers(folder);
  return UnfinishedFolder::create(place);
}

/// A file of arrays, as state.json says it is.
absl::StatusOr<safetensors::Checkpoint> openArrays(const std::string &folder, const StoredFile &file) {
  std::string path = absl::StrCat(folder, "/", file.name);
  absl::StatusOr<MappedFile> mapping = MappedFile::open(path);
  if (!mapping.ok())
    return absl::IsNotFound(mapping.status())
               ? absl::DataLossError(absl::StrCat(path, ": is missing, the checkpoint is damaged"))
               : mapping.status();
  Hash hash;
  hash.update(mapping->data(), mapping->size());
  if (mapping->size() != static_cast<uint64_t>(file.bytes) || hash.digest() != file.hash)
    return absl::DataLossError(absl::StrCat(path, ": has ", mapping->size(), " bytes with xxh128 ", hash.digest(), ", ",
                                            kStateFile, " says ", file.bytes, " with ", file.hash,
                                            "; the checkpoint is damaged"));
  return safetensors::Checkpoint::open(path);
}

/// Where each array's values are, or why they are not there.
absl::Status locate(const std::string &path, const safetensors::Checkpoint &file, bool areMoments,
                    absl::Span<const RunArray> arrays, std::vector<const uint8_t *> &places) {
  size_t used = 0;
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (arrays[i].moment.empty() == areMoments)
      continue;
    const safetensors::Tensor *tensor = file.tensor(keyOf(arrays[i]));
    if (!tensor)
      return wrong(path, "has no array ", quote(keyOf(arrays[i])), ", which this run has",
                   areMoments ? "; go on with the same optimizer and the same frozen parameters" : "");
    if (tensor->type != ElementType::Float32 || tensor->shape != arrays[i].shape)
      return wrong(path, "array ", quote(keyOf(arrays[i])), " is ", tensor->describe(), ", this run's is ",
                   manifest::typeText({ElementType::Float32, arrays[i].shape}));
    places[i] = tensor->data;
    ++used;
  }
  if (used == file.tensors().size())
    return absl::OkStatus();
  for (const auto &[name, tensor] : file.tensors())
    if (std::none_of(arrays.begin(), arrays.end(), [&, &key = name](const RunArray &array) {
          return array.moment.empty() != areMoments && keyOf(array) == key;
        }))
      return wrong(path, "has array ", quote(name), ", which this run does not have",
                   areMoments ? "; go on with the same optimizer and the same frozen parameters" : "");
  return absl::OkStatus();
}

absl::StatusOr<RunState> load(const std::string &path, const Identity &identity, absl::Span<const RunArray> arrays) {
  absl::StatusOr<StateFile> state = readCheckpointState(path);
  if (!state.ok())
    return state.status();
  if (std::string found = difference(state->identity, identity); !found.empty())
    return wrong(path, "is a checkpoint of another model: ", found);
  std::vector<const uint8_t *> places(arrays.size(), nullptr);
  std::vector<safetensors::Checkpoint> opened;
  for (const char *name : {kWeightsFile, kMomentsFile}) {
    bool areMoments = name == kMomentsFile;
    auto file = std::find_if(state->files.begin(), state->files.end(),
                             [&](const StoredFile &stored) { return stored.name == name; });
    if (file == state->files.end()) {
      // It has none of these arrays.
      if (absl::Status status = locate(path, safetensors::Checkpoint(), areMoments, arrays, places); !status.ok())
        return status;
      continue;
    }
    absl::StatusOr<safetensors::Checkpoint> arraysOf = openArrays(path, *file);
    if (!arraysOf.ok())
      return arraysOf.status();
    if (absl::Status status = locate(absl::StrCat(path, "/", name), *arraysOf, areMoments, arrays, places);
        !status.ok())
      return status;
    opened.push_back(*std::move(arraysOf));
  }
  for (size_t i = 0; i < arrays.size(); ++i)
    std::memcpy(arrays[i].data, places[i], static_cast<size_t>(elementsOf(arrays[i])) * sizeof(float));
  return std::move(state->run);
}

} // namespace

std::string checkpointPath(const std::string &folder, int64_t step) {
  return absl::StrCat(folder, "/", absl::StrFormat("step-%06d", step));
}

absl::Status checkCheckpoints(const std::string &folder) {
  // It is gone at once.
  return beginCheckpoint(folder, checkpointPath(folder, 0)).status();
}

absl::StatusOr<std::string> saveCheckpoint(const std::string &folder, const RunState &run, const Identity &identity,
                                           absl::Span<const RunArray> arrays, int64_t keep) {
  std::string place = checkpointPath(folder, run.step);
  absl::StatusOr<UnfinishedFolder> made = beginCheckpoint(folder, place);
  if (!made.ok())
    return made.status();
  StateFile state{run, identity, {}};
  if (absl::Status status = writeAll(made->name(), state, arrays); !status.ok())
    return status;
  if (absl::Status status = made->commit(); !status.ok())
    return status;
  if (keep > 0) {
    // Also where later ones are there, of a run that went on from an older one, this one stays.
    std::vector<int64_t> steps = listCheckpoints(folder);
    for (size_t i = 0; i + static_cast<size_t>(keep) < steps.size(); ++i)
      if (steps[i] != run.step)
        removeFolder(checkpointPath(folder, steps[i]));
  }
  return place;
}

std::vector<int64_t> listCheckpoints(const std::string &folder) {
  removeAllLeftOvers(folder);
  std::vector<int64_t> steps;
  for (const std::string &name : namesIn(folder))
    if (int64_t step = stepOf(name); step >= 0)
      steps.push_back(step);
  std::sort(steps.begin(), steps.end());
  return steps;
}

absl::StatusOr<std::string> findCheckpoint(const std::string &path) {
  std::error_code error;
  if (fs::exists(fs::path(path) / kStateFile, error))
    return path;
  std::vector<int64_t> steps = listCheckpoints(path);
  for (auto step = steps.rbegin(); step != steps.rend(); ++step)
    if (std::string found = checkpointPath(path, *step); fs::exists(fs::path(found) / kStateFile, error))
      return found;
  return absl::NotFoundError(absl::StrCat(path, ": has no checkpoint; expected a folder of a run, with a folder ",
                                          "step-NUMBER that has ", kStateFile));
}

absl::StatusOr<StateFile> readCheckpointState(const std::string &path) {
  absl::StatusOr<Folder> folder = Folder::open(path);
  if (!folder.ok())
    return folder.status();
  absl::StatusOr<std::string> text = folder->read(kStateFile, kMaxStateBytes);
  if (!text.ok())
    return text.status();
  return parseState(*text, folder->nameOf(kStateFile));
}

absl::StatusOr<RunState> loadCheckpoint(const std::string &path, const Identity &identity,
                                        absl::Span<const RunArray> arrays) {
  absl::StatusOr<RunState> state = load(path, identity, arrays);
  if (!absl::IsDataLoss(state.status()))
    return state;
  std::string folder = parentOf(path);
  int64_t older = -1, own = stepOf(fs::path(path).filename().string());
  for (int64_t step : listCheckpoints(folder))
    older = step < own ? step : older;
  if (older < 0)
    return state;
  return absl::DataLossError(
      absl::StrCat(state.status().message(), "; an older one is ", checkpointPath(folder, older)));
}

} // namespace ane::rt::train
