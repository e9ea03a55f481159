//===- states.cpp - Tensors that a session keeps --------------------------===//
#include "runtime/core/states.h"
#include "absl/strings/str_cat.h"
#include <algorithm>
#include <cstring>
#include <unordered_set>

namespace ane::rt {
namespace {

int64_t aligned(int64_t bytes) { return (bytes + 63) / 64 * 64; }

void copy(void *to, const void *from, int64_t bytes) {
  if (bytes != 0)
    std::memcpy(to, from, static_cast<size_t>(bytes));
}

} // namespace

absl::StatusOr<States> States::create(const Bundle &bundle, const manifest::Function &function, MemoryBudget &budget) {
  const manifest::Manifest &m = bundle.manifest();
  // Tensors that something else has a claim to.
  std::unordered_set<int64_t> taken;
  for (const manifest::Port &port : function.inputs)
    taken.insert(port.tensor);
  for (const manifest::Port &port : function.outputs)
    taken.insert(port.tensor);
  for (const manifest::StateUse &use : function.states)
    taken.insert(use.read);

  States states;
  int64_t total = 0;
  for (const manifest::StateUse &use : function.states) {
    const manifest::State &record = m.states[use.state];
    int64_t bytes = manifest::byteCount(record.type);
    // The manifest bounds each state; taken from the budget at once, the sum can't overflow either.
    int64_t claim = aligned(bytes) * (use.read != use.write ? 2 : 1);
    if (absl::Status s = budget.take(claim, "state " + record.name); !s.ok())
      return s;
    total += claim;
    states.list.push_back({&record, use.read, use.write, bytes, nullptr, nullptr, !taken.insert(use.write).second});
  }
  auto buffer = AlignedBuffer::allocate(total);
  if (!buffer.ok())
    return buffer.status();
  states.memory = *std::move(buffer);
  uint8_t *place = states.memory.data();
  for (State &state : states.list) {
    state.value = state.next = place;
    place += aligned(state.bytes);
    if (!state.changes())
      continue;
    state.next = place;
    place += aligned(state.bytes);
  }
  if (absl::Status s = states.reset(bundle); !s.ok())
    return s;
  return states;
}

absl::StatusOr<const State *> States::find(size_t index) const {
  if (index < list.size())
    return &list[index];
  return absl::InvalidArgumentError(absl::StrCat("state ", index, ": the function has ", list.size(), " states"));
}

absl::StatusOr<const State *> States::findOfSize(size_t index, int64_t bytes) const {
  auto state = find(index);
  if (!state.ok() || bytes == (*state)->bytes)
    return state;
  const manifest::State &record = *(*state)->record;
  return absl::InvalidArgumentError(absl::StrCat("state ", record.name, ": the value has ", bytes, " bytes, expected ",
                                                 manifest::typeText(record.type), " of ", (*state)->bytes, " bytes"));
}

absl::Status States::reset(const Bundle &bundle) {
  for (State &state : list) {
    if (!state.record->file.empty()) {
      if (absl::Status s = bundle.readFile(state.record->file, state.record->offset, state.value, state.bytes); !s.ok())
        return s;
    } else if (state.bytes != 0) {
      std::memset(state.value, 0, static_cast<size_t>(state.bytes));
    }
  }
  return absl::OkStatus();
}

absl::Status States::read(size_t index, void *data, int64_t bytes) const {
  auto state = findOfSize(index, bytes);
  if (state.ok())
    copy(data, (*state)->value, bytes);
  return state.status();
}

absl::Status States::write(size_t index, const void *data, int64_t bytes) {
  auto state = findOfSize(index, bytes);
  if (state.ok())
    copy((*state)->value, data, bytes);
  return state.status();
}

void States::copyFrom(const States &other) {
  for (size_t i = 0; i < list.size(); ++i)
    copy(list[i].value, other.list[i].value, list[i].bytes);
}

} // namespace ane::rt
