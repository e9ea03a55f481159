//===- emulator_device.cpp - The emulated engine as a device --------------===//

#include "runtime/device/emulator/emulator_device.h"

#include "absl/strings/str_cat.h"
#include "runtime/device/emulator/cliffs.h"
#include "runtime/device/emulator/faithful.h"
#include "runtime/device/emulator/lint/linter.h"
#include "runtime/device/emulator/program.h"
#include "runtime/device/emulator/surface_io.h"
#include "runtime/format/mil/parser.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <new>
#include <numeric>
#include <set>
#include <tuple>
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

/// Surface of the description for each port, by name.
absl::StatusOr<std::vector<size_t>> matchPorts(const std::vector<Port> &ports, const std::vector<SurfaceDesc> &surfaces,
                                               const std::string &where) {
  std::map<std::string_view, size_t> byName;
  for (size_t i = 0; i < surfaces.size(); ++i)
    byName[surfaces[i].name] = i;
  std::vector<size_t> result;
  std::set<std::string_view> known;
  for (const Port &port : ports) {
    auto found = byName.find(port.name);
    if (found == byName.end())
      return absl::InvalidArgumentError(absl::StrCat(where, " '", port.name, "' has no surface"));
    if (absl::Status status = checkSurface(surfaces[found->second], port.type, where); !status.ok())
      return status;
    result.push_back(found->second);
    known.insert(port.name);
  }
  for (const SurfaceDesc &surface : surfaces)
    if (known.count(surface.name) == 0)
      return absl::InvalidArgumentError(absl::StrCat(where, " '", surface.name, "' is not in the program"));
  return result;
}

/// The bound on a program together with its surfaces, whose rows may be padded
/// to many times their elements.
absl::Status checkMemory(const Program &program, const ProgramDesc &desc, const Limits &limits) {
  int64_t surfaces = 0;
  for (const auto *list : {&desc.inputs, &desc.outputs})
    for (const SurfaceDesc &surface : *list)
      surfaces = saturatingSum(surfaces, surface.bytes);
  if (saturatingSum(program.workingBytes(), surfaces) > limits.bytes)
    return absl::ResourceExhaustedError(absl::StrCat("program '", desc.name, "' needs ", program.workingBytes(),
                                                     " bytes for its values and ", surfaces,
                                                     " for its surfaces; the limit is ", limits.bytes));
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

/// What all programs of a device share: one process of the engine's users.
/// Programs are loaded, run and destroyed on any thread.
struct Process {
  std::atomic<int64_t> compiled{0};               ///< programs that were given to `load`
  std::atomic<int64_t> loaded{0}, loadedBytes{0}; ///< now, and of their weight files
  std::atomic<bool> poisoned{false};              ///< by a program that must not be (C48)
};

/// What a mode adds to running.
struct Extras {
  Behaviour behaviour;
  int64_t weightBytes = 0; ///< of the files
  /// Lint mode: looked at before each evaluation.
  std::vector<FileStamp> weights;
  std::function<absl::Status(std::vector<std::string>)> reportChanged;
};

class EmulatorProgram final : public DeviceProgram {
public:
  EmulatorProgram(ProgramDesc desc, std::unique_ptr<Program> program, std::vector<size_t> inputs,
                  std::vector<size_t> outputs, Extras extras, std::shared_ptr<Process> process)
      : desc(std::move(desc)), program(std::move(program)), inputSurfaces(std::move(inputs)),
        outputSurfaces(std::move(outputs)), inputMemory(inputSurfaces), outputMemory(outputSurfaces),
        extras(std::move(extras)), process(std::move(process)) {
    this->desc.milText = {}; // parsed
    if (this->extras.behaviour.bindsBySortedName) {
      bindByName(this->program->inputs(), inputMemory);
      bindByName(this->program->outputs(), outputMemory);
    }
    for (const std::string &name : this->extras.behaviour.packed)
      for (auto *list : {&this->desc.inputs, &this->desc.outputs})
        for (SurfaceDesc &surface : *list)
          if (surface.name == name)
            surface.rowStride = surfaceRowBytes(surface.type, surface.shape);
    ++this->process->loaded;
    this->process->loadedBytes += this->extras.weightBytes;
  }
  ~EmulatorProgram() override {
    --process->loaded;
    process->loadedBytes -= extras.weightBytes;
  }

  absl::Status evaluate(absl::Span<Surface *const> inputs, absl::Span<Surface *const> outputs) override {
    return guarded(desc.name, [&] { return run(inputs, outputs); });
  }

private:
  absl::Status run(absl::Span<Surface *const> inputs, absl::Span<Surface *const> outputs) {
    if (absl::Status status = checkSizes(inputs, desc.inputs, "input"); !status.ok())
      return status;
    if (absl::Status status = checkSizes(outputs, desc.outputs, "output"); !status.ok())
      return status;
    if (absl::Status status = checkState(inputs, outputs); !status.ok())
      return status;
    for (size_t i = 0; i < inputSurfaces.size(); ++i) {
      void *memory = program->input(i);
      if (!memory)
        continue;
      Surface *surface = inputs[inputMemory[i]];
      readSurface(desc.inputs[inputSurfaces[i]], surface->map(), memory);
      surface->unmap();
    }
    if (absl::Status status = program->run(); !status.ok())
      return absl::Status(status.code(), absl::StrCat("program '", desc.name, "': ", status.message()));
    for (size_t i = 0; i < outputSurfaces.size(); ++i) {
      Surface *surface = outputs[outputMemory[i]];
      writeSurface(desc.outputs[outputSurfaces[i]], outputValues(i).data(), surface->map());
      surface->unmap();
    }
    if (extras.behaviour.poisons)
      process->poisoned = true;
    return absl::OkStatus();
  }

  /// The i-th surface is the memory of the i-th port in the order of names.
  static void bindByName(const std::vector<Port> &ports, std::vector<size_t> &memory) {
    std::vector<size_t> order(ports.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return ports[a].name < ports[b].name; });
    for (size_t i = 0; i < order.size(); ++i)
      memory[order[i]] = i;
  }

  /// Of an output, in the emulator's form, or what the engine makes of them.
  absl::Span<const uint32_t> outputValues(size_t index) {
    const Port &port = program->outputs()[index];
    auto *values = static_cast<const uint32_t *>(program->output(index));
    auto count = static_cast<size_t>(port.type.size());
    const Behaviour &behaviour = extras.behaviour;
    float nan = std::numeric_limits<float>::quiet_NaN();
    replaced.clear();
    if (behaviour.nan.count(port.name)) {
      uint32_t bits;
      std::memcpy(&bits, &nan, 4);
      replaced.assign(count, bits);
    } else if (behaviour.allZeros || behaviour.zeros.count(port.name)) {
      replaced.assign(count, 0);
    } else if (behaviour.garbage.count(port.name)) {
      for (size_t i = 0; i < count; ++i) {
        float value = garbage(i);
        uint32_t bits;
        std::memcpy(&bits, &value, 4);
        replaced.push_back(bits);
      }
    } else {
      return {values, count};
    }
    return replaced;
  }

  absl::Status checkState(absl::Span<Surface *const> inputs, absl::Span<Surface *const> outputs) {
    std::vector<std::string> changed;
    for (const FileStamp &file : extras.weights)
      if (file != FileStamp::of(*desc.folder, file.path))
        changed.push_back(file.path);
    if (!changed.empty())
      return extras.reportChanged(std::move(changed));
    if (!extras.behaviour.evaluation.ok())
      return named(extras.behaviour.evaluation);
    if (process->poisoned)
      return named(inferenceError("a program with tile ran in this process"));
    // A surface that is bound to a larger tensor.
    for (auto [surfaces, descriptions, memory, geometry] :
         {std::tuple(inputs, &desc.inputs, &inputMemory, &inputSurfaces),
          std::tuple(outputs, &desc.outputs, &outputMemory, &outputSurfaces)})
      for (size_t i = 0; i < memory->size(); ++i) {
        const SurfaceDesc &wanted = (*descriptions)[(*geometry)[i]];
        int64_t needed = surfaceRows(wanted.shape) * wanted.rowStride;
        if (surfaces[(*memory)[i]]->bytes() < needed)
          return named(inferenceError(absl::StrCat("'", wanted.name, "' is bound to a surface of ",
                                                   surfaces[(*memory)[i]]->bytes(), " bytes")));
      }
    return absl::OkStatus();
  }

  absl::Status named(const absl::Status &status) const {
    return absl::Status(status.code(), absl::StrCat("program '", desc.name, "': ", status.message()));
  }

  absl::Status checkSizes(absl::Span<Surface *const> surfaces, const std::vector<SurfaceDesc> &descriptions,
                          absl::string_view kind) {
    if (surfaces.size() != descriptions.size())
      return absl::InvalidArgumentError(absl::StrCat("program '", desc.name, "' takes ", descriptions.size(), " ", kind,
                                                     " surfaces, not ", surfaces.size()));
    for (size_t i = 0; i < surfaces.size(); ++i)
      if (!surfaces[i] || surfaces[i]->bytes() < descriptions[i].bytes)
        return absl::InvalidArgumentError(absl::StrCat("program '", desc.name, "': ", kind, " '", descriptions[i].name,
                                                       "' needs a surface of ", descriptions[i].bytes, " bytes, not ",
                                                       surfaces[i] ? surfaces[i]->bytes() : 0));
    return absl::OkStatus();
  }

  ProgramDesc desc;
  std::unique_ptr<Program> program;
  /// Index of the description of each port of the program, and of the surface
  /// that is read or written for it: the same where binding is right.
  std::vector<size_t> inputSurfaces, outputSurfaces;
  std::vector<size_t> inputMemory, outputMemory;
  Extras extras;
  std::shared_ptr<Process> process;
  std::vector<uint32_t> replaced;
};

class EmulatorDevice final : public Device {
public:
  explicit EmulatorDevice(const EmulatorOptions &options) : options(options), process(std::make_shared<Process>()) {}

  std::string_view name() const override { return "emulator"; }

  absl::StatusOr<std::unique_ptr<DeviceProgram>> load(const ProgramDesc &desc) override {
    return guarded(desc.name, [&] { return loadProgram(desc); });
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
    const Behaviour &behaviour = extras->behaviour;
    ConstantOptions constants;
    constants.folder = desc.folder.get();
    constants.strictBlobs = options.strictBlobs && options.mode != Mode::Faithful;
    constants.readWrongBytes = behaviour.readsWrongBytes;
    auto program = Program::load(*tree, desc.function, source, constants, behaviour.numerics, options.limits);
    if (!program.ok())
      return program.status();
    if (absl::Status status = checkMemory(**program, desc, options.limits); !status.ok())
      return status;
    auto inputs = matchPorts((*program)->inputs(), desc.inputs, absl::StrCat("program '", desc.name, "': input"));
    if (!inputs.ok())
      return inputs.status();
    auto outputs = matchPorts((*program)->outputs(), desc.outputs, absl::StrCat("program '", desc.name, "': output"));
    if (!outputs.ok())
      return outputs.status();
    return std::unique_ptr<DeviceProgram>(std::make_unique<EmulatorProgram>(
        desc, std::move(*program), std::move(*inputs), std::move(*outputs), std::move(*extras), process));
  }

  /// Lints the program: the errors in lint mode, what happens in faithful mode.
  absl::StatusOr<Extras> judge(const ProgramDesc &desc, const mil::Program &tree, const std::string &source) {
    Extras extras;
    if (options.mode == Mode::Plain)
      return extras;
    absl::StatusOr<lint::Target> target = lint::Target::parse(options.target);
    if (!target.ok())
      return target.status();
    lint::LintOptions lintOptions;
    lintOptions.function = desc.function;
    lintOptions.folder = desc.folder.get();
    lintOptions.inputs = &desc.inputs;
    lintOptions.outputs = &desc.outputs;
    lintOptions.compiled = process->compiled++;
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
      extras.behaviour = behaviourOf(found, *target);
      if (!extras.behaviour.load.ok())
        return extras.behaviour.load;
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
      // Surfaces are those of a description that may be gone.
      lintOptions.inputs = lintOptions.outputs = nullptr;
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
