//===- executor.cpp - Runs a function of a bundle -------------------------===//
#include "runtime/core/executor.h"
#include <algorithm>

namespace ane::rt {

Executor::Executor(std::shared_ptr<Bundle> bundle, std::shared_ptr<const Plan> plan, std::shared_ptr<States> states,
                   Values values, MemoryBudget budget)
    : bundle(std::move(bundle)), plan(std::move(plan)), stateMemory(std::move(states)), budget(budget),
      values(std::move(values)), ports(*this->plan, this->values),
      runs(*this->bundle, *this->plan, *stateMemory, this->values, this->budget) {}

absl::StatusOr<std::unique_ptr<Executor>> Executor::create(std::shared_ptr<Bundle> bundle, const std::string &name,
                                                           std::shared_ptr<States> states) {
  auto function = bundle->function(name);
  if (!function.ok())
    return function.status();
  auto plan = bundle->plan(**function);
  if (!plan.ok())
    return plan.status();
  MemoryBudget budget(bundle->memoryLimit());
  if (!states) {
    auto made = States::create(*bundle, budget);
    if (!made.ok())
      return made.status();
    states = *std::move(made);
  }
  auto values = Values::create(**plan, *states, budget);
  if (!values.ok())
    return values.status();
  std::unique_ptr<Executor> executor(
      new Executor(std::move(bundle), *std::move(plan), std::move(states), *std::move(values), budget));
  if (absl::Status s = executor->runs.prepare(); !s.ok())
    return s;
  return executor;
}

absl::StatusOr<std::unique_ptr<Executor>> Executor::fork() const {
  auto other = create(bundle, name());
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

absl::Status Executor::run(const Accept &accept) {
  if (absl::Status s = ports.check(); !s.ok())
    return s;
  ports.refresh();
  return runs.perform(accept);
}

std::vector<size_t> Executor::statesChanged() const {
  std::vector<size_t> list;
  for (const StateSlot &slot : plan->states)
    if (slot.change != StateSlot::Change::None)
      list.push_back(slot.state);
  return list;
}

const void *Executor::nextState(size_t state) const {
  auto slot = std::find_if(plan->states.begin(), plan->states.end(), [&](auto &slot) { return slot.state == state; });
  return values.at(slot->write).dense;
}

} // namespace ane::rt
