//===- emulator_device.cpp - The emulated engine as a device --------------===//

#include "runtime/device/emulator/emulator_device.h"

#include "absl/strings/str_cat.h"
#include "runtime/device/emulator/lint/linter.h"
#include "runtime/device/emulator/procedure.h"
#include "runtime/format/blob/blob.h"
#include "runtime/format/mil/parser.h"
#include "runtime/support/hash.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <unordered_map>
#include <utility>

namespace ane::rt::emulator {
namespace {

/// The kernels are compiled for x86-64-v3 (CMakeLists.txt of this directory).
absl::Status checkProcessor() {
#if defined(ANE_EMULATOR_X86_64_V3)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    return absl::FailedPreconditionError("the emulator is built for processors with AVX2 and FMA; configure "
                                         "with -DANE_EMULATOR_ARCH=x86-64 for others");
#endif
  return absl::OkStatus();
}

/// What `body` gives, or the status of a process without memory.
template <typename F>
auto guarded(const std::string &program, F body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return absl::ResourceExhaustedError(absl::StrCat("program '", program, "': no memory"));
  }
}

/// Size and time of a weight file when it was read.
struct FileStamp {
  std::string path;
  int64_t bytes = 0;
  std::pair<int64_t, int64_t> time;

  static FileStamp of(const Folder &folder, const std::string &path) {
    absl::StatusOr<FolderFile> file = folder.openFile(path);
    if (!file.ok())
      return {path, -1, {}};
    return {path, file->bytes(), {file->modified().tv_sec, file->modified().tv_nsec}};
  }
  bool operator!=(const FileStamp &other) const { return bytes != other.bytes || time != other.time; }
};

/// What programs share when a second one is loaded from what was compiled of the first: their texts are the
/// same, and the bytes of the weights that they name.
std::string identityOf(const ProgramDesc &desc, const mil::Program &tree) {
  Hash all;
  all.update(desc.milText.data(), desc.milText.size());
  std::map<std::string_view, absl::StatusOr<blob::Reader>> files;
  auto add = [&](const mil::Value &value) {
    std::optional<std::string_view> path = weightPath(value.path);
    if (value.kind != mil::Value::Kind::Blob || !path)
      return;
    auto [file, isNew] = files.try_emplace(*path, absl::NotFoundError(""));
    if (isNew)
      if (auto content = desc.folder->map(*path); content.ok())
        file->second = blob::Reader::of(*std::move(content), "");
    if (!file->second.ok())
      return;
    std::vector<std::string> deviations;
    const auto elements = static_cast<uint64_t>(value.type.numElements().value_or(0));
    if (auto found = file->second->readAs(value.offset, value.type.dtype, elements, deviations); found.ok())
      all.update(found->data, found->bytes);
  };
  if (desc.folder)
    for (const mil::Function &function : tree.functions)
      for (const mil::Statement &statement : function.statements)
        for (const auto *list : {&statement.arguments, &statement.attributes})
          for (const mil::NamedValue &named : *list)
            add(named.value);
  return all.digest();
}

/// What all programs of a device share: one process of the engine's users.
/// Programs are loaded, run and destroyed on any thread.
struct Process {
  /// How many programs were compiled before one that is given to `load` (C05). One with the identity of an earlier one
  /// is not compiled again; one without is.
  int64_t compiledBefore(const std::optional<std::string> &identity) {
    std::lock_guard<std::mutex> lock(mutex);
    if (!identity)
      return compiled++;
    auto [first, isNew] = places.try_emplace(*identity, compiled);
    compiled += isNew;
    return first->second;
  }

  std::atomic<int64_t> loaded{0}, loadedBytes{0}; ///< now, and of their weight files
  std::atomic<bool> poisoned{false};              ///< by a program that must not be (C48)
  std::atomic<int64_t> evaluations{0};            ///< that were asked for

private:
  std::mutex mutex; ///< of the following
  int64_t compiled = 0;
  std::unordered_map<std::string, int64_t> places; ///< of identities: what was compiled before
};

/// What a mode adds to running.
struct Extras {
  std::vector<Behaviour> behaviours; ///< of each procedure
  int64_t weightBytes = 0;           ///< of the files
  /// Lint mode: looked at before each evaluation.
  std::vector<FileStamp> weights;
  std::function<absl::Status(std::vector<std::string>)> reportChanged;
};

class EmulatorProgram final : public DeviceProgram {
public:
  EmulatorProgram(std::string name, std::shared_ptr<const Folder> folder,
                  std::vector<std::unique_ptr<Procedure>> procedures, Extras extras, const ConstantOptions &constants,
                  const Limits &limits, const Machine *machine, std::shared_ptr<Process> process)
      : name(std::move(name)), folder(std::move(folder)), procedures(std::move(procedures)), extras(std::move(extras)),
        constants(constants), limits(limits), machine(machine ? std::optional(*machine) : std::nullopt),
        process(std::move(process)) {
    ++this->process->loaded;
    this->process->loadedBytes += this->extras.weightBytes;
  }
  ~EmulatorProgram() override {
    --process->loaded;
    process->loadedBytes -= extras.weightBytes;
  }

  absl::StatusOr<std::unique_ptr<DeviceProgram>> updateWeights(WeightWay way, std::shared_ptr<const Folder> files,
                                                               absl::Span<const WeightRange> changed) override {
    if (way == WeightWay::Recompile)
      return absl::UnimplementedError(absl::StrCat("program '", name, "': is compiled where programs are loaded"));
    const bool isPatch = way == WeightWay::Patch;
    if (machine && !isPatch && !machine->takesDonors)
      return absl::UnimplementedError(
          absl::StrCat("program '", name, "': this machine loads nothing with what was compiled of another program"));
    if (machine && isPatch && !machine->reloadIsFresh)
      changed = {}; // what was compiled has the weights, and is loaded again
    return guarded(name, [&]() -> absl::StatusOr<std::unique_ptr<DeviceProgram>> {
      if (!files)
        files = folder;
      ConstantOptions options = constants;
      options.folder = files.get();
      std::vector<std::unique_ptr<Procedure>> others;
      isGone |= isPatch; // with parts of its memory
      for (const std::unique_ptr<Procedure> &procedure : procedures) {
        auto other = procedure->withWeights(changed, options, limits, isPatch);
        if (!other.ok())
          return other.status();
        others.push_back(*std::move(other));
      }
      auto made = std::make_unique<EmulatorProgram>(name, std::move(files), std::move(others), extras, options, limits,
                                                    machine ? &*machine : nullptr, process);
      return made;
    });
  }

  absl::Status evaluate(size_t procedure, absl::Span<Surface *const> inputs,
                        absl::Span<Surface *const> outputs) override {
    if (isGone)
      return absl::InvalidArgumentError(absl::StrCat("program '", name, "' was patched, and is gone"));
    if (procedure >= procedures.size())
      return absl::InvalidArgumentError(
          absl::StrCat("program '", name, "' has no procedure ", procedure, ", only ", procedures.size()));
    return guarded(name, [&] { return run(*procedures[procedure], inputs, outputs); });
  }

private:
  absl::Status run(Procedure &procedure, absl::Span<Surface *const> inputs, absl::Span<Surface *const> outputs) {
    if (absl::Status status = procedure.checkSurfaces(inputs, outputs); !status.ok())
      return status;
    if (absl::Status status = checkFiles(); !status.ok())
      return status;
    if (process->poisoned)
      return procedure.named(inferenceError("a program with tile ran in this process"));
    if (machine && machine->failures && ++process->evaluations % machine->failures == 0)
      return procedure.named(inferenceError(absl::StrCat("once in ", machine->failures, " evaluations, as asked")));
    if (absl::Status status = procedure.checkBinding(inputs, outputs); !status.ok())
      return status;
    if (absl::Status status = procedure.run(inputs, outputs); !status.ok())
      return status;
    if (procedure.behaviour().poisons)
      process->poisoned = true;
    return absl::OkStatus();
  }

  absl::Status checkFiles() {
    std::vector<std::string> changed;
    for (const FileStamp &file : extras.weights)
      if (file != FileStamp::of(*folder, file.path))
        changed.push_back(file.path);
    return changed.empty() ? absl::OkStatus() : extras.reportChanged(std::move(changed));
  }

  const std::string name;
  const std::shared_ptr<const Folder> folder;
  const std::vector<std::unique_ptr<Procedure>> procedures;
  Extras extras;
  ConstantOptions constants; ///< its folder is `folder`
  Limits limits;
  const std::optional<Machine> machine; ///< of faithful mode
  std::shared_ptr<Process> process;
  bool isGone = false; ///< it was patched
};

class EmulatorDevice final : public Device {
public:
  explicit EmulatorDevice(const EmulatorOptions &options) : options(options), process(std::make_shared<Process>()) {}

  std::string_view name() const override { return "emulator"; }

  absl::StatusOr<std::unique_ptr<DeviceProgram>> load(const ProgramDesc &desc) override {
    return guarded(desc.name, [&] { return loadProgram(desc); });
  }

  /// The engine's, where it is to be taken at its word.
  ProgramBudgets budgets() const override {
    absl::StatusOr<lint::Target> target = lint::Target::parse(options.target);
    if (options.mode != Mode::Faithful || !target.ok())
      return {};
    return {options.machine.compilations.value_or(target->limit(lint::Limit::CompiledPrograms)),
            target->limit(lint::Limit::LoadedPrograms), target->limit(lint::Limit::LoadedBytes)};
  }

private:
  absl::StatusOr<std::unique_ptr<DeviceProgram>> loadProgram(const ProgramDesc &desc) {
    if (absl::Status status = checkProcessor(); !status.ok())
      return status;
    std::string source = desc.source.empty() ? desc.name : desc.source;
    mil::ParseOptions parse;
    parse.fileName = source;
    absl::StatusOr<mil::Program> tree = mil::parse(desc.milText, parse);
    if (!tree.ok())
      return tree.status();
    absl::StatusOr<Extras> extras = judge(desc, *tree, source);
    if (!extras.ok())
      return extras.status();
    ConstantOptions constants;
    constants.folder = desc.folder.get();
    constants.strictBlobs = options.strictBlobs && options.mode != Mode::Faithful;
    for (const Behaviour &behaviour : extras->behaviours)
      constants.readWrongBytes |= behaviour.readsWrongBytes;
    ConstantPool pool(constants, options.limits);
    std::vector<std::unique_ptr<Procedure>> procedures;
    int64_t values = 0, surfaces = 0;
    for (size_t i = 0; i < desc.procedures.size(); ++i) {
      const ProcedureDesc &wanted = desc.procedures[i];
      Behaviour &behaviour = extras->behaviours[i];
      auto program = Program::load(*tree, wanted.function, source, pool, behaviour.numerics, options.limits);
      if (!program.ok())
        return program.status();
      auto procedure = Procedure::create(desc.nameOf(wanted), wanted, *std::move(program), std::move(behaviour));
      if (!procedure.ok())
        return procedure.status();
      values = saturatingSum(values, (*procedure)->valueBytes());
      surfaces = saturatingSum(surfaces, (*procedure)->surfaceBytes());
      procedures.push_back(*std::move(procedure));
    }
    if (saturatingSum(values, surfaces) > options.limits.bytes)
      return absl::ResourceExhaustedError(absl::StrCat("program '", desc.name, "' needs ", values,
                                                       " bytes for its values and ", surfaces,
                                                       " for its surfaces; the limit is ", options.limits.bytes));
    return std::unique_ptr<DeviceProgram>(std::make_unique<EmulatorProgram>(
        desc.name, desc.folder, std::move(procedures), *std::move(extras), constants, options.limits,
        options.mode == Mode::Faithful ? &options.machine : nullptr, process));
  }

  /// Lints the program: the errors in lint mode, what happens in faithful mode.
  absl::StatusOr<Extras> judge(const ProgramDesc &desc, const mil::Program &tree, const std::string &source) {
    Extras extras;
    extras.behaviours.resize(desc.procedures.size());
    if (options.mode == Mode::Plain)
      return extras;
    absl::StatusOr<lint::Target> target = lint::Target::parse(options.target);
    if (!target.ok())
      return target.status();
    lint::LintOptions lintOptions;
    lintOptions.procedures = desc.procedures;
    lintOptions.folder = desc.folder.get();
    // In faithful mode each load is a compilation, as the context counts them.
    const bool isLint = options.mode == Mode::Lint;
    lintOptions.compiled = process->compiledBefore(isLint ? std::optional(identityOf(desc, tree)) : std::nullopt);
    if (options.mode == Mode::Faithful && options.machine.compilations) {
      if (lintOptions.compiled >= *options.machine.compilations)
        return absl::FailedPreconditionError(absl::StrCat("ANECCompile() FAILED: err=(); program '", desc.name,
                                                          "': the process has compiled ", lintOptions.compiled,
                                                          ", and this machine compiles no more (C05)"));
      lintOptions.compiled = 0; // which the target's limit does not judge
    }
    lintOptions.loadedPrograms = process->loaded;
    lintOptions.loadedBytes = process->loadedBytes;
    lintOptions.source = desc.milText;
    lintOptions.measuredOnly = options.mode == Mode::Faithful;
    std::vector<lint::Diagnostic> found = lint::lint(tree, *target, lintOptions);
    if (desc.folder)
      for (const std::string &path : lint::weightFiles(tree, *desc.folder)) {
        extras.weights.push_back(FileStamp::of(*desc.folder, path));
        extras.weightBytes += std::max<int64_t>(extras.weights.back().bytes, 0);
      }
    if (options.mode == Mode::Faithful) {
      extras.weights.clear(); // a changed file has no effect
      for (size_t i = 0; i < desc.procedures.size(); ++i) {
        std::vector<lint::Diagnostic> own;
        std::copy_if(found.begin(), found.end(), std::back_inserter(own), [&](const lint::Diagnostic &diagnostic) {
          return diagnostic.function == desc.procedures[i].function;
        });
        extras.behaviours[i] = behaviourOf(own, *target);
        if (!extras.behaviours[i].load.ok())
          return extras.behaviours[i].load;
      }
      return extras;
    }
    // An operation that nobody has heard of is no misuse of this engine: the
    // loader refuses it, and the caller has a twin for that.
    found.erase(std::remove_if(found.begin(), found.end(),
                               [](const lint::Diagnostic &diagnostic) {
                                 return !diagnostic.op.empty() && !lint::isKnownOperation(diagnostic.op);
                               }),
                found.end());
    if (absl::Status status = lint::lintStatus(found, *target, source, desc.milText); !status.ok())
      return status;
    extras.reportChanged = [=, text = desc.milText, folder = desc.folder,
                            lintOptions = std::move(lintOptions)](std::vector<std::string> files) mutable {
      lintOptions.changedFiles = std::move(files);
      lintOptions.folder = folder.get();
      lintOptions.source = text;
      return lint::lintStatus(lint::lint(tree, *target, lintOptions), *target, source, text);
    };
    return extras;
  }

  EmulatorOptions options;
  std::shared_ptr<Process> process;
};

} // namespace

std::unique_ptr<Device> makeEmulatorDevice(const EmulatorOptions &options) {
  return std::make_unique<EmulatorDevice>(options);
}

} // namespace ane::rt::emulator
