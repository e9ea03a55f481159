//===- emulator_program.cpp - A program of the emulated engine ------------===//

#include "runtime/device/emulator/emulator_program.h"

#include "absl/strings/str_cat.h"

#include <utility>

namespace ane::rt::emulator {

void EmulatorProgram::enter() {
  isLoaded = true;
  ++process->loaded;
  process->loadedBytes += judgement.weightBytes;
}

void EmulatorProgram::leave() {
  if (!std::exchange(isLoaded, false))
    return;
  --process->loaded;
  process->loadedBytes -= judgement.weightBytes;
}

ConstantOptions EmulatorProgram::constantOptions() const {
  ConstantOptions constants;
  constants.folder = folder.get();
  constants.strictBlobs = process->options.strictBlobs && process->options.mode != Mode::Faithful;
  for (const Behaviour &behaviour : judgement.behaviours)
    constants.readWrongBytes |= behaviour.readsWrongBytes;
  return constants;
}

absl::Status EmulatorProgram::compileNow() {
  return guarded(name(), [&] {
    absl::StatusOr<int64_t> before = countCompilation(*text, *process);
    compiledBefore = before.value_or(0);
    return before.status();
  });
}

absl::Status EmulatorProgram::load() {
  if (isLoaded)
    return absl::OkStatus();
  return guarded(name(), [&]() -> absl::Status {
    absl::StatusOr<Judgement> judged = judge(text, compiledBefore, folder, *process);
    if (!judged.ok())
      return judged.status();
    judgement = *std::move(judged);
    if (procedures.empty())
      if (absl::Status status = makeProcedures(); !status.ok()) {
        procedures.clear();
        return status;
      }
    enter();
    return absl::OkStatus();
  });
}

void EmulatorProgram::unload() {
  leave();
  // Such a machine loads the weights that it has compiled, whatever the files have by then.
  if (!machine() || machine()->reloadIsFresh)
    procedures.clear();
}

absl::Status EmulatorProgram::makeProcedures() {
  const ProgramDesc &desc = text->desc;
  const Limits &limits = process->options.limits;
  ConstantPool pool(constantOptions(), limits);
  int64_t values = 0, surfaces = 0;
  for (size_t i = 0; i < desc.procedures.size(); ++i) {
    const ProcedureDesc &wanted = desc.procedures[i];
    const Behaviour &behaviour = judgement.behaviours[i];
    auto program = Program::load(text->tree, wanted.function, text->source, pool, behaviour.numerics, limits);
    if (!program.ok())
      return program.status();
    auto procedure = Procedure::create(desc.nameOf(wanted), wanted, *std::move(program), behaviour);
    if (!procedure.ok())
      return procedure.status();
    values = saturatingSum(values, (*procedure)->valueBytes());
    surfaces = saturatingSum(surfaces, (*procedure)->surfaceBytes());
    procedures.push_back(*std::move(procedure));
  }
  if (saturatingSum(values, surfaces) > limits.bytes)
    return absl::ResourceExhaustedError(absl::StrCat("program '", desc.name, "' needs ", values,
                                                     " bytes for its values and ", surfaces,
                                                     " for its surfaces; the limit is ", limits.bytes));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<DeviceProgram>>
EmulatorProgram::updateWeightsNow(WeightWay way, std::shared_ptr<const Folder> files,
                                  absl::Span<const WeightRange> changed) {
  if (way == WeightWay::Recompile)
    return absl::UnimplementedError(absl::StrCat("program '", name(), "': is compiled where programs are loaded"));
  const bool isPatch = way == WeightWay::Patch;
  if (machine() && !isPatch && !machine()->takesDonors)
    return absl::UnimplementedError(
        absl::StrCat("program '", name(), "': this machine loads nothing with what was compiled of another program"));
  if (machine() && isPatch && !machine()->reloadIsFresh)
    changed = {}; // what was compiled has the weights, and is loaded again
  return guarded(name(), [&]() -> absl::StatusOr<std::unique_ptr<DeviceProgram>> {
    auto made = std::make_unique<EmulatorProgram>(text, files ? std::move(files) : folder, process);
    made->judgement = judgement;
    made->compiledBefore = compiledBefore;
    isGone |= isPatch; // with parts of its memory
    for (const std::unique_ptr<Procedure> &procedure : procedures) {
      auto other = procedure->withWeights(changed, made->constantOptions(), process->options.limits, isPatch);
      if (!other.ok())
        return other.status();
      made->procedures.push_back(*std::move(other));
    }
    made->enter();
    return made;
  });
}

absl::StatusOr<std::unique_ptr<Request>> EmulatorProgram::request(size_t procedure, absl::Span<Surface *const> inputs,
                                                                  absl::Span<Surface *const> outputs) {
  return guarded(name(), [&]() -> absl::StatusOr<std::unique_ptr<Request>> {
    if (isGone)
      return absl::InvalidArgumentError(absl::StrCat("program '", name(), "' was patched, and is gone"));
    if (!isLoaded)
      return absl::InvalidArgumentError(absl::StrCat("program '", name(), "' is not loaded"));
    if (procedure >= procedures.size())
      return absl::InvalidArgumentError(
          absl::StrCat("program '", name(), "' has no procedure ", procedure, ", only ", procedures.size()));
    if (absl::Status status = procedures[procedure]->checkSurfaces(inputs, outputs); !status.ok())
      return status;
    return DeviceProgram::request(procedure, inputs, outputs);
  });
}

absl::StatusOr<Completion> EmulatorProgram::submit(const Request &request) {
  if (isGone || !isLoaded)
    return absl::InvalidArgumentError(
        absl::StrCat("program '", name(), isGone ? "' was patched, and is gone" : "' is not loaded"));
  absl::Status status = guarded(name(), [&] { return run(request); });
  if (!status.ok())
    return status;
  return Completion();
}

absl::Status EmulatorProgram::run(const Request &request) {
  Procedure &procedure = *procedures[request.procedure];
  if (absl::Status status = checkFiles(); !status.ok())
    return status;
  if (process->poisoned)
    return procedure.named(inferenceError("a program with tile ran in this process"));
  if (machine() && machine()->failures && ++process->evaluations % machine()->failures == 0)
    return procedure.named(inferenceError(absl::StrCat("once in ", machine()->failures, " evaluations, as asked")));
  if (absl::Status status = procedure.checkBinding(request.inputs, request.outputs); !status.ok())
    return status;
  if (absl::Status status = procedure.run(request.inputs, request.outputs); !status.ok())
    return status;
  if (procedure.behaviour().poisons)
    process->poisoned = true;
  return absl::OkStatus();
}

absl::Status EmulatorProgram::checkFiles() const {
  std::vector<std::string> changed;
  for (const FileStamp &file : judgement.weights)
    if (file != FileStamp::of(*folder, file.path))
      changed.push_back(file.path);
  return changed.empty() ? absl::OkStatus() : judgement.reportChanged(std::move(changed));
}

} // namespace ane::rt::emulator
