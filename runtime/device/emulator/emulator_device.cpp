//===- emulator_device.cpp - The emulated engine as a device --------------===//

#include "runtime/device/emulator/emulator_device.h"

#include "absl/strings/str_cat.h"
#include "runtime/device/emulator/lint/linter.h"
#include "runtime/device/emulator/program.h"
#include "runtime/device/emulator/surface_io.h"
#include "runtime/format/mil/parser.h"

namespace ane::rt::emulator {
namespace {

/// The kernels are compiled for x86-64-v3 (CMakeLists.txt of this directory).
absl::Status checkProcessor() {
#if defined(ANE_EMULATOR_X86_64_V3)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    return absl::FailedPreconditionError(
        "the emulator is built for processors with AVX2 and FMA; configure "
        "with -DANE_EMULATOR_ARCH=x86-64 for others");
#endif
  return absl::OkStatus();
}

/// Surface of the description for each port, by name.
absl::StatusOr<std::vector<size_t>>
matchPorts(const std::vector<Port> &ports,
           const std::vector<SurfaceDesc> &surfaces, const std::string &where) {
  std::vector<size_t> result;
  for (const Port &port : ports) {
    size_t found = surfaces.size();
    for (size_t i = 0; i < surfaces.size(); ++i)
      if (surfaces[i].name == port.name)
        found = i;
    if (found == surfaces.size())
      return absl::InvalidArgumentError(
          absl::StrCat(where, " '", port.name, "' has no surface"));
    if (absl::Status status = checkSurface(surfaces[found], port.type, where);
        !status.ok())
      return status;
    result.push_back(found);
  }
  for (const SurfaceDesc &surface : surfaces) {
    bool known = false;
    for (const Port &port : ports)
      known |= port.name == surface.name;
    if (!known)
      return absl::InvalidArgumentError(
          absl::StrCat(where, " '", surface.name, "' is not in the program"));
  }
  return result;
}

class EmulatorProgram final : public DeviceProgram {
public:
  EmulatorProgram(ProgramDesc desc, std::unique_ptr<Program> program,
                  std::vector<size_t> inputs, std::vector<size_t> outputs)
      : desc(std::move(desc)), program(std::move(program)),
        inputSurfaces(std::move(inputs)), outputSurfaces(std::move(outputs)) {}

  absl::Status evaluate(absl::Span<Surface *const> inputs,
                        absl::Span<Surface *const> outputs) override {
    if (absl::Status status = checkSizes(inputs, desc.inputs, "input");
        !status.ok())
      return status;
    if (absl::Status status = checkSizes(outputs, desc.outputs, "output");
        !status.ok())
      return status;
    for (size_t i = 0; i < inputSurfaces.size(); ++i) {
      size_t at = inputSurfaces[i];
      void *memory = program->input(i);
      if (!memory)
        continue;
      readSurface(desc.inputs[at], inputs[at]->map(), memory);
      inputs[at]->unmap();
    }
    if (absl::Status status = program->run(); !status.ok())
      return absl::Status(status.code(), absl::StrCat("program '", desc.name,
                                                      "': ", status.message()));
    for (size_t i = 0; i < outputSurfaces.size(); ++i) {
      size_t at = outputSurfaces[i];
      writeSurface(desc.outputs[at], program->output(i), outputs[at]->map());
      outputs[at]->unmap();
    }
    return absl::OkStatus();
  }

private:
  absl::Status checkSizes(absl::Span<Surface *const> surfaces,
                          const std::vector<SurfaceDesc> &descriptions,
                          absl::string_view kind) {
    if (surfaces.size() != descriptions.size())
      return absl::InvalidArgumentError(
          absl::StrCat("program '", desc.name, "' takes ", descriptions.size(),
                       " ", kind, " surfaces, not ", surfaces.size()));
    for (size_t i = 0; i < surfaces.size(); ++i)
      if (!surfaces[i] || surfaces[i]->bytes() < descriptions[i].bytes)
        return absl::InvalidArgumentError(absl::StrCat(
            "program '", desc.name, "': ", kind, " '", descriptions[i].name,
            "' needs a surface of ", descriptions[i].bytes, " bytes, not ",
            surfaces[i] ? surfaces[i]->bytes() : 0));
    return absl::OkStatus();
  }

  ProgramDesc desc;
  std::unique_ptr<Program> program;
  /// Index of the surface of each port of the program.
  std::vector<size_t> inputSurfaces;
  std::vector<size_t> outputSurfaces;
};

class EmulatorDevice final : public Device {
public:
  explicit EmulatorDevice(const EmulatorOptions &options) : options(options) {}

  std::string_view name() const override { return "emulator"; }

  absl::StatusOr<std::unique_ptr<DeviceProgram>>
  load(const ProgramDesc &desc) override {
    if (absl::Status status = checkProcessor(); !status.ok())
      return status;
    std::string source = desc.milPath.empty() ? desc.name : desc.milPath;
    mil::ParseOptions parse;
    parse.fileName = source;
    absl::StatusOr<std::string> text =
        desc.milText.empty() ? mil::readText(desc.milPath) : desc.milText;
    if (!text.ok())
      return text.status();
    absl::StatusOr<mil::Program> tree = mil::parse(*text, parse);
    if (!tree.ok())
      return tree.status();
    if (options.mode == Mode::Lint)
      if (absl::Status status = check(desc, *tree, source, *text);
          !status.ok())
        return status;
    ConstantOptions constants;
    constants.modelDir = desc.modelDir;
    constants.strictBlobs = options.strictBlobs;
    auto program = Program::load(*tree, desc.function, source, constants,
                                 NumericModel::plain());
    if (!program.ok())
      return program.status();
    auto inputs = matchPorts((*program)->inputs(), desc.inputs,
                             absl::StrCat("program '", desc.name, "': input"));
    if (!inputs.ok())
      return inputs.status();
    auto outputs =
        matchPorts((*program)->outputs(), desc.outputs,
                   absl::StrCat("program '", desc.name, "': output"));
    if (!outputs.ok())
      return outputs.status();
    return std::unique_ptr<DeviceProgram>(std::make_unique<EmulatorProgram>(
        desc, std::move(*program), std::move(*inputs), std::move(*outputs)));
  }

private:
  absl::Status check(const ProgramDesc &desc, const mil::Program &tree,
                     const std::string &source, const std::string &text) {
    absl::StatusOr<lint::Target> target = lint::Target::parse(options.target);
    if (!target.ok())
      return target.status();
    lint::LintOptions lintOptions;
    lintOptions.function = desc.function;
    lintOptions.modelDir = desc.modelDir;
    lintOptions.inputs = &desc.inputs;
    lintOptions.outputs = &desc.outputs;
    lintOptions.compiled = compiled++;
    return lint::lintStatus(lint::lint(tree, *target, lintOptions), *target,
                            source, text);
  }

  EmulatorOptions options;
  /// Programs that were given to `load`.
  int64_t compiled = 0;
};

} // namespace

std::unique_ptr<Device> makeEmulatorDevice(const EmulatorOptions &options) {
  return std::make_unique<EmulatorDevice>(options);
}

} // namespace ane::rt::emulator
