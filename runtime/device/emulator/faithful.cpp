//===- faithful.cpp - What the engine does with misuse --------------------===//

#include "runtime/device/emulator/faithful.h"

#include "absl/strings/str_cat.h"

#include <optional>

namespace ane::rt::emulator {
namespace {

using lint::Effect;
using lint::Symptom;

/// "C16 conv-channels: output channels: 40000, limit 31999".
std::string reason(const lint::Diagnostic &diagnostic, const lint::Target &target) {
  return absl::StrCat("line ", diagnostic.loc.line, ": ", diagnostic.message(target));
}

void failAsSymptom(Behaviour &behaviour, const lint::Diagnostic &diagnostic, const lint::Target &target) {
  switch (diagnostic.record->symptom) {
  case Symptom::Reject:
    behaviour.load.Update(absl::FailedPreconditionError(
        absl::StrCat("ANECCompile() FAILED: err=(InvalidMILProgram); ", reason(diagnostic, target))));
    return;
  case Symptom::Crash:
    behaviour.load.Update(
        absl::FailedPreconditionError(absl::StrCat("the compile service died; ", reason(diagnostic, target))));
    return;
  case Symptom::EvalFail:
    behaviour.evaluation.Update(inferenceError(reason(diagnostic, target)));
    return;
  default: // values as the text says
    return;
  }
}

/// What becomes of the results of an operation.
std::optional<NumericModel::Fault> faultOf(Effect effect) {
  switch (effect) {
  case Effect::GivesZeros:
    return NumericModel::Fault::Zeros;
  case Effect::GivesGarbage:
    return NumericModel::Fault::Garbage;
  case Effect::DropsFactor:
    return NumericModel::Fault::OtherFactor;
  case Effect::OverflowsEarly:
    return NumericModel::Fault::OverflowsEarly;
  case Effect::OperandOverflows:
  case Effect::PartOverflows: // of what is copied
    return NumericModel::Fault::OperandOverflows;
  default:
    return std::nullopt;
  }
}

NumericModel numericsOf(const lint::Target &target) {
  NumericModel model;
  model.narrowReductions = true;
  for (const lint::Record &record : lint::allRecords()) {
    if (!target.wasSeen(record))
      continue;
    if (record.effect == Effect::IgnoresMask)
      model.attentionIgnoresMask = true;
    if (record.effect == Effect::MakesNoNaN)
      model.makesNoNaN = true;
    if (record.effect == Effect::IgnoresWeight)
      model.convIgnoresRuntimeWeight = true;
    if (record.effect == Effect::Cliff)
      model.cliffs.insert(record.slug);
  }
  if (model.cliffs.count("accumulator-range"))
    model.portLimit = static_cast<float>(lint::numericOf(lint::Numeric::AccumulatorPort));
  model.quantizeHalfAwayFromZero = model.cliffs.count("quantize-rounding") != 0;
  return model;
}

} // namespace

absl::Status inferenceError(const std::string &why) {
  return absl::FailedPreconditionError(absl::StrCat("ANEProgramProcessRequestDirect() Failed with status=0x1d : "
                                                    "Program Inference error; ",
                                                    why));
}

Behaviour behaviourOf(absl::Span<const lint::Diagnostic> diagnostics, const lint::Target &target) {
  Behaviour behaviour;
  behaviour.numerics = numericsOf(target);
  // Outputs below 32 lanes are zeros, whatever else their rows would cause.
  std::set<std::string> zeros;
  for (const lint::Diagnostic &diagnostic : diagnostics)
    if (!diagnostic.warning && !diagnostic.isInput && diagnostic.record->effect == Effect::GivesZeros)
      zeros.insert(diagnostic.ports.begin(), diagnostic.ports.end());
  for (const lint::Diagnostic &diagnostic : diagnostics) {
    if (diagnostic.warning)
      continue;
    const std::vector<std::string> &ports = diagnostic.ports;
    if (auto fault = faultOf(diagnostic.record->effect))
      for (const std::string &result : diagnostic.results)
        behaviour.numerics.faults.emplace(result, *fault);
    switch (diagnostic.record->effect) {
    case Effect::BySymptom:
      if (diagnostic.record->symptom == Symptom::EvalFail && !ports.empty() && zeros.count(ports[0]))
        break;
      failAsSymptom(behaviour, diagnostic, target);
      break;
    case Effect::SwapsSurfaces:
      behaviour.bindsBySortedName = true;
      break;
    case Effect::GivesNaN:
      behaviour.nan.insert(ports.begin(), ports.end());
      break;
    case Effect::GivesZeros:
      behaviour.zeros.insert(ports.begin(), ports.end());
      behaviour.allZeros |= diagnostic.isInput;
      break;
    case Effect::GivesGarbage:
      behaviour.garbage.insert(ports.begin(), ports.end());
      break;
    case Effect::ReadsWrongRows:
      behaviour.packed.insert(ports.begin(), ports.end());
      break;
    case Effect::ReadsWrongBytes:
      behaviour.readsWrongBytes = true;
      break;
    case Effect::PoisonsProcess:
      behaviour.poisons = true;
      break;
    case Effect::DropsFactor:      // NumericModel
    case Effect::OverflowsEarly:   // NumericModel
    case Effect::OperandOverflows: // NumericModel
    case Effect::PartOverflows:    // NumericModel
    case Effect::MakesNoNaN:       // NumericModel
    case Effect::IgnoresMask:      // NumericModel
    case Effect::IgnoresWeight:    // NumericModel
    case Effect::Cliff:            // NumericModel
    case Effect::KeepsWeights:     // as always: files are read once; what a reload does is the Machine's
    case Effect::ComputesAnyway:
    case Effect::NotTold:
      break;
    }
  }
  return behaviour;
}

} // namespace ane::rt::emulator
