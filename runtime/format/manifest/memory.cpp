//===- memory.cpp - What a run of a function needs ------------------------===//
#include "runtime/format/manifest/memory.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include <algorithm>
#include <unordered_map>

namespace ane::rt::manifest {
namespace {

/// Sums stay far from the largest number.
constexpr int64_t kMost = int64_t(1) << 60;
int64_t sum(int64_t a, int64_t b) { return std::min(a + b, kMost); }

} // namespace

std::string sizeText(int64_t bytes) {
  return bytes < 1000000      ? absl::StrCat(bytes, " bytes")
         : bytes < 1000000000 ? absl::StrFormat("%.1f MB", static_cast<double>(bytes) / 1e6)
                              : absl::StrFormat("%.1f GB", static_cast<double>(bytes) / 1e9);
}

ValueLives valueLives(const Manifest &manifest, const Function &function,
                      const std::function<bool(int64_t)> &elsewhere) {
  const int64_t end = static_cast<int64_t>(function.steps.size());
  ValueLives result;
  std::unordered_map<int64_t, size_t> slots;
  auto touch = [&](int64_t tensor, int64_t step) {
    if (elsewhere(tensor))
      return;
    auto [it, added] = slots.try_emplace(tensor, result.lives.size());
    if (added) {
      result.tensors.push_back(tensor);
      result.lives.push_back({byteCount(manifest.tensors[tensor].type), step, step});
    }
    result.lives[it->second].last = std::max(result.lives[it->second].last, step);
  };
  for (const Port &port : function.inputs) {
    touch(port.tensor, -1);
    touch(port.tensor, end);
  }
  for (int64_t i = 0; i < end; ++i) {
    for (int64_t tensor : function.steps[i].inputs)
      touch(tensor, i);
    for (int64_t tensor : function.steps[i].outputs)
      touch(tensor, i);
  }
  for (const Port &port : function.outputs)
    touch(port.tensor, end);
  for (const Check &check : function.checks)
    touch(check.tensor, end);
  for (const StateUse &use : function.states)
    touch(use.write, end);
  return result;
}

int64_t narrowedBytes(const Surface &surface, const TensorType &type) {
  if (!surface.mask.extent)
    return 0;
  const int64_t room = surface.mask.inner * static_cast<int64_t>(sizeof(float));
  return (byteCount(type) + 3) / 4 * 4 + room;
}

void SurfaceKinds::add(const Surface &surface, int64_t bytes) {
  for (Kind &kind : kinds)
    if (areAlike(*kind.first, surface)) {
      kind.bytes = std::max(kind.bytes, bytes);
      return;
    }
  kinds.push_back({&surface, bytes});
}

int64_t SurfaceKinds::bytesFor(const Surface &surface) const {
  return std::find_if(kinds.begin(), kinds.end(), [&](const Kind &kind) { return areAlike(*kind.first, surface); })
      ->bytes;
}

Procedures::Procedures(const Manifest &manifest) {
  for (const Program &program : manifest.programs)
    programs.emplace(program.name, &program);
}

const Procedure &Procedures::of(const Step &step) const {
  const std::vector<Procedure> &list = programs.at(step.target)->procedures;
  return *std::find_if(list.begin(), list.end(),
                       [&](const Procedure &procedure) { return procedure.name == step.procedure; });
}

void addSurfaces(const Procedures &procedures, const Function &function,
                 std::unordered_map<int64_t, SurfaceKinds> &kinds) {
  for (const Step &step : function.steps) {
    if (step.kind != Step::Kind::Program)
      continue;
    const Procedure &procedure = procedures.of(step);
    for (size_t i = 0; i < step.inputs.size(); ++i)
      kinds[step.inputs[i]].add(procedure.inputs[i]);
    for (size_t i = 0; i < step.outputs.size(); ++i)
      kinds[step.outputs[i]].add(procedure.outputs[i]);
  }
}

RunMemory runMemory(const Manifest &manifest, const Function &function, int64_t values, bool onDevice) {
  std::unordered_map<std::string, int64_t> scratch;
  for (const HostFunction &host : manifest.hostFunctions)
    scratch[host.name] = host.arenaBytes;
  const Procedures procedures(manifest);
  RunMemory memory;
  memory.values = values;
  if (onDevice) {
    std::unordered_map<int64_t, SurfaceKinds> surfaces;
    addSurfaces(procedures, function, surfaces);
    for (const auto &[tensor, kinds] : surfaces)
      for (const SurfaceKinds::Kind &kind : kinds.all())
        memory.surfaces =
            sum(memory.surfaces, sum(kind.bytes, narrowedBytes(*kind.first, manifest.tensors[tensor].type)));
  }
  for (const Step &step : function.steps) {
    if (step.kind == Step::Kind::Update || (step.kind == Step::Kind::Program && onDevice))
      continue;
    // Steps run one after another, so one arena serves them all.
    const std::string &code = step.kind == Step::Kind::Program ? procedures.of(step).twin : step.target;
    if (auto host = scratch.find(code); host != scratch.end())
      memory.scratch = std::max(memory.scratch, host->second);
  }
  return memory;
}

std::string RunMemory::text() const {
  std::string parts;
  for (auto [bytes, what] :
       {std::pair(values, "values"), {scratch, "scratch memory of CPU code"}, {surfaces, "surfaces"}})
    if (bytes > 0)
      absl::StrAppend(&parts, parts.empty() ? "" : ", ", sizeText(bytes), " for ", what);
  return absl::StrCat(sizeText(total()), " (", parts, ")");
}

} // namespace ane::rt::manifest
