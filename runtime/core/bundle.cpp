//===- bundle.cpp - An opened bundle --------------------------------------===//
#include "runtime/core/bundle.h"
#include "absl/strings/str_cat.h"
#include "runtime/core/devices.h"
#include "runtime/format/blob/blob.h"

namespace ane::rt {
namespace {

SurfaceDesc describe(const manifest::Surface &surface) {
  return {surface.name, surface.dtype, surface.shape, surface.rowStride, surface.bytes};
}

/// Maps a weight file. Native code goes straight to its payloads, so the
/// records around them are checked here, which reads 64 bytes each.
absl::StatusOr<MappedFile> mapWeights(const std::string &path, int64_t bytes) {
  auto file = MappedFile::open(path);
  if (!file.ok())
    return file.status();
  // The manifest was checked when the bundle was opened; files may have
  // changed.
  if (static_cast<int64_t>(file->size()) != bytes)
    return absl::DataLossError(absl::StrCat(path, ": has ", file->size(), " bytes, the manifest says ", bytes,
                                            "; the bundle is damaged, compile the model again"));
  auto reader = blob::Reader::fromBytes(file->data(), file->size(), path);
  if (!reader.ok())
    return reader.status();
  if (auto blobs = reader->readAll(); !blobs.ok())
    return blobs.status();
  return file;
}

} // namespace

bool isRefusal(const absl::Status &status) {
  return absl::IsUnimplemented(status) || absl::IsFailedPrecondition(status) || absl::IsResourceExhausted(status) ||
         absl::IsUnavailable(status);
}

absl::StatusOr<std::shared_ptr<Bundle>> Bundle::open(const std::string &dir, const BundleOptions &options) {
  absl::StatusOr<int> threads = resolveThreadCount(options.threads);
  if (!threads.ok())
    return threads.status();
  auto content = manifest::read(dir, {options.verifyHashes});
  if (!content.ok())
    return content.status();
  const manifest::Target &target = content->target;
  auto device = options.makeDevice ? options.makeDevice()
                                   : makeDevice(options.device, options.emulatorMode,
                                                {target.chip, target.route, target.os, target.strictness});
  if (!device.ok())
    return device.status();

  std::shared_ptr<Bundle> bundle(new Bundle());
  bundle->dir = dir;
  bundle->content = std::move(*content);
  bundle->engine = std::move(*device);
  bundle->threads = std::make_unique<ThreadPool>(*threads);
  const manifest::Manifest &m = bundle->content;
  for (size_t i = 0; i < m.programs.size(); ++i)
    bundle->programIndex[m.programs[i].name] = i;
  for (size_t i = 0; i < m.hostFunctions.size(); ++i)
    bundle->hostIndex[m.hostFunctions[i].name] = i;
  for (const manifest::File &file : m.files)
    bundle->fileIndex[file.path] = &file;
  return bundle;
}

std::string Bundle::deviceName() const { return engine ? std::string(engine->name()) : "cpu"; }

std::string Bundle::hostName() const {
  std::lock_guard<std::mutex> lock(mutex);
  return libraryName;
}

absl::StatusOr<const manifest::Function *> Bundle::function(const std::string &name) const {
  std::string names;
  for (const manifest::Function &function : content.functions) {
    if (function.name == (name.empty() ? "main" : name))
      return &function;
    absl::StrAppend(&names, names.empty() ? "" : ", ", function.name);
  }
  if (name.empty() && content.functions.size() == 1)
    return &content.functions.front();
  return absl::NotFoundError(absl::StrCat(dir, ": has no function \"", name.empty() ? "main" : name, "\"; it has ",
                                          names.empty() ? "none" : names));
}

const manifest::Program &Bundle::program(const std::string &name) const {
  return content.programs[programIndex.at(name)];
}

const manifest::HostFunction &Bundle::hostFunction(const std::string &name) const {
  return content.hostFunctions[hostIndex.at(name)];
}

absl::StatusOr<LoadedProgram *> Bundle::load(const manifest::Program &program) {
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<LoadedProgram> &entry = programs[program.name];
  if (entry)
    return entry.get();
  ProgramDesc desc;
  desc.name = program.name;
  desc.milPath = absl::StrCat(dir, "/", program.mil);
  desc.function = program.function;
  desc.modelDir = dir;
  for (const manifest::Surface &surface : program.inputs)
    desc.inputs.push_back(describe(surface));
  for (const manifest::Surface &surface : program.outputs)
    desc.outputs.push_back(describe(surface));
  auto loaded = engine->load(desc);
  if (!loaded.ok() && !isRefusal(loaded.status())) {
    programs.erase(program.name);
    return loaded.status();
  }
  entry = std::make_unique<LoadedProgram>();
  if (loaded.ok())
    entry->program = std::move(*loaded);
  else
    entry->refusal = loaded.status();
  return entry.get();
}

absl::Status Bundle::loadHostLibrary() {
  auto chosen = selectHostLibrary(content.hostLibraries);
  if (!chosen.ok())
    return absl::Status(chosen.status().code(), absl::StrCat(dir, ": ", chosen.status().message()));
  std::vector<MappedFile> files;
  std::vector<const void *> bases;
  for (const std::string &path : content.hostWeights) {
    auto file = mapWeights(absl::StrCat(dir, "/", path), fileIndex.at(path)->bytes);
    if (!file.ok())
      return file.status();
    files.push_back(std::move(*file));
    bases.push_back(files.back().data());
  }
  // dlopen searches the system's folders for a name without a slash.
  std::string path = absl::StrCat(dir.front() == '/' ? "" : "./", dir, "/", (*chosen)->path);
  // Always compared, unlike other files: damaged code has no safe way to fail.
  auto hash = manifest::hashFile(path);
  if (!hash.ok())
    return hash.status();
  if (*hash != fileIndex.at((*chosen)->path)->hash)
    return absl::DataLossError(absl::StrCat(path, ": its xxh128 is not the manifest's; the bundle is damaged, "
                                                  "compile the model again"));
  auto loaded = HostLibrary::load(path);
  if (!loaded.ok())
    return loaded.status();
  library = std::move(*loaded);
  libraryName = nameOf(**chosen);
  weightFiles = std::move(files);
  weightBases = std::move(bases);
  return absl::OkStatus();
}

absl::StatusOr<ane_host_fn> Bundle::code(const manifest::HostFunction &function) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!library)
    if (absl::Status status = loadHostLibrary(); !status.ok())
      return status;
  return library->find(function.symbol);
}

} // namespace ane::rt
