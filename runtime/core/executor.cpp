//===- executor.cpp - Runs a function of a bundle -------------------------===//
#include "runtime/core/executor.h"
#include "absl/strings/str_cat.h"
#include "runtime/core/convert.h"
#include "runtime/core/numeric.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <unordered_set>

namespace ane::rt {
namespace {

int64_t nowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

absl::Status annotate(const absl::Status &status, const std::string &where) {
  return absl::Status(status.code(), absl::StrCat(where, ": ", status.message()));
}

} // namespace

absl::StatusOr<std::unique_ptr<Executor>> Executor::create(std::shared_ptr<Bundle> bundle, const std::string &name,
                                                           std::shared_ptr<States> states) {
  auto function = bundle->function(name);
  if (!function.ok())
    return function.status();
  std::unique_ptr<Executor> executor(new Executor(std::move(bundle)));
  executor->function = *function;
  executor->stateMemory = std::move(states);
  if (absl::Status s = executor->allocateValues(); !s.ok())
    return s;
  for (const manifest::Step &step : (*function)->steps)
    if (absl::Status s = executor->prepareStep(step); !s.ok())
      return s;
  return executor;
}

absl::Status Executor::allocateValues() {
  const auto &tensors = bundle->manifest().tensors;
  const int64_t end = static_cast<int64_t>(function->steps.size());
  if (!stateMemory) {
    auto made = States::create(*bundle, budget);
    if (!made.ok())
      return made.status();
    stateMemory = *std::move(made);
  }
  listStates();
  std::unordered_map<int64_t, size_t> slots;
  std::vector<int64_t> order;
  std::vector<Lifetime> lives;
  auto touch = [&](int64_t tensor, int64_t step) {
    if (values.count(tensor))
      return;
    auto [it, added] = slots.try_emplace(tensor, lives.size());
    if (added) {
      order.push_back(tensor);
      lives.push_back({manifest::byteCount(tensors[tensor].type), step, step});
    }
    lives[it->second].last = std::max(lives[it->second].last, step);
  };
  // Inputs keep their values from run to run, outputs until the next one.
  for (const manifest::Port &port : function->inputs) {
    touch(port.tensor, -1);
    touch(port.tensor, end);
  }
  for (int64_t i = 0; i < end; ++i) {
    for (int64_t tensor : function->steps[i].inputs)
      touch(tensor, i);
    for (int64_t tensor : function->steps[i].outputs)
      touch(tensor, i);
  }
  for (const manifest::Port &port : function->outputs)
    touch(port.tensor, end);
  for (const StateSlot &slot : stateSlots)
    touch(slot.write, end);

  auto plan = planMemory(lives);
  if (!plan.ok())
    return plan.status();
  std::string what = "values of function " + function->name;
  if (absl::Status s = budget.take(plan->bytes, what); !s.ok())
    return s;
  auto buffer = AlignedBuffer::allocate(plan->bytes);
  if (!buffer.ok())
    return annotate(buffer.status(), what);
  memory = std::move(*buffer);
  for (size_t i = 0; i < order.size(); ++i)
    values[order[i]] = memory.data() + plan->offsets[i];

  auto makePorts = [&](const std::vector<manifest::Port> &ports) {
    std::vector<Port> result;
    for (const manifest::Port &port : ports) {
      const manifest::TensorType &type = tensors[port.tensor].type;
      void *data = value(port.tensor);
      result.push_back({port.name, type, data, manifest::byteCount(type), data, &port});
    }
    return result;
  };
  inputPorts = makePorts(function->inputs);
  outputPorts = makePorts(function->outputs);
  for (const auto *ports : {&function->inputs, &function->outputs})
    for (const manifest::Port &port : *ports)
      uses.try_emplace(port.tensor);
  for (const StateSlot &slot : stateSlots)
    for (int64_t tensor : {slot.read, slot.write})
      uses.try_emplace(tensor);
  return absl::OkStatus();
}

void Executor::listStates() {
  // Tensors that something else has a claim to.
  std::unordered_set<int64_t> taken;
  for (const auto *ports : {&function->inputs, &function->outputs})
    for (const manifest::Port &port : *ports)
      taken.insert(port.tensor);
  for (const manifest::StateUse &use : function->states)
    taken.insert(use.read);
  for (const manifest::Step &step : function->steps)
    if (step.kind == manifest::Step::Kind::Update)
      taken.insert(step.outputs[0]);
  for (const manifest::StateUse &use : function->states) {
    auto state = static_cast<size_t>(use.state);
    StateSlot slot = {state, use.read, use.write, StateSlot::Change::None};
    if (updateOf(*function, bundle->manifest().states[state]))
      slot.change = StateSlot::Change::Updated;
    else if (use.read != use.write)
      slot.change = taken.insert(use.write).second ? StateSlot::Change::Swapped : StateSlot::Change::Copied;
    if (slot.change == StateSlot::Change::Swapped || slot.change == StateSlot::Change::Copied)
      changedStates.push_back(state);
    stateSlots.push_back(slot);
    const State &memory = stateMemory->all()[state];
    values[use.read] = memory.value;
    if (void *next = slot.placeOfNext(memory))
      values[use.write] = next;
  }
  placedMoves = stateMemory->moves();
}

absl::Status Executor::prepareStep(const manifest::Step &plan) {
  Step step;
  size_t index = steps.size();
  for (const auto *tensors : {&plan.inputs, &plan.outputs})
    for (int64_t tensor : *tensors) {
      if (auto use = uses.find(tensor); use != uses.end())
        use->second.push_back({index, step.args.size()});
      step.args.push_back(value(tensor));
    }
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
  profiles.push_back({plan.target, "program", bundle->deviceName()});
  status = bundle->device() ? prepareProgram(plan, step) : absl::OkStatus();
  if (bundle->device() && !status.ok() && refusalOf(status) == Refusal::None)
    return annotate(status, absl::StrCat("program ", plan.target, " on ", bundle->deviceName()));
  steps.push_back(std::move(step));
  if (!bundle->device() || !status.ok())
    return prepareTwin(steps.back(), index, "load", status);
  return absl::OkStatus();
}

absl::Status Executor::prepareUpdate(const manifest::Step &plan, Step &step) {
  auto update = WindowUpdate::create(bundle->manifest(), plan, budget);
  if (!update.ok())
    return update.status();
  step.update = *std::move(update);
  step.slot = &*std::find_if(stateSlots.begin(), stateSlots.end(), [&](const StateSlot &slot) {
    return stateMemory->all()[slot.state].record->name == plan.target;
  });
  return absl::OkStatus();
}

/// Surfaces with the values of states that steps update keep them from run to
/// run.
void Executor::followUpdates(const manifest::Step &plan, Step &step) {
  for (const StateSlot &slot : stateSlots) {
    if (slot.change != StateSlot::Change::Updated)
      continue;
    int64_t axis = updateOf(*function, *stateMemory->all()[slot.state].record)->axis;
    for (size_t i = 0; i < plan.inputs.size(); ++i)
      if (plan.inputs[i] == slot.write || plan.inputs[i] == slot.read)
        step.inputs[i].follows =
            step.inputs[i].layout.prepareEntries(step.inputs[i].type.shape, axis) ? &slot : nullptr;
  }
}

absl::Status Executor::prepareProgram(const manifest::Step &plan, Step &step) {
  auto loaded = bundle->cached(*step.program);
  if (!loaded.ok())
    return loaded.status();
  if (absl::Status s = (*loaded)->load(); !s.ok())
    return s;
  const auto &tensors = bundle->manifest().tensors;
  auto makeArguments = [&](const std::vector<manifest::Surface> &surfaces, const std::vector<int64_t> &indices,
                           std::vector<Argument> &arguments, std::vector<Surface *> &pointers) {
    for (size_t i = 0; i < surfaces.size(); ++i) {
      const manifest::Surface &s = surfaces[i];
      if (absl::Status status = budget.take(s.bytes, "surface " + s.name); !status.ok())
        return status;
      auto surface = bundle->device()->allocate({s.name, s.dtype, s.shape, s.rowStride, s.bytes});
      if (!surface.ok())
        return annotate(surface.status(), "surface " + s.name);
      pointers.push_back(surface->get());
      arguments.push_back({std::move(*surface), SurfaceLayout(tensors[indices[i]].type.dtype, s), value(indices[i]), &s,
                           tensors[indices[i]].type});
    }
    return absl::OkStatus();
  };
  if (absl::Status s = makeArguments(step.program->inputs, plan.inputs, step.inputs, step.inputSurfaces); !s.ok())
    return s;
  if (absl::Status s = makeArguments(step.program->outputs, plan.outputs, step.outputs, step.outputSurfaces); !s.ok())
    return s;
  followUpdates(plan, step);
  step.loaded = *std::move(loaded);
  return absl::OkStatus();
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
  // Steps run one after another, so one arena serves them all.
  return annotate(reserveArena(host.arenaBytes), "arena of " + host.name);
}

/// Turns a program step to the CPU: because that is the device (`reason` is OK
/// then), or because the device refused.
absl::Status Executor::prepareTwin(Step &step, size_t index, const char *phase, const absl::Status &reason) {
  const std::string &twin = step.program->twin;
  absl::Status status =
      twin.empty()
          ? absl::NotFoundError(absl::StrCat("program ", step.program->name,
                                             " has no CPU twin; compile the model with --host=", machineTriple()))
          : prepareCode(bundle->hostFunction(twin), step);
  if (!reason.ok()) {
    std::string message(reason.message());
    if (!status.ok())
      return absl::Status(status.code(), absl::StrCat("program ", step.program->name, ": ", bundle->deviceName(),
                                                      " refused it: ", message,
                                                      "; its CPU twin cannot run either: ", status.message()));
    note({step.program->name, bundle->deviceName(), phase, message});
  }
  step.loaded = nullptr;
  step.inputs.clear();
  step.outputs.clear();
  profiles[index].kind = "twin";
  profiles[index].device = "cpu";
  return status;
}

absl::Status Executor::setInput(size_t index, const void *data, int64_t bytes) {
  if (index < inputPorts.size() && bytes != inputPorts[index].bytes) {
    const Port &port = inputPorts[index];
    return absl::InvalidArgumentError(absl::StrCat("input ", port.name, ": has ", bytes, " bytes, expected ",
                                                   manifest::typeText(port.type), " of ", port.bytes, " bytes"));
  }
  auto target = inputData(index);
  if (target.ok() && bytes != 0)
    std::memcpy(*target, data, static_cast<size_t>(bytes));
  return target.status();
}

absl::Status Executor::checkInput(size_t index) const {
  if (index < inputPorts.size())
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("input ", index, ": function ", function->name, " has ", inputPorts.size(), " inputs"));
}

absl::StatusOr<void *> Executor::inputData(size_t index) {
  if (absl::Status s = checkInput(index); !s.ok())
    return s;
  Port &port = inputPorts[index];
  // Memory that the caller bound is not for writing.
  if (port.data != port.own)
    if (absl::Status s = bindInput(index, nullptr, 0); !s.ok())
      return s;
  port.set = true;
  return port.data;
}

absl::Status Executor::bind(Port &port, const manifest::Port &place, void *data, int64_t bytes) {
  auto wrong = [&](const auto &...what) { return absl::InvalidArgumentError(absl::StrCat(port.name, ": ", what...)); };
  if (data && bytes != port.bytes)
    return wrong("has ", bytes, " bytes, expected ", manifest::typeText(port.type), " of ", port.bytes, " bytes");
  if (reinterpret_cast<uintptr_t>(data) % 64 != 0)
    return wrong("memory to bind must be aligned to 64 bytes");
  auto shows = [&](const manifest::Port &other) { return other.tensor == place.tensor; };
  if (std::count_if(function->inputs.begin(), function->inputs.end(), shows) +
          std::count_if(function->outputs.begin(), function->outputs.end(), shows) !=
      1)
    return absl::FailedPreconditionError(absl::StrCat(port.name, ": cannot be bound, other ports show the same value"));
  for (const StateSlot &slot : stateSlots)
    if (slot.read == place.tensor || (slot.write == place.tensor && slot.change == StateSlot::Change::Updated))
      return absl::FailedPreconditionError(absl::StrCat(port.name, ": cannot be bound, it is the value of state ",
                                                        stateMemory->all()[slot.state].record->name));
  void *target = data ? data : port.own;
  if (target == port.data)
    return absl::OkStatus();
  port.data = target;
  moveTo(place.tensor, target);
  return absl::OkStatus();
}

void Executor::moveTo(int64_t tensor, void *memory) {
  values[tensor] = memory;
  for (auto [index, argument] : uses.at(tensor)) {
    Step &step = steps[index];
    step.args[argument] = memory;
    // There are none where the CPU runs.
    if (argument < step.inputs.size())
      step.inputs[argument].value = memory;
    else if (size_t output = argument - function->steps[index].inputs.size(); output < step.outputs.size())
      step.outputs[output].value = memory;
  }
}

void Executor::placeStates() {
  if (placedMoves == stateMemory->moves())
    return;
  placedMoves = stateMemory->moves();
  for (const StateSlot &slot : stateSlots) {
    const State &state = stateMemory->all()[slot.state];
    moveTo(slot.read, state.value);
    if (void *next = slot.placeOfNext(state))
      moveTo(slot.write, next);
  }
}

void Executor::advanceStates() {
  for (const StateSlot &slot : stateSlots) {
    const State &state = stateMemory->all()[slot.state];
    if (slot.change == StateSlot::Change::Copied && state.bytes != 0) {
      std::memcpy(state.next, value(slot.write), static_cast<size_t>(state.bytes));
      copied.lastStateBytes += state.bytes;
    }
  }
  stateMemory->advance(changedStates);
}

absl::StatusOr<std::unique_ptr<Executor>> Executor::fork() const {
  auto other = create(bundle, function->name);
  if (!other.ok())
    return other;
  (*other)->stateMemory->copyFrom(*stateMemory);
  absl::Status status = (*other)->copyWeights(*this);
  if (!status.ok())
    return status;
  return other;
}

absl::StatusOr<std::unique_ptr<Executor>> Executor::share(const std::string &name) const {
  auto other = create(bundle, name, stateMemory);
  absl::Status status = other.ok() ? (*other)->copyWeights(*this) : absl::OkStatus();
  if (!status.ok())
    return status;
  return other;
}

absl::Status Executor::bindInput(size_t index, const void *data, int64_t bytes) {
  if (absl::Status s = checkInput(index); !s.ok())
    return s;
  Port &port = inputPorts[index];
  // Steps only read their inputs.
  absl::Status status = bind(port, function->inputs[index], const_cast<void *>(data), bytes);
  if (status.ok())
    port.set = data != nullptr;
  return status;
}

absl::Status Executor::bindOutput(size_t index, void *data, int64_t bytes) {
  if (index >= outputPorts.size())
    return absl::InvalidArgumentError(
        absl::StrCat("output ", index, ": function ", function->name, " has ", outputPorts.size(), " outputs"));
  return bind(outputPorts[index], function->outputs[index], data, bytes);
}

/// Gathers clamp their indices: a wrong one would give a plausible answer.
absl::Status Executor::checkRange(const Port &port) const {
  const manifest::Port &place = *port.place;
  if (place.reader.empty())
    return absl::OkStatus();
  constexpr int64_t chunk = 256;
  int64_t values[chunk], count = manifest::elementCount(port.type.shape);
  auto *data = static_cast<const uint8_t *>(port.data);
  for (int64_t first = 0; first < count; first += chunk) {
    int64_t size = std::min(chunk, count - first);
    convertElements(data + first * byteWidth(port.type.dtype), port.type.dtype, values, ElementType::Int64, size);
    for (int64_t i = 0; i < size; ++i)
      if (values[i] < place.min || values[i] > place.max)
        return absl::InvalidArgumentError(absl::StrCat("input ", port.name, ": element ", first + i, " is ", values[i],
                                                       ", must be from ", place.min, " to ", place.max,
                                                       " as an index of node '", place.reader, "'"));
  }
  return absl::OkStatus();
}

absl::Status Executor::run() {
  for (const Port &port : inputPorts) {
    if (!port.set)
      return absl::FailedPreconditionError(absl::StrCat("input ", port.name, " was not set"));
    if (absl::Status s = checkRange(port); !s.ok())
      return s;
  }
  // An output may show a state's value, which moves from run to run.
  placeStates();
  if (!stateSlots.empty())
    for (Port &port : outputPorts)
      port.data = value(port.place->tensor);
  ThreadPool::Scope scope(bundle->pool());
  copied.lastSurfaceBytes = copied.lastStateBytes = 0;
  absl::Status status = runSteps();
  for (Step &step : steps)
    if (step.update && status.ok())
      step.update->keep();
    else if (step.update && step.update->undo(step.args.back()))
      ++stateMemory->all()[step.slot->state].version; // surfaces have what was taken back
  if (!status.ok()) {
    copied.lastSurfaceBytes = copied.lastStateBytes = 0;
    return status;
  }
  advanceStates();
  ++copied.runs;
  copied.totalSurfaceBytes += copied.lastSurfaceBytes;
  copied.totalStateBytes += copied.lastStateBytes;
  return absl::OkStatus();
}

absl::Status Executor::runSteps() {
  for (size_t i = 0; i < steps.size(); ++i) {
    if (cancelled)
      return absl::CancelledError(
          absl::StrCat("function ", function->name, " was cancelled before step ", i, " of ", steps.size()));
    Step &step = steps[i];
    StepProfile &profile = profiles[i];
    int64_t start = nowNs();
    profile.lastLayoutNs = 0;
    if (step.loaded) {
      absl::Status status = runProgram(step, profile);
      if (!status.ok() && refusalOf(status) == Refusal::None)
        return annotate(status, absl::StrCat("function ", function->name, ", step ", i, ", program ",
                                             step.program->name, " on ", bundle->deviceName()));
      // Inputs are untouched, so the twin can take over in the middle of a run,
      // and does for all later ones.
      if (!status.ok())
        if (absl::Status s = prepareTwin(step, i, "run", status); !s.ok())
          return s;
      std::string trouble = step.loaded ? numericTrouble(step) : "";
      if (step.loaded)
        profile.device = trouble.empty() || !replaceByTwin(step, trouble) ? bundle->deviceName() : "cpu";
    }
    if (step.update) {
      if (absl::Status s = runUpdate(step); !s.ok())
        return annotate(s, absl::StrCat("function ", function->name, ", step ", i));
    } else if (!step.loaded) {
      runCode(step);
    }
    profile.lastNs = nowNs() - start;
    profile.totalNs += profile.lastNs;
    profile.totalLayoutNs += profile.lastLayoutNs;
    ++profile.runs;
  }
  return absl::OkStatus();
}

absl::Status Executor::runUpdate(Step &step) {
  WindowUpdate &update = *step.update;
  if (absl::Status s = update.apply(step.args[0], step.args[1], step.args[2]); !s.ok())
    return s;
  if (update.written().empty())
    return absl::OkStatus();
  copied.lastStateBytes += update.bytes();
  State &state = stateMemory->all()[step.slot->state];
  const uint64_t before = state.version++;
  for (Step &reader : steps)
    for (Argument &argument : reader.inputs) {
      if (argument.follows != step.slot || argument.version != before)
        continue;
      for (const WindowUpdate::Run &run : update.written())
        argument.layout.entriesToSurface(run.first, run.count, step.args[2], argument.surface->map());
      argument.surface->unmap();
      argument.version = state.version;
      copied.lastSurfaceBytes += update.bytes();
    }
  return absl::OkStatus();
}

absl::Status Executor::runProgram(Step &step, StepProfile &profile) {
  int64_t start = nowNs();
  for (Argument &argument : step.inputs) {
    if (argument.follows) {
      uint64_t version = stateMemory->all()[argument.follows->state].version;
      if (argument.version == version)
        continue;
      argument.version = version;
    }
    argument.layout.toSurface(argument.value, argument.surface->map());
    argument.surface->unmap();
    copied.lastSurfaceBytes += manifest::byteCount(argument.type);
  }
  int64_t packed = nowNs();
  if (absl::Status s = step.loaded->evaluate(step.inputSurfaces, step.outputSurfaces); !s.ok())
    return s;
  int64_t evaluated = nowNs();
  for (Argument &argument : step.outputs) {
    argument.layout.fromSurface(argument.surface->map(), argument.value);
    argument.surface->unmap();
    copied.lastSurfaceBytes += manifest::byteCount(argument.type);
  }
  profile.lastLayoutNs = packed - start + (nowNs() - evaluated);
  return absl::OkStatus();
}

/// Says what of this run's values fp16 did not hold; "" if nothing shows at the
/// program's border.
std::string Executor::numericTrouble(const Step &step) const {
  if (bundle->numeric() == NumericPolicy::Off)
    return "";
  bool finite = true;
  for (const Argument &input : step.inputs) {
    int64_t count = manifest::elementCount(input.type.shape);
    if (input.surfaceInfo->dtype == ElementType::Float16 && overflowsHalf(input.value, input.type.dtype, count))
      return absl::StrCat("input ", input.surfaceInfo->name, " has values beyond 65504, the largest of fp16");
    finite &= !hasNonFinite(input.value, input.type.dtype, count);
  }
  if (finite)
    for (const Argument &output : step.outputs)
      if (hasNonFinite(output.value, output.type.dtype, manifest::elementCount(output.type.shape)))
        return absl::StrCat("output ", output.surfaceInfo->name, " is not finite, though all inputs are");
  return "";
}

/// Computes this run's outputs of a program again on the CPU. Later runs use the
/// device as before. False, with an event, if nobody wants that or there is no
/// CPU code.
bool Executor::replaceByTwin(Step &step, const std::string &reason) {
  Event event = {step.program->name, bundle->deviceName(), "numeric", reason};
  bool rescue = bundle->numeric() == NumericPolicy::Rescue;
  absl::Status status = absl::NotFoundError("no twin");
  if (rescue && !step.program->twin.empty())
    status = step.code ? absl::OkStatus() : prepareCode(bundle->hostFunction(step.program->twin), step);
  if (rescue && status.ok())
    runCode(step);
  else if (rescue)
    absl::StrAppend(&event.reason, "; its values stay, the CPU cannot run it: ", status.message());
  else
    event.reason += "; its values stay, as asked";
  // Once: runs are many.
  if (std::none_of(eventList.begin(), eventList.end(),
                   [&](const Event &e) { return e.program == event.program && e.phase == event.phase; }))
    note(std::move(event));
  return rescue && status.ok();
}

void Executor::note(Event event) {
  bundle->context().log().write(LogLevel::Warning, "program ", event.program, " on ", event.device, " (", event.phase,
                                "): ", event.reason);
  eventList.push_back(std::move(event));
}

void Executor::runCode(Step &step) {
  ane_host_context context = {weights ? weights->hostBases() : bundle->weights(), arena.data()};
  step.code(step.args.data(), &context);
}

} // namespace ane::rt
