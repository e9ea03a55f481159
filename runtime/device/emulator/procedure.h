//===- procedure.h - A function of a loaded program and its surfaces ------===//
#ifndef ANE_RUNTIME_DEVICE_EMULATOR_PROCEDURE_H
#define ANE_RUNTIME_DEVICE_EMULATOR_PROCEDURE_H

#include "runtime/device/device.h"
#include "runtime/device/emulator/faithful.h"
#include "runtime/device/emulator/program.h"

#include <memory>
#include <string>
#include <vector>

namespace ane::rt::emulator {

/// What a device evaluates, for several threads at a time.
class Procedure {
public:
  /// `name` is for messages. InvalidArgument where surfaces are not those of the
  /// function.
  static absl::StatusOr<std::unique_ptr<Procedure>> create(std::string name, ProcedureDesc desc,
                                                           std::unique_ptr<Program> program, Behaviour behaviour);

  /// This one with other weights: Program::withWeights().
  absl::StatusOr<std::unique_ptr<Procedure>>
  withWeights(absl::Span<const WeightRange> changed, const ConstantOptions &constants, const Limits &limits, bool ends);

  const Behaviour &behaviour() const { return effects; }
  int64_t valueBytes() const { return program->workingBytes(); }
  /// Rows of surfaces may be padded to many times their elements.
  int64_t surfaceBytes() const;

  /// Whether there are surfaces for all inputs and outputs, each large enough.
  absl::Status checkSurfaces(absl::Span<Surface *const> inputs, absl::Span<Surface *const> outputs) const;
  /// Whether the engine would run it: with what the records know of it, and of a
  /// surface that is bound to a larger tensor.
  absl::Status checkBinding(absl::Span<Surface *const> inputs, absl::Span<Surface *const> outputs) const;
  absl::Status run(absl::Span<Surface *const> inputs, absl::Span<Surface *const> outputs) const;
  /// A status that says which program it is about.
  absl::Status named(const absl::Status &status) const;

private:
  Procedure(std::string name, ProcedureDesc desc, std::unique_ptr<Program> program, Behaviour behaviour)
      : name(std::move(name)), desc(std::move(desc)), program(std::move(program)), effects(std::move(behaviour)) {}
  absl::Status matchSurfaces();
  absl::Status run(Program::Memory &memory, absl::Span<Surface *const> inputs,
                   absl::Span<Surface *const> outputs) const;
  absl::Span<const uint32_t> outputValues(const Program::Memory &memory, size_t index,
                                          std::vector<uint32_t> &replaced) const;

  const std::string name;
  ProcedureDesc desc;
  std::unique_ptr<Program> program;
  const Behaviour effects;
  /// Index of the description of each port of the program, and of the surface
  /// that is read or written for it: the same where binding is right.
  std::vector<size_t> inputSurfaces, outputSurfaces;
  std::vector<size_t> inputMemory, outputMemory;
};

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_PROCEDURE_H
