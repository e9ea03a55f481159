//===- ports.cpp - Inputs and outputs of a session ------------------------===//
#include "runtime/core/ports.h"
#include "absl/strings/str_cat.h"
#include "runtime/core/checks.h"
#include "runtime/support/number_text.h"
#include <algorithm>
#include <cstring>

namespace ane::rt {

Ports::Ports(const Plan &plan, Values &values) : plan(plan), values(values) {
  auto makePorts = [&](const std::vector<PlannedPort> &planned) {
    std::vector<Port> ports;
    for (const PlannedPort &port : planned) {
      const Value &value = values.at(port.value);
      ports.push_back({port.record->name, value.type, value.dense, value.bytes, value.dense, port.record});
    }
    return ports;
  };
  inputPorts = makePorts(plan.inputs);
  outputPorts = makePorts(plan.outputs);
}

absl::Status Ports::setInput(size_t index, const void *data, int64_t bytes) {
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
  valueOf(inputPorts[index]).wroteDense();
  return absl::OkStatus();
}

absl::Status Ports::checkInput(size_t index) const {
  if (index < inputPorts.size())
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("input ", index, ": function ", plan.function->name, " has ", inputPorts.size(), " inputs"));
}

absl::StatusOr<void *> Ports::inputData(size_t index) {
  if (absl::Status s = checkInput(index); !s.ok())
    return s;
  Port &port = inputPorts[index];
  // Memory that the caller bound is not for writing.
  if (port.data != port.own)
    if (absl::Status s = bindInput(index, nullptr, 0, false); !s.ok())
      return s;
  port.set = port.isOpen = true;
  return port.data;
}

absl::Status Ports::bind(Port &port, const PlannedPort &planned, void *data, int64_t bytes) {
  auto wrong = [&](const auto &...what) { return absl::InvalidArgumentError(absl::StrCat(port.name, ": ", what...)); };
  if (data && bytes != port.bytes)
    return wrong("has ", unsignedSize(bytes), " bytes, expected ", manifest::typeText(port.type), " of ", port.bytes,
                 " bytes");
  if (reinterpret_cast<uintptr_t>(data) % 64 != 0)
    return wrong("memory to bind must be aligned to 64 bytes");
  if (!planned.isAlone)
    return absl::FailedPreconditionError(absl::StrCat(port.name, ": cannot be bound, other ports show the same value"));
  if (const PlannedValue &value = plan.values[planned.value]; value.home != PlannedValue::Home::Run)
    return absl::FailedPreconditionError(absl::StrCat(port.name, ": cannot be bound, it is the value of state ",
                                                      plan.manifest->states[value.state].name));
  void *target = data ? data : port.own;
  if (target == port.data)
    return absl::OkStatus();
  bound.reserve(inputPorts.size() + outputPorts.size());
  wasBound = true;
  port.data = target;
  values.at(planned.value).dense = target;
  return absl::OkStatus();
}

/// Steps write outputs while others are still to read what lies in the same memory.
absl::Status Ports::checkOverlaps() {
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
  const auto *code = plan.steps.size() == 1 ? std::get_if<HostStep>(&plan.steps[0].work) : nullptr;
  const bool isOneStep = code && !code->twinOf;
  for (size_t i = 0; i < bound.size(); ++i)
    for (size_t j = 0; j < i; ++j) { // those that begin before, or at the same place
      const Bound &one = bound[i], &other = bound[j];
      if ((one.isInput && other.isInput) || end(other) <= begin(one))
        continue;
      bool isSame = begin(one) == begin(other) && end(one) == end(other);
      if (!isSame || !isOneStep || one.isInput == other.isInput)
        return absl::FailedPreconditionError(absl::StrCat(
            one.port->name, " and ", other.port->name, " of function ", plan.function->name,
            " are bound to memory that overlaps: an output may only be where one input is, all of it, and only of a "
            "function that CPU code computes in one step"));
    }
  wasBound = false;
  return absl::OkStatus();
}

absl::Status Ports::bindInput(size_t index, const void *data, int64_t bytes, bool isConstant) {
  if (absl::Status s = checkInput(index); !s.ok())
    return s;
  Port &port = inputPorts[index];
  // Steps only read their inputs.
  if (absl::Status s = bind(port, plan.inputs[index], const_cast<void *>(data), bytes); !s.ok())
    return s;
  port.set = data != nullptr;
  port.isConstant = isConstant;
  valueOf(port).wroteDense();
  return absl::OkStatus();
}

absl::Status Ports::bindOutput(size_t index, void *data, int64_t bytes) {
  if (index >= outputPorts.size())
    return absl::InvalidArgumentError(
        absl::StrCat("output ", index, ": function ", plan.function->name, " has ", outputPorts.size(), " outputs"));
  return bind(outputPorts[index], plan.outputs[index], data, bytes);
}

absl::Status Ports::check() {
  for (const Port &port : inputPorts) {
    if (!port.set)
      return absl::FailedPreconditionError(absl::StrCat("input ", port.name, " was not set"));
    if (absl::Status s = checkIndices(*port.place, port.type, port.data); !s.ok())
      return s;
  }
  return checkOverlaps();
}

void Ports::refresh() {
  for (const Port &port : inputPorts)
    if (port.data == port.own ? port.isOpen : !port.isConstant)
      valueOf(port).wroteDense();
  // An output may show a state's value, which moves from run to run.
  if (!plan.states.empty())
    for (size_t i = 0; i < outputPorts.size(); ++i)
      outputPorts[i].data = values.at(plan.outputs[i].value).dense;
}

} // namespace ane::rt
