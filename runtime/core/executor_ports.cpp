//===- executor_ports.cpp - Inputs, outputs and states of a function ------===//
#include "absl/strings/str_cat.h"
#include "runtime/core/executor.h"
#include "runtime/support/number_text.h"
#include <algorithm>
#include <cstring>
#include <unordered_set>

namespace ane::rt {

absl::Status Executor::setInput(size_t index, const void *data, int64_t bytes) {
  if (index < inputPorts.size() && bytes != inputPorts[index].bytes) {
    const Port &port = inputPorts[index];
    return absl::InvalidArgumentError(absl::StrCat("input ", port.name, ": has ", unsignedSize(bytes),
                                                   " bytes, expected ", manifest::typeText(port.type), " of ",
                                                   port.bytes, " bytes"));
  }
  bool wasOpen = index < inputPorts.size() && inputPorts[index].isOpen;
  auto target = inputData(index);
  if (!target.ok())
    return target.status();
  if (bytes != 0)
    std::memcpy(*target, data, static_cast<size_t>(bytes));
  inputPorts[index].isOpen = wasOpen;
  values.of(inputPorts[index].place->tensor).wroteDense();
  return absl::OkStatus();
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
  port.set = port.isOpen = true;
  return port.data;
}

absl::Status Executor::bind(Port &port, const manifest::Port &place, void *data, int64_t bytes) {
  auto wrong = [&](const auto &...what) { return absl::InvalidArgumentError(absl::StrCat(port.name, ": ", what...)); };
  if (data && bytes != port.bytes)
    return wrong("has ", unsignedSize(bytes), " bytes, expected ", manifest::typeText(port.type), " of ", port.bytes,
                 " bytes");
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
  bound.reserve(inputPorts.size() + outputPorts.size());
  wasBound = true;
  port.data = target;
  values.of(place.tensor).dense = target;
  return absl::OkStatus();
}

/// Steps write outputs while others are still to read what lies in the same memory.
absl::Status Executor::checkOverlaps() {
  if (!wasBound)
    return absl::OkStatus();
  bound.clear();
  for (const auto *ports : {&inputPorts, &outputPorts})
    for (const Port &port : *ports)
      if (port.data != port.own && port.bytes != 0)
        bound.push_back({&port, ports == &inputPorts});
  auto begin = [](const Bound &b) { return static_cast<const uint8_t *>(b.port->data); };
  auto end = [&](const Bound &b) { return begin(b) + b.port->bytes; };
  std::sort(bound.begin(), bound.end(), [&](const Bound &a, const Bound &b) { return begin(a) < begin(b); });
  const bool isOneStep = steps.size() == 1 && steps[0].code && !steps[0].program;
  // Of those before, the ones that reach furthest.
  const Bound *input = nullptr, *output = nullptr;
  for (const Bound &one : bound) {
    for (const Bound *other : {output, one.isInput ? nullptr : input}) {
      if (!other || end(*other) <= begin(one))
        continue;
      bool isSame = begin(one) == begin(*other) && end(one) == end(*other);
      if (!isSame || !isOneStep || one.isInput == other->isInput)
        return absl::FailedPreconditionError(absl::StrCat(
            one.port->name, " and ", other->port->name, " of function ", function->name,
            " are bound to memory that overlaps: an output may only be where one input is, all of it, and only of a "
            "function that CPU code computes in one step"));
    }
    const Bound *&last = one.isInput ? input : output;
    if (!last || end(*last) < end(one))
      last = &one;
  }
  wasBound = false;
  return absl::OkStatus();
}

absl::Status Executor::bindInput(size_t index, const void *data, int64_t bytes, bool isConstant) {
  if (absl::Status s = checkInput(index); !s.ok())
    return s;
  Port &port = inputPorts[index];
  // Steps only read their inputs.
  if (absl::Status s = bind(port, function->inputs[index], const_cast<void *>(data), bytes); !s.ok())
    return s;
  port.set = data != nullptr;
  port.isConstant = isConstant;
  values.of(port.place->tensor).wroteDense();
  return absl::OkStatus();
}

absl::Status Executor::bindOutput(size_t index, void *data, int64_t bytes) {
  if (index >= outputPorts.size())
    return absl::InvalidArgumentError(
        absl::StrCat("output ", index, ": function ", function->name, " has ", outputPorts.size(), " outputs"));
  return bind(outputPorts[index], function->outputs[index], data, bytes);
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
  const auto updates = updatesOf(*function);
  for (const manifest::StateUse &use : function->states) {
    auto state = static_cast<size_t>(use.state);
    StateSlot slot = {state, use.read, use.write, StateSlot::Change::None};
    if (updates.count(bundle->manifest().states[state].name))
      slot.change = StateSlot::Change::Updated;
    else if (use.read != use.write)
      slot.change = taken.insert(use.write).second ? StateSlot::Change::Swapped : StateSlot::Change::Copied;
    if (slot.change == StateSlot::Change::Swapped || slot.change == StateSlot::Change::Copied)
      changedStates.push_back(state);
    stateSlots.push_back(slot);
    State &memory = stateMemory->all()[state];
    values.addAlias(use.read, memory.now);
    if (slot.change == StateSlot::Change::Updated)
      values.addAlias(use.write, memory.now);
    else if (slot.change == StateSlot::Change::Swapped)
      values.addAlias(use.write, memory.next);
  }
}

std::vector<size_t> Executor::statesChanged() const {
  std::vector<size_t> list;
  for (const StateSlot &slot : stateSlots)
    if (slot.change != StateSlot::Change::None)
      list.push_back(slot.state);
  return list;
}

const void *Executor::nextState(size_t state) const {
  auto slot = std::find_if(stateSlots.begin(), stateSlots.end(), [&](auto &slot) { return slot.state == state; });
  return values.of(slot->write).dense;
}

void Executor::writeFirst(size_t state, int64_t count) {
  for (Step &step : steps)
    if (step.update && step.state == state)
      step.update->writeFirst(count);
}

void Executor::noteInputs() {
  for (const Port &port : inputPorts)
    if (port.data == port.own ? port.isOpen : !port.isConstant)
      values.of(port.place->tensor).wroteDense();
}

void Executor::advanceStates() {
  for (const StateSlot &slot : stateSlots) {
    State &state = stateMemory->all()[slot.state];
    if (slot.change == StateSlot::Change::Copied && state.bytes != 0) {
      std::memcpy(state.next.dense, values.of(slot.write).dense, static_cast<size_t>(state.bytes));
      state.next.wroteDense();
      copied.lastStateBytes += state.bytes;
    }
  }
  stateMemory->advance(changedStates);
}

} // namespace ane::rt
