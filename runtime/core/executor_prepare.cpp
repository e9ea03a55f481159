//===- executor_prepare.cpp - Steps of a function, ready to run -----------===//
#include "absl/strings/str_cat.h"
#include "runtime/core/annotate.h"
#include "runtime/core/executor.h"
#include "runtime/format/manifest/memory.h"
#include <algorithm>
#include <utility>

namespace ane::rt {

absl::Status Executor::allocateValues() {
  const auto &tensors = bundle->manifest().tensors;
  if (!stateMemory) {
    auto made = States::create(*bundle, budget);
    if (!made.ok())
      return made.status();
    stateMemory = *std::move(made);
  }
  listStates();
  manifest::ValueLives needed =
      manifest::valueLives(bundle->manifest(), *function, [&](int64_t tensor) { return values.has(tensor); });
  auto plan = planMemory(needed.lives);
  if (!plan.ok())
    return plan.status();
  // All of it is asked for before anything is allocated: memory that is promised may not be there.
  manifest::RunMemory all =
      manifest::runMemory(bundle->manifest(), *function, plan->bytes, bundle->device() != nullptr);
  if (absl::Status s = budget.has(all.total(), absl::StrCat("function ", function->name, " needs ", all.text()));
      !s.ok())
    return s;
  std::string what = "values of function " + function->name;
  if (absl::Status s = budget.take(plan->bytes, what); !s.ok())
    return s;
  auto buffer = AlignedBuffer::allocate(plan->bytes);
  if (!buffer.ok())
    return annotate(buffer.status(), what);
  memory = std::move(*buffer);
  std::unordered_map<int64_t, manifest::SurfaceKinds> kinds;
  if (bundle->device())
    addSurfaces(manifest::Procedures(bundle->manifest()), *function, kinds);
  for (size_t i = 0; i < needed.tensors.size(); ++i)
    values.add(needed.tensors[i], tensors[needed.tensors[i]].type, memory.data() + plan->offsets[i],
               std::move(kinds[needed.tensors[i]]));

  auto makePorts = [&](const std::vector<manifest::Port> &ports) {
    std::vector<Port> result;
    for (const manifest::Port &port : ports) {
      const manifest::TensorType &type = tensors[port.tensor].type;
      Value &value = values.of(port.tensor);
      value.isSeen = true;
      result.push_back({port.name, type, value.dense, manifest::byteCount(type), value.dense, &port});
    }
    return result;
  };
  inputPorts = makePorts(function->inputs);
  outputPorts = makePorts(function->outputs);
  for (const StateSlot &slot : stateSlots)
    values.of(slot.write).isSeen = true;
  for (const manifest::Check &check : function->checks)
    values.of(check.tensor).isSeen = true;
  return absl::OkStatus();
}

absl::Status Executor::prepareStep(const manifest::Step &plan) {
  Step step;
  size_t index = steps.size();
  for (int64_t tensor : plan.inputs)
    step.inputs.push_back(&values.of(tensor));
  for (int64_t tensor : plan.outputs)
    step.outputs.push_back(&values.of(tensor));
  step.args.resize(plan.inputs.size() + plan.outputs.size());
  if (plan.kind != manifest::Step::Kind::Program)
    noteReads(step);
  absl::Status status;
  if (plan.kind == manifest::Step::Kind::Update) {
    profiles.push_back({plan.target, "update", "cpu"});
    status = prepareUpdate(plan, step);
    steps.push_back(std::move(step));
    return status;
  }
  if (plan.kind == manifest::Step::Kind::Host) {
    profiles.push_back({plan.target, "host", "cpu"});
    status = prepareCode(bundle->hostFunction(plan.target), step);
    steps.push_back(std::move(step));
    return status;
  }
  step.program = &bundle->program(plan.target);
  while (step.evaluated().name != plan.procedure)
    ++step.procedure;
  profiles.push_back({step.label(), "program", bundle->deviceName()});
  status = bundle->device() ? prepareProgram(step) : absl::OkStatus();
  if (bundle->device() && !status.ok() && refusalOf(status) == Refusal::None)
    return annotate(status, absl::StrCat("program ", step.label(), " on ", bundle->deviceName()));
  steps.push_back(std::move(step));
  if (!bundle->device() || !status.ok())
    return prepareTwin(steps.back(), index, "load", status);
  return absl::OkStatus();
}

void Executor::noteReads(const Step &step) {
  for (Value *value : step.inputs)
    value->isRead = true;
}

absl::Status Executor::prepareUpdate(const manifest::Step &plan, Step &step) {
  auto update = WindowUpdate::create(bundle->manifest(), plan, budget);
  if (!update.ok())
    return update.status();
  step.update = *std::move(update);
  Value &value = *step.outputs[0];
  step.state = std::find_if(stateSlots.begin(), stateSlots.end(), [&](const StateSlot &slot) {
                 return &values.of(slot.write) == &value;
               })->state;
  value.expectEntries();
  for (SurfaceForm &form : value.forms)
    form.layout.prepareEntries(value.type.shape, plan.axis);
  return absl::OkStatus();
}

/// Loads programs side by side, since a compilation takes a second, unless that would decide by chance which of them
/// there is room for.
absl::Status Executor::loadPrograms() {
  if (!bundle->device())
    return absl::OkStatus();
  std::vector<decltype(ahead)::value_type *> all;
  int64_t bytes = 0;
  for (const manifest::Step &step : function->steps) {
    if (step.kind != manifest::Step::Kind::Program)
      continue;
    auto [place, isNew] = ahead.try_emplace(&bundle->program(step.target));
    if (!isNew)
      continue;
    auto program = bundle->cached(*place->first);
    if (!program.ok())
      return program.status();
    place->second.first = *std::move(program);
    bytes += place->second.first->fileBytes();
    all.push_back(&*place);
  }
  auto load = [&](uint64_t i) { all[i]->second.second = all[i]->second.first->load(); };
  if (bundle->hasRoomFor(static_cast<int64_t>(all.size()), bytes))
    bundle->pool().forEach(all.size(), load);
  else
    for (uint64_t i = 0; i < all.size(); ++i)
      load(i);
  return absl::OkStatus();
}

absl::Status Executor::prepareProgram(Step &step) {
  auto &[loaded, status] = ahead.at(step.program);
  if (!status.ok())
    return status;
  auto makeArguments = [&](const std::vector<manifest::Surface> &surfaces, const std::vector<Value *> &of,
                           std::vector<Argument> &arguments, std::vector<Surface *> &pointers) {
    for (size_t i = 0; i < surfaces.size(); ++i) {
      auto form = values.form(*of[i], surfaces[i], bundle->surfaces(), budget);
      if (!form.ok())
        return form.status();
      arguments.push_back({of[i], *form, &surfaces[i]});
      for (const manifest::Condition &condition : surfaces[i].holds)
        if (condition.exact && !std::exchange((*form)->wantsHalf, true))
          (*form)->scanned = 0; // another function may have looked, and not for that
    }
    pointers.resize(surfaces.size());
    return absl::OkStatus();
  };
  if (absl::Status s = makeArguments(step.evaluated().inputs, step.inputs, step.surfaceInputs, step.inputSurfaces);
      !s.ok())
    return s;
  if (absl::Status s = makeArguments(step.evaluated().outputs, step.outputs, step.surfaceOutputs, step.outputSurfaces);
      !s.ok())
    return s;
  profiles.back().weightBytes = loaded->fileBytes();
  step.loaded = loaded;
  step.call = CachedProgram::Call(step.procedure);
  return absl::OkStatus();
}

/// Runs find the requests that they need: the surfaces of states and of their next values change places from run to
/// run.
absl::Status Executor::makeRequests() {
  if (absl::Status s = bindSurfaces(); !s.ok())
    return s;
  struct OtherTurn { // the states are another executor's, too: they end as they were, also after an exception
    explicit OtherTurn(Executor &of) : of(of) { of.swapStates(); }
    ~OtherTurn() { of.swapStates(); }
    Executor &of;
  } other(*this);
  return bindSurfaces();
}

absl::Status Executor::bindSurfaces() {
  for (size_t i = 0; i < steps.size(); ++i) {
    Step &step = steps[i];
    if (!step.loaded)
      continue;
    step.findSurfaces();
    absl::Status status = step.loaded->bind(step.call, step.inputSurfaces, step.outputSurfaces);
    if (!status.ok() && refusalOf(status) != Refusal::None)
      status = prepareTwin(step, i, "load", status);
    if (!status.ok())
      return status;
  }
  return absl::OkStatus();
}

void Executor::swapStates() {
  for (const StateSlot &slot : stateSlots)
    if (slot.change == StateSlot::Change::Swapped)
      swapSurfaces(values.of(slot.write), values.of(slot.read));
}

absl::Status Executor::reserveArena(int64_t bytes) {
  if (bytes <= arena.bytes())
    return absl::OkStatus();
  if (absl::Status s = budget.take(bytes - arena.bytes(), "scratch memory"); !s.ok())
    return s;
  auto buffer = AlignedBuffer::allocate(bytes);
  if (buffer.ok())
    arena = std::move(*buffer);
  return buffer.status();
}

absl::Status Executor::prepareCode(const manifest::HostFunction &host, Step &step) {
  auto code = bundle->code(host);
  if (!code.ok())
    return annotate(code.status(), "host function " + host.name);
  step.code = *code;
  codeNames.insert(host.name);
  if (absl::Status s = weights ? weights->addReader(host.name) : absl::OkStatus(); !s.ok())
    return annotate(s, "host function " + host.name);
  // Steps run one after another, so one arena serves them all.
  return annotate(reserveArena(host.arenaBytes), "arena of " + host.name);
}

/// Turns a program step to the CPU: because that is the device (`reason` is OK
/// then), or because the device refused.
absl::Status Executor::prepareTwin(Step &step, size_t index, const char *phase, const absl::Status &reason) {
  const std::string &twin = step.evaluated().twin;
  absl::Status status =
      twin.empty() ? absl::NotFoundError(absl::StrCat(
                         "program ", step.label(), " has no CPU twin; compile the model with --host=", machineTriple()))
                   : prepareCode(bundle->hostFunction(twin), step);
  if (!reason.ok()) {
    std::string message(reason.message());
    if (!status.ok())
      return absl::Status(status.code(),
                          absl::StrCat("program ", step.label(), ": ", bundle->deviceName(), " refused it: ", message,
                                       "; its CPU twin cannot run either: ", status.message()));
    note({step.label(), bundle->deviceName(), phase, message});
  }
  noteReads(step);
  step.loaded = nullptr;
  step.call = CachedProgram::Call();
  step.surfaceInputs.clear();
  step.surfaceOutputs.clear();
  profiles[index].kind = "twin";
  profiles[index].device = "cpu";
  return status;
}

} // namespace ane::rt
