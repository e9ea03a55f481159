//===- procedure.cpp - A function of a loaded program and its surfaces ----===//

#include "runtime/device/emulator/procedure.h"

#include "absl/strings/str_cat.h"
#include "runtime/device/emulator/cliffs.h"
#include "runtime/device/emulator/surface_io.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace ane::rt::emulator {
namespace {

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

/// The i-th surface is the memory of the i-th port in the order of names.
void bindByName(const std::vector<Port> &ports, std::vector<size_t> &memory) {
  std::vector<size_t> order(ports.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return ports[a].name < ports[b].name; });
  for (size_t i = 0; i < order.size(); ++i)
    memory[order[i]] = i;
}

} // namespace

absl::StatusOr<std::unique_ptr<Procedure>> Procedure::create(std::string name, ProcedureDesc desc,
                                                             std::unique_ptr<Program> program, Behaviour behaviour) {
  std::unique_ptr<Procedure> made(
      new Procedure(std::move(name), std::move(desc), std::move(program), std::move(behaviour)));
  if (absl::Status status = made->matchSurfaces(); !status.ok())
    return status;
  return made;
}

absl::StatusOr<std::unique_ptr<Procedure>> Procedure::withWeights(absl::Span<const WeightRange> changed,
                                                                  const ConstantOptions &constants,
                                                                  const Limits &limits, bool ends) {
  auto other = program->withWeights(changed, constants, limits, ends);
  if (!other.ok())
    return named(other.status());
  return create(name, desc, *std::move(other), effects);
}

absl::Status Procedure::matchSurfaces() {
  auto inputs = matchPorts(program->inputs(), desc.inputs, absl::StrCat("program '", name, "': input"));
  if (!inputs.ok())
    return inputs.status();
  auto outputs = matchPorts(program->outputs(), desc.outputs, absl::StrCat("program '", name, "': output"));
  if (!outputs.ok())
    return outputs.status();
  inputMemory = inputSurfaces = *std::move(inputs);
  outputMemory = outputSurfaces = *std::move(outputs);
  if (effects.bindsBySortedName) {
    bindByName(program->inputs(), inputMemory);
    bindByName(program->outputs(), outputMemory);
  }
  for (const std::string &packed : effects.packed)
    for (auto *list : {&desc.inputs, &desc.outputs})
      for (SurfaceDesc &surface : *list)
        if (surface.name == packed)
          surface.rowStride = surfaceRowBytes(surface.type, surface.shape);
  return absl::OkStatus();
}

int64_t Procedure::surfaceBytes() const {
  int64_t surfaces = 0;
  for (const auto *list : {&desc.inputs, &desc.outputs})
    for (const SurfaceDesc &surface : *list)
      surfaces = saturatingSum(surfaces, surface.bytes);
  return surfaces;
}

absl::Status Procedure::named(const absl::Status &status) const {
  return absl::Status(status.code(), absl::StrCat("program '", name, "': ", status.message()));
}

absl::Status Procedure::checkSurfaces(absl::Span<Surface *const> inputs, absl::Span<Surface *const> outputs) const {
  for (auto [surfaces, descriptions, kind] :
       {std::tuple(inputs, &desc.inputs, "input"), std::tuple(outputs, &desc.outputs, "output")}) {
    if (surfaces.size() != descriptions->size())
      return absl::InvalidArgumentError(absl::StrCat("program '", name, "' takes ", descriptions->size(), " ", kind,
                                                     " surfaces, not ", surfaces.size()));
    for (size_t i = 0; i < surfaces.size(); ++i)
      if (const SurfaceDesc &wanted = (*descriptions)[i]; !surfaces[i] || surfaces[i]->bytes() < wanted.bytes)
        return absl::InvalidArgumentError(absl::StrCat("program '", name, "': ", kind, " '", wanted.name,
                                                       "' needs a surface of ", wanted.bytes, " bytes, not ",
                                                       surfaces[i] ? surfaces[i]->bytes() : 0));
  }
  return absl::OkStatus();
}

absl::Status Procedure::checkBinding(absl::Span<Surface *const> inputs, absl::Span<Surface *const> outputs) const {
  if (!effects.evaluation.ok())
    return named(effects.evaluation);
  for (auto [surfaces, descriptions, memory, geometry] :
       {std::tuple(inputs, &desc.inputs, &inputMemory, &inputSurfaces),
        std::tuple(outputs, &desc.outputs, &outputMemory, &outputSurfaces)})
    for (size_t i = 0; i < memory->size(); ++i) {
      const SurfaceDesc &wanted = (*descriptions)[(*geometry)[i]];
      int64_t needed = surfaceRows(wanted.shape) * wanted.rowStride;
      if (surfaces[(*memory)[i]]->bytes() < needed)
        return named(inferenceError(
            absl::StrCat("'", wanted.name, "' is bound to a surface of ", surfaces[(*memory)[i]]->bytes(), " bytes")));
    }
  return absl::OkStatus();
}

absl::Status Procedure::run(absl::Span<Surface *const> inputs, absl::Span<Surface *const> outputs) const {
  std::unique_ptr<Program::Memory> memory = program->takeMemory();
  absl::Status status = run(*memory, inputs, outputs);
  program->giveBack(std::move(memory));
  return status;
}

absl::Status Procedure::run(Program::Memory &memory, absl::Span<Surface *const> inputs,
                            absl::Span<Surface *const> outputs) const {
  for (size_t i = 0; i < inputSurfaces.size(); ++i) {
    void *elements = program->input(memory, i);
    if (!elements)
      continue;
    auto mapped = inputs[inputMemory[i]]->map(Access::Read);
    if (!mapped.ok())
      return named(mapped.status());
    readSurface(desc.inputs[inputSurfaces[i]], mapped->data(), elements);
  }
  if (absl::Status status = program->run(memory); !status.ok())
    return named(status);
  std::vector<uint32_t> replaced;
  for (size_t i = 0; i < outputSurfaces.size(); ++i) {
    auto mapped = outputs[outputMemory[i]]->map(Access::Write);
    if (!mapped.ok())
      return named(mapped.status());
    writeSurface(desc.outputs[outputSurfaces[i]], outputValues(memory, i, replaced).data(), mapped->data());
  }
  return absl::OkStatus();
}

/// Of an output, in the emulator's form, or what the engine makes of them.
absl::Span<const uint32_t> Procedure::outputValues(const Program::Memory &memory, size_t index,
                                                   std::vector<uint32_t> &replaced) const {
  const Port &port = program->outputs()[index];
  auto *values = static_cast<const uint32_t *>(program->output(memory, index));
  auto count = static_cast<size_t>(port.type.size());
  float nan = std::numeric_limits<float>::quiet_NaN();
  replaced.clear();
  if (effects.nan.count(port.name)) {
    uint32_t bits;
    std::memcpy(&bits, &nan, 4);
    replaced.assign(count, bits);
  } else if (effects.allZeros || effects.zeros.count(port.name)) {
    replaced.assign(count, 0);
  } else if (effects.garbage.count(port.name)) {
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

} // namespace ane::rt::emulator
