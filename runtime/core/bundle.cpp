//===- bundle.cpp - An opened bundle --------------------------------------===//
#include "runtime/core/bundle.h"
#include "absl/strings/str_cat.h"
#include "runtime/core/devices.h"
#include "runtime/core/plan.h"
#include "runtime/core/state_plan.h"
#include "runtime/format/blob/blob.h"
#include "runtime/format/mil/parser.h"
#include <atomic>
#include <cstring>
#include <unistd.h>

namespace ane::rt {
namespace {

std::vector<SurfaceDesc> describe(const std::vector<manifest::Surface> &surfaces) {
  std::vector<SurfaceDesc> list;
  for (const manifest::Surface &surface : surfaces)
    list.push_back({surface.name, surface.dtype, surface.shape, surface.rowStride, surface.bytes});
  return list;
}

} // namespace

absl::StatusOr<MappedFile> mapWeights(const Folder &folder, const manifest::File &listed, bool copy) {
  auto opened = folder.openFile(listed.path);
  if (!opened.ok())
    return opened.status();
  std::string path = folder.nameOf(listed.path);
  int fd = opened->descriptor.get();
  auto file = copy ? MappedFile::mapCopy(fd, path) : MappedFile::map(fd, path);
  if (!file.ok())
    return file.status();
  // The manifest was checked when the bundle was opened; files may have
  // changed.
  if (static_cast<int64_t>(file->size()) != listed.bytes)
    return absl::DataLossError(absl::StrCat(path, ": has ", file->size(), " bytes, the manifest says ", listed.bytes,
                                            "; the bundle is damaged, compile the model again"));
  auto reader = blob::Reader::fromBytes(file->data(), file->size(), path);
  if (!reader.ok())
    return reader.status();
  if (auto blobs = reader->readAll(); !blobs.ok())
    return blobs.status();
  return file;
}

absl::StatusOr<std::shared_ptr<Bundle>> Bundle::open(const std::string &dir, const BundleOptions &options) {
  absl::StatusOr<Folder> folder = Folder::open(dir);
  if (!folder.ok())
    return absl::Status(folder.status().code(), absl::StrCat("cannot open bundle ", folder.status().message(),
                                                             "; give the folder that ane-compile wrote"));
  auto content = manifest::read(*folder, {options.verifyHashes});
  if (!content.ok())
    return content.status();
  // The manifest as it is on disk: another one in its place is another bundle.
  auto file = folder->openFile("manifest.json");
  if (!file.ok())
    return file.status();
  timespec modified = file->modified();
  std::string identity = absl::StrCat(file->info.st_dev, ":", file->info.st_ino, ":", file->bytes(), ":",
                                      modified.tv_sec, ".", modified.tv_nsec);
  std::vector<std::string> listed;
  for (const manifest::File &file : content->files)
    listed.push_back(file.path);
  folder->restrictTo(listed);
  return make(std::make_shared<const Folder>(*std::move(folder)), *std::move(content), options, std::move(identity));
}

/// Null for the CPU.
static absl::StatusOr<std::shared_ptr<DevicePrograms>> deviceOf(const BundleOptions &options,
                                                                const manifest::Target &target) {
  if (!options.makeDevice)
    return Devices::process()->get({options.device, options.emulatorMode, target, options.evaluation});
  auto made = options.makeDevice();
  if (!made.ok())
    return made.status();
  return *made ? std::make_shared<DevicePrograms>(*std::move(made)) : nullptr;
}

absl::StatusOr<std::shared_ptr<Bundle>> Bundle::make(std::shared_ptr<const Folder> folder, manifest::Manifest content,
                                                     const BundleOptions &options, std::string identity) {
  absl::StatusOr<int> threads = resolveThreadCount(options.threads);
  if (!threads.ok())
    return threads.status();
  std::shared_ptr<Bundle> bundle(new Bundle());
  bundle->shared = options.context ? options.context : Context::process();
  auto device = deviceOf(options, content.target);
  if (!device.ok())
    return device.status();
  if (*device) {
    bundle->devicePrograms = *std::move(device);
    bundle->engine = bundle->devicePrograms->device;
    auto surfaces = bundle->shared->surfaces(bundle->engine);
    if (!surfaces.ok())
      return surfaces.status();
    bundle->surfacePool = *std::move(surfaces);
    if (const std::string note = noteOfChips(options.device, content.target.chip); !note.empty())
      bundle->shared->log().write(LogLevel::Warning, folder->name(), ": ", note);
  }
  // Without native code there is nothing for other threads to do.
  auto pool = bundle->shared->pool(options.trust == Trust::Nobody ? 1 : *threads);
  if (!pool.ok())
    return pool.status();
  bundle->threads = *std::move(pool);
  bundle->folder = std::move(folder);
  bundle->content = std::move(content);
  bundle->identity =
      identity.empty() ? absl::StrCat("alone ", reinterpret_cast<uintptr_t>(bundle.get())) : std::move(identity);
  bundle->trust = options.trust;
  bundle->numericPolicy = options.numeric;
  bundle->limit = options.memoryLimit;
  bundle->way = options.weightsBy;
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

const std::string &Bundle::hostName() const {
  static const auto *none = new std::string;
  std::lock_guard<std::mutex> lock(mutex);
  return library ? libraryName : *none;
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
  if (const manifest::Bucket *several = bucket(name))
    return absl::InvalidArgumentError(absl::StrCat(folder->name(), ": function \"", several->name,
                                                   "\" has buckets, of which one is wanted here, by name and with "
                                                   "inputs of its size: one of ",
                                                   names));
  return absl::NotFoundError(absl::StrCat(folder->name(), ": has no function \"", name.empty() ? "main" : name,
                                          "\"; it has ", names.empty() ? "none" : names,
                                          content.training ? ": the bundle trains, which ane-train runs" : ""));
}

const manifest::Bucket *Bundle::bucket(const std::string &name) const {
  for (const manifest::Bucket &bucket : content.buckets)
    if (bucket.name == (name.empty() ? "main" : name))
      return &bucket;
  bool isOnly = content.buckets.size() == 1 && content.buckets[0].functions.size() == content.functions.size();
  return name.empty() && isOnly ? &content.buckets[0] : nullptr;
}

const manifest::Program &Bundle::program(const std::string &name) const {
  return content.programs[programIndex.at(name)];
}

const manifest::HostFunction &Bundle::hostFunction(const std::string &name) const {
  return content.hostFunctions[hostIndex.at(name)];
}

absl::Status Bundle::readFile(const std::string &path, int64_t offset, void *to, int64_t bytes) const {
  auto file = folder->map(path);
  if (!file.ok())
    return file.status();
  if (bytes > static_cast<int64_t>(file->size()) || offset > static_cast<int64_t>(file->size()) - bytes)
    return absl::DataLossError(absl::StrCat(folder->nameOf(path), ": has ", file->size(), " bytes, ", bytes, " at ",
                                            offset, " are wanted; the bundle is damaged, compile the model again"));
  if (bytes != 0)
    std::memcpy(to, static_cast<const uint8_t *>(file->data()) + offset, static_cast<size_t>(bytes));
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<CachedProgram>> Bundle::share(const std::string &key, const manifest::Program &program,
                                                             std::shared_ptr<const Folder> files) const {
  std::vector<std::string> paths = program.weights;
  paths.push_back(program.mil);
  int64_t bytes = 0;
  for (const std::string &path : paths)
    if (auto file = fileIndex.find(path); file != fileIndex.end())
      bytes += file->second->bytes;
  // May be called when this bundle is closed, by another one that shares the program.
  auto create = [folder = std::move(files), device = engine,
                 program]() -> absl::StatusOr<std::unique_ptr<DeviceProgram>> {
    ProgramDesc desc;
    desc.name = program.name;
    auto text = folder->read(program.mil, static_cast<int64_t>(mil::ParseOptions().maxBytes));
    if (!text.ok())
      return text.status();
    desc.milText = *std::move(text);
    desc.source = folder->nameOf(program.mil);
    desc.folder = folder;
    desc.procedures.clear();
    for (const manifest::Procedure &procedure : program.procedures)
      desc.procedures.push_back({procedure.name, describe(procedure.inputs), describe(procedure.outputs)});
    return device->create(desc);
  };
  return shared->program(absl::StrCat(reinterpret_cast<uintptr_t>(engine.get()), " ", key, " ", program.name),
                         devicePrograms, program.name, bytes, std::move(create));
}

absl::StatusOr<std::shared_ptr<CachedProgram>> Bundle::cached(const manifest::Program &program) {
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<CachedProgram> &entry = programs[program.name];
  if (entry)
    return entry;
  auto made = share(identity, program, folder);
  if (!made.ok())
    return made.status();
  return entry = *std::move(made);
}

absl::StatusOr<std::shared_ptr<CachedProgram>> Bundle::cachedFrom(const manifest::Program &program,
                                                                  std::shared_ptr<const Folder> files) {
  // Each time another program: the files have changed since.
  static std::atomic<int64_t> number{0};
  return share(absl::StrCat("set ", ++number), program, std::move(files));
}

std::string Bundle::weightsBy() const { return engine ? shared->cache().waysOf(*devicePrograms).text(way) : "memory"; }

absl::Status Bundle::loadHostLibrary() {
  auto chosen = selectHostLibrary(content.hostLibraries);
  if (!chosen.ok())
    return absl::Status(chosen.status().code(), absl::StrCat(folder->name(), ": ", chosen.status().message()));
  std::vector<MappedFile> files;
  std::vector<const void *> bases;
  for (const std::string &path : content.hostWeights) {
    auto file = mapWeights(*folder, *fileIndex.at(path));
    if (!file.ok())
      return file.status();
    files.push_back(std::move(*file));
    bases.push_back(files.back().data());
  }
  auto file = folder->openFile((*chosen)->path);
  if (!file.ok())
    return file.status();
  std::string path = folder->nameOf((*chosen)->path);
  if (absl::Status status = trust == Trust::Anyone ? absl::OkStatus() : checkOwner(file->info, geteuid(), path);
      !status.ok())
    return status;
  // Always compared, unlike other files: damaged code has no safe way to fail.
  auto hash = manifest::hashFile(file->descriptor, path);
  if (!hash.ok())
    return hash.status();
  if (*hash != fileIndex.at((*chosen)->path)->hash)
    return absl::DataLossError(absl::StrCat(path, ": its xxh128 is not the manifest's; the bundle is damaged, "
                                                  "compile the model again"));
  auto loaded = HostLibrary::load(std::move(file->descriptor), path);
  if (!loaded.ok())
    return loaded.status();
  library = std::move(*loaded);
  libraryName = nameOf(**chosen);
  weightFiles = std::move(files);
  weightBases = std::move(bases);
  return absl::OkStatus();
}

absl::StatusOr<ane_host_fn> Bundle::code(const manifest::HostFunction &function) {
  if (trust == Trust::Nobody)
    return absl::FailedPreconditionError("is native code of the bundle, which was opened without it; "
                                         "allow native code if you trust the bundle");
  std::lock_guard<std::mutex> lock(mutex);
  if (!library)
    if (absl::Status status = loadHostLibrary(); !status.ok())
      return status;
  return library->find(function.symbol);
}

absl::StatusOr<std::shared_ptr<const Plan>> Bundle::plan(const manifest::Function &function) {
  std::lock_guard<std::mutex> lock(planning);
  if (auto found = plans.find(&function); found != plans.end())
    return found->second;
  auto made = Plan::make(*this, function);
  if (!made.ok())
    return made.status();
  std::shared_ptr<const Plan> plan = *std::move(made);
  return plans.emplace(&function, std::move(plan)).first->second; // an entry is whole, whatever throws
}

const std::vector<PlannedState> &Bundle::states() {
  std::lock_guard<std::mutex> lock(planning);
  if (!statePlan)
    statePlan = std::make_shared<std::vector<PlannedState>>(planStates(content, engine != nullptr));
  return *statePlan;
}

} // namespace ane::rt
