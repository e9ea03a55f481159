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

const manifest::Step *updateOf(const manifest::Function &function, const manifest::State &state) {
  auto step = std::find_if(function.steps.begin(), function.steps.end(), [&](const manifest::Step &step) {
    return step.kind == manifest::Step::Kind::Update && step.target == state.name;
  });
  return step == function.steps.end() ? nullptr : &*step;
}

absl::StatusOr<std::shared_ptr<States>> States::create(const Bundle &bundle, MemoryBudget &budget) {
  const manifest::Manifest &m = bundle.manifest();
  std::unordered_set<int64_t> changed;
  for (const manifest::Function &function : m.functions)
    for (const manifest::StateUse &use : function.states)
      if (use.read != use.write && !updateOf(function, m.states[use.state]))
        changed.insert(use.state);

  auto states = std::make_shared<States>();
  int64_t total = 0;
  std::vector<int64_t> buffers; // of each state
  for (size_t i = 0; i < m.states.size(); ++i) {
    const manifest::State &record = m.states[i];
    int64_t bytes = manifest::byteCount(record.type);
    // The manifest bounds each state; taken from the budget at once, the sum can't overflow either.
    buffers.push_back(changed.count(static_cast<int64_t>(i)) ? 2 : 1);
    int64_t claim = aligned(bytes) * buffers.back();
    if (absl::Status s = budget.take(claim, "state " + record.name); !s.ok())
      return s;
    total += claim;
    states->list.push_back({&record, bytes, nullptr, nullptr});
  }
  auto buffer = AlignedBuffer::allocate(total);
  if (!buffer.ok())
    return buffer.status();
  states->memory = *std::move(buffer);
  uint8_t *place = states->memory.data();
  for (size_t i = 0; i < states->list.size(); ++i) {
    State &state = states->list[i];
    state.value = place;
    state.next = place + (buffers[i] - 1) * aligned(state.bytes);
    place += buffers[i] * aligned(state.bytes);
  }
  if (absl::Status s = states->reset(bundle); !s.ok())
    return s;
  return states;
}

absl::StatusOr<const State *> States::find(size_t index) const {
  if (index < list.size())
    return &list[index];
  return absl::InvalidArgumentError(absl::StrCat("state ", index, ": the session has ", list.size(), " states"));
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
    ++state.version;
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
  if (state.ok()) {
    copy((*state)->value, data, bytes);
    ++list[index].version;
  }
  return state.status();
}

void States::copyFrom(const States &other) {
  for (size_t i = 0; i < list.size(); ++i) {
    copy(list[i].value, other.list[i].value, list[i].bytes);
    ++list[i].version;
  }
}

void States::advance(const std::vector<size_t> &changed) {
  for (size_t index : changed) {
    std::swap(list[index].value, list[index].next);
    ++list[index].version;
  }
  moveCount += !changed.empty();
}

} // namespace ane::rt
