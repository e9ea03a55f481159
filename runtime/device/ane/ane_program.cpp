//===- ane_program.cpp - A program on the engine --------------------------===//
#include "runtime/device/ane/ane_program.h"

#include "absl/strings/str_cat.h"
#include "runtime/device/refusal.h"
#include "runtime/support/hash.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <set>

namespace ane::rt::engine {
namespace {

using objc::Runtime;

/// A request as the framework has it.
class AneRequest final : public Request {
public:
  AneRequest(size_t procedure, absl::Span<Surface *const> inputs, absl::Span<Surface *const> outputs,
             std::vector<Bound> (&bound)[2], objc::Owned made)
      : Request(procedure, inputs, outputs), bound{std::move(bound[0]), std::move(bound[1])}, made(std::move(made)) {}
  const std::vector<Bound> bound[2]; ///< inputs, outputs
  const objc::Owned made;
};

/// The weight files that a text names, as it names them.
std::set<std::string> weightFiles(const std::string &text) {
  constexpr std::string_view kFolder = "\"@model_path/";
  std::set<std::string> names;
  for (size_t at = text.find(kFolder); at != std::string::npos; at = text.find(kFolder, at)) {
    const size_t begin = at + 1, end = text.find('"', begin);
    if (end == std::string::npos)
      break;
    names.insert(text.substr(begin, end - begin));
    at = end;
  }
  return names;
}

constexpr char kText[] = "model.mil";

absl::StatusOr<AneModel::Weights> mapWeights(const ProgramDesc &desc, const std::string &subject) {
  AneModel::Weights weights;
  for (const std::string &name : weightFiles(desc.milText)) {
    const std::optional<std::string_view> path = weightPath(name);
    if (!path || !desc.folder)
      return absl::NotFoundError(absl::StrCat(subject, ": weight file \"", name, "\" is not there"));
    auto file = desc.folder->map(*path);
    if (!file.ok())
      return file.status();
    weights.push_back({name, *std::move(file)});
  }
  return weights;
}

/// With what may be why a program is refused that has as many weight constants as a disputed limit: those in files, and
/// numbers of its text as one more (C224).
absl::Status withHint(const absl::Status &status, const std::string &text) {
  constexpr std::string_view kInFile = "BLOBFILE(";
  constexpr int kMost = 16;
  int constants = 1;
  for (size_t at = text.find(kInFile); at != std::string::npos; at = text.find(kInFile, at + 1))
    ++constants;
  if (codeOf(status) != "InvalidMILProgram" || constants <= kMost)
    return status;
  return refuse(refusalOf(status),
                absl::StrCat(status.message(), "; it reads ", constants - 1, " weights of files, and more than ", kMost,
                             " constants may be why (C224): compile the bundle with --constants-per-program=", kMost),
                codeOf(status), waitOf(status));
}

/// Sources differ on whether the identifier of a program covers what its weights hold, or only their names
/// (Disputes.td). What stands behind the text makes it cover them: 64 line ends and blanks, one for each bit of a hash,
/// are another text to the framework (ane-programming.md 1.5), and none to its compiler (4.5).
std::string markOf(const AneModel::Weights &weights) {
  if (weights.empty())
    return "";
  Hash hash;
  for (const auto &[name, file] : weights) {
    hash.update(name.data(), name.size());
    hash.update(file.data(), file.size());
  }
  std::string mark;
  for (char digit : hash.digest().substr(0, 16)) {
    const int value = digit <= '9' ? digit - '0' : digit - 'a' + 10;
    for (int bit = 0; bit < 4; ++bit)
      mark += value >> bit & 1 ? '\n' : ' ';
  }
  return mark;
}

/// The models of this process, by framework and identifier. Never destroyed: programs may end after everything else.
struct Models {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<AneModel>> known;
  static Models &all() {
    static Models *models = new Models;
    return *models;
  }
};

} // namespace

absl::StatusOr<std::shared_ptr<AneModel>> AneModel::get(const std::shared_ptr<const Framework> &framework,
                                                        const ProgramDesc &desc, const std::string &subject) {
  auto weights = mapWeights(desc, subject);
  if (!weights.ok())
    return weights.status();
  auto made = std::make_shared<AneModel>(framework);
  made->text = desc.milText + markOf(*weights);
  made->weights = *std::move(weights);
  made->onDisk = desc.folder;
  if (absl::Status status = Runtime::guarded(subject, [&] { return made->make(subject); }); !status.ok())
    return status;
  Models &models = Models::all();
  std::lock_guard<std::mutex> lock(models.mutex);
  std::weak_ptr<AneModel> &known = models.known[made->key];
  if (std::shared_ptr<AneModel> other = known.lock())
    return other;
  known = made;
  return made;
}

absl::Status AneModel::make(const std::string &subject) {
  constexpr int kMostNames = 64;
  for (int names = 1;; ++names) {
    Runtime::Pool pool(framework->objects().runtime);
    std::vector<std::pair<std::string, std::pair<const void *, uint64_t>>> files;
    for (const auto &[name, file] : weights)
      files.push_back({name, {file.data(), file.size()}});
    auto made = framework->model(subject, text, files);
    if (!made.ok())
      return made.status();
    const std::string identifier = framework->identifier(made->get());
    key = absl::StrCat(reinterpret_cast<uintptr_t>(framework.get()), " ", identifier);
    auto folder = Scratch::at(framework->temporaryFolder(), identifier);
    if (folder.ok()) {
      model = *std::move(made);
      scratch = *std::move(folder);
      break;
    }
    if (!absl::IsAlreadyExists(folder.status()) || names == kMostNames)
      return folder.status();
    // Somebody computes something else under this name. Another line end makes it another text to the framework (1.5),
    // and none to its compiler (4.5).
    text += '\n';
  }
  // Also where it is compiled: the folder has to be there (1.5).
  if (absl::Status status = putFiles(subject, true); !status.ok())
    return status;
  compiled = isKnown(subject);
  if (compiled)
    scratch.keep(!hasCopies);
  return absl::OkStatus();
}

/// Of its folder, all, or those that have gone: a system clears its temporary directory, and links lead nowhere when
/// somebody moves what they lead to.
absl::Status AneModel::putFiles(const std::string &subject, bool isAnew) {
  if (!scratch.isHeld())
    return refuse(Refusal::Gone,
                  absl::StrCat(subject, ": its folder ", scratch.path(), " is another program's by now"));
  absl::Status status = absl::OkStatus();
  if (isAnew || !scratch.has(kText, text.size()))
    status = scratch.write(kText, text.data(), text.size());
  for (const auto &[name, file] : isPatched() ? patched : weights) {
    if (!status.ok())
      return status;
    const std::string path(*weightPath(name));
    // A link saves writing gigabytes; what is in memory alone, as weights that a session has set, is written.
    absl::StatusOr<std::string> target = onDisk->pathOnDisk(path);
    hasCopies |= !target.ok();
    if (target.ok())
      status = scratch.link(path, *target);
    else if (isAnew || !scratch.has(path, file.size()))
      status = scratch.write(path, file.data(), file.size());
  }
  return status;
}

bool AneModel::isKnown(const std::string &subject) const {
  auto known = Runtime::guarded(subject, [&]() -> absl::StatusOr<bool> {
    Runtime::Pool pool(framework->objects().runtime);
    return framework->isCompiled(model.get());
  });
  return known.ok() && *known;
}

bool AneModel::claim(const std::shared_ptr<AneModel> &model) {
  Models &models = Models::all();
  std::lock_guard<std::mutex> lock(models.mutex);
  if (model.use_count() > 1 || !model->scratch.claim())
    return false;
  models.known.erase(model->key);
  return true;
}

absl::Status AneModel::patch(const ProgramDesc &desc, const std::string &subject) {
  auto files = mapWeights(desc, subject);
  if (!files.ok())
    return files.status();
  patched = *std::move(files);
  onDisk = desc.folder;
  return putFiles(subject, true);
}

absl::Status AneModel::adopt(const AneModel &donor, const std::string &subject) {
  if (compiled)
    return absl::OkStatus();
  std::ifstream file(donor.scratch.path() + "/" + kDescription, std::ios::binary);
  const std::string description((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file)
    return absl::UnimplementedError(absl::StrCat(subject, ": what it was compiled to is not there"));
  scratch.keep(false); // later processes don't know the identifier
  absl::Status status = scratch.write(kDescription, description.data(), description.size());
  compiled = status.ok();
  return status;
}

AneModel::~AneModel() {
  Models &models = Models::all();
  {
    std::lock_guard<std::mutex> lock(models.mutex);
    if (auto known = models.known.find(key); known != models.known.end() && known->second.expired())
      models.known.erase(known);
  }
  // Its scratch folder goes last.
  Runtime::guarded("a model", [&] {
    Runtime::Pool pool(framework->objects().runtime);
    model = objc::Owned();
    return absl::OkStatus();
  }).IgnoreError();
}

absl::Status AneModel::compile(const std::string &subject) {
  std::lock_guard<std::shared_mutex> lock(mutex);
  if (compiled) // meanwhile
    return absl::OkStatus();
  if (absl::Status status = putFiles(subject, false); !status.ok())
    return status;
  return Runtime::guarded(subject, [&] {
    Runtime::Pool pool(framework->objects().runtime);
    absl::Status status = framework->compile(subject, model.get());
    if (status.ok()) {
      compiled = isOurs = true;
      scratch.keep(!hasCopies);
    }
    return withHint(status, text);
  });
}

absl::StatusOr<int> AneModel::load(const std::string &subject) {
  std::lock_guard<std::shared_mutex> lock(mutex);
  if (loads > 0 && !isDoubtful) {
    ++loads;
    return losses;
  }
  absl::Status status = Runtime::guarded(subject, [&]() -> absl::Status {
    Runtime::Pool pool(framework->objects().runtime);
    if (loads > 0)
      framework->unload(subject, model.get()).IgnoreError();
    absl::Status there = putFiles(subject, false);
    return there.ok() ? framework->load(subject, model.get()) : there;
  });
  if (status.ok()) {
    ++loads;
    isDoubtful = false;
    return losses;
  }
  // The others find out when they evaluate.
  loads = 0;
  ++losses;
  // What was kept may be gone or, of another process, of another version: a compilation comes first the next time.
  std::error_code none;
  compiled = isOurs && (isKnown(subject) || std::filesystem::exists(scratch.path() + "/" + kDescription, none));
  return status;
}

absl::Status AneModel::unload(const std::string &subject, int epoch) {
  std::lock_guard<std::shared_mutex> lock(mutex);
  if (epoch != losses || --loads > 0)
    return absl::OkStatus();
  isDoubtful = false;
  return Runtime::guarded(subject, [&] {
    Runtime::Pool pool(framework->objects().runtime);
    return framework->unload(subject, model.get());
  });
}

absl::Status AneModel::evaluate(const std::string &subject, objc::Id request, Evaluator &by, std::string &note) {
  std::shared_lock<std::shared_mutex> lock(mutex);
  if (loads == 0)
    return refuse(Refusal::Transient, absl::StrCat(subject, " is no longer loaded"));
  absl::Status status = by.evaluate(subject, model.get(), request, note);
  if (!status.ok())
    isDoubtful = true;
  return status;
}

absl::StatusOr<std::unique_ptr<DeviceProgram>> AneProgram::create(std::shared_ptr<const Framework> framework,
                                                                  std::shared_ptr<Evaluator> evaluator,
                                                                  const ProgramDesc &desc) {
  std::unique_ptr<AneProgram> made(new AneProgram(std::move(framework), std::move(evaluator), desc));
  auto model = AneModel::get(made->framework, desc, made->subject);
  if (!model.ok())
    return model.status();
  made->model = *std::move(model);
  return made;
}

absl::Status AneProgram::compileNow() {
  if (!model)
    return wasPatched();
  if (model->isPatched()) {
    auto own = AneModel::get(framework, desc, subject);
    if (!own.ok())
      return own.status();
    model = *std::move(own);
  }
  return model->compile(subject);
}

absl::Status AneProgram::load() {
  if (isLoaded)
    return absl::OkStatus();
  if (!model)
    return wasPatched();
  auto taken = model->load(subject);
  if (!taken.ok())
    return taken.status();
  epoch = *taken;
  struct Place { // also after an exception
    ~Place() {
      if (!of.isLoaded)
        of.model->unload(of.subject, of.epoch).IgnoreError();
    }
    AneProgram &of;
  } given{*this};
  auto found = Runtime::guarded(subject, [&]() -> absl::StatusOr<std::vector<Symbols>> {
    Runtime::Pool pool(framework->objects().runtime);
    std::vector<Symbols> all;
    for (const ProcedureDesc &procedure : desc.procedures) {
      auto each = symbolsOf(procedure);
      if (!each.ok())
        return each.status();
      all.push_back(*std::move(each));
    }
    return all;
  });
  if (!found.ok())
    return found.status();
  symbols = *std::move(found);
  isLoaded = true;
  return absl::OkStatus();
}

/// Another way may give what this one would have.
absl::Status AneProgram::wasPatched() const {
  return absl::UnimplementedError(absl::StrCat(subject, " was patched, and is gone"));
}

absl::Status AneProgram::unloadModel() {
  return std::exchange(isLoaded, false) ? model->unload(subject, epoch) : absl::OkStatus();
}

void AneProgram::unload() { unloadModel().IgnoreError(); }

AneProgram::~AneProgram() { unload(); }

absl::StatusOr<Symbols> AneProgram::symbolsOf(const ProcedureDesc &procedure) const {
  if (std::optional<Symbols> told = framework->symbols(model->object(), procedure.function))
    if (told->inputs.size() == procedure.inputs.size() && told->outputs.size() == procedure.outputs.size())
      return *std::move(told);
  if (desc.procedures.size() != 1)
    return refuse(Refusal::Program,
                  absl::StrCat(subject, ": the loaded model does not say where its procedures have their symbols"));
  // By name, in the order of bytes (C142; ane-programming.md 2.4).
  Symbols sorted;
  for (auto [ports, list] : {std::pair(&procedure.inputs, &sorted.inputs), {&procedure.outputs, &sorted.outputs}}) {
    for (const SurfaceDesc &port : *ports)
      list->push_back({port.name, 0});
    std::sort(list->begin(), list->end(), [](const auto &a, const auto &b) { return a.name < b.name; });
    for (size_t i = 0; i < list->size(); ++i)
      (*list)[i].index = static_cast<int64_t>(i);
  }
  return sorted;
}

absl::StatusOr<std::unique_ptr<Request>> AneProgram::request(size_t procedure, absl::Span<Surface *const> inputs,
                                                             absl::Span<Surface *const> outputs) {
  if (!isLoaded)
    return absl::InvalidArgumentError(absl::StrCat(subject, " is not loaded"));
  if (procedure >= desc.procedures.size())
    return absl::InvalidArgumentError(
        absl::StrCat(subject, " has no procedure ", procedure, ", only ", desc.procedures.size()));
  const ProcedureDesc &wanted = desc.procedures[procedure];
  std::vector<Bound> bound[2];
  for (int i : {0, 1}) {
    const std::vector<SurfaceDesc> &ports = i ? wanted.outputs : wanted.inputs;
    absl::Span<Surface *const> surfaces = i ? outputs : inputs;
    if (surfaces.size() != ports.size())
      return absl::InvalidArgumentError(
          absl::StrCat(subject, " takes ", ports.size(), i ? " output" : " input", " surfaces, not ", surfaces.size()));
    for (const Symbols::Port &symbol : i ? symbols[procedure].outputs : symbols[procedure].inputs) {
      auto port = std::find_if(ports.begin(), ports.end(), [&](const auto &each) { return each.name == symbol.name; });
      if (port == ports.end())
        return refuse(Refusal::Program, absl::StrCat(subject, ": the loaded model has a symbol \"", symbol.name,
                                                     "\", which the text has not"));
      Surface *surface = surfaces[static_cast<size_t>(port - ports.begin())];
      if (!surface || !surface->nativeHandle() || surface->bytes() < port->bytes)
        return absl::InvalidArgumentError(
            absl::StrCat(subject, ": '", port->name, "' needs a surface of this device with ", port->bytes, " bytes"));
      bound[i].push_back({surface, symbol.index});
    }
  }
  return Runtime::guarded(subject, [&]() -> absl::StatusOr<std::unique_ptr<Request>> {
    Runtime::Pool pool(framework->objects().runtime);
    auto made = framework->request(subject, bound[0], bound[1], symbols[procedure].procedure);
    if (!made.ok())
      return made.status();
    return std::make_unique<AneRequest>(procedure, inputs, outputs, bound, *std::move(made));
  });
}

absl::StatusOr<Completion> AneProgram::submit(const Request &request) {
  if (!isLoaded)
    return absl::InvalidArgumentError(absl::StrCat(subject, " is not loaded"));
  Completion completion;
  absl::Status status =
      model->evaluate(subject, static_cast<const AneRequest &>(request).made.get(), *evaluator, completion.note);
  if (!status.ok())
    return status;
  return completion;
}

absl::Status AneProgram::chain(const Request &request) {
  if (!isLoaded)
    return absl::InvalidArgumentError(absl::StrCat(subject, " is not loaded"));
  const auto &own = static_cast<const AneRequest &>(request);
  return evaluator->chain(subject, model->object(), own.bound[0], own.bound[1], symbols[request.procedure].procedure);
}

absl::StatusOr<std::unique_ptr<DeviceProgram>>
AneProgram::updateWeightsNow(WeightWay way, std::shared_ptr<const Folder> files, absl::Span<const WeightRange>) {
  if (way == WeightWay::Recompile)
    return absl::UnimplementedError(absl::StrCat(subject, ": is compiled where programs are loaded"));
  if (!model)
    return wasPatched();
  ProgramDesc other = desc;
  if (files)
    other.folder = std::move(files);
  if (way == WeightWay::Donor) {
    auto made = create(framework, evaluator, other);
    if (!made.ok())
      return made;
    auto &program = static_cast<AneProgram &>(**made);
    if (absl::Status status = program.model->adopt(*model, subject); !status.ok())
      return status;
    if (absl::Status status = program.load(); !status.ok())
      return status;
    return made;
  }
  if (!AneModel::claim(model))
    return absl::UnimplementedError(absl::StrCat(subject, ": another program has the same text and weights"));
  std::unique_ptr<AneProgram> made(new AneProgram(framework, evaluator, other));
  if (absl::Status status = unloadModel(); !status.ok())
    return status;
  made->model = std::move(model);
  if (absl::Status status = made->model->patch(other, subject); !status.ok())
    return status;
  if (absl::Status status = made->load(); !status.ok())
    return status;
  return made;
}

} // namespace ane::rt::engine
