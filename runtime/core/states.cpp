//===- states.cpp - Tensors that a session keeps --------------------------===//
#include "runtime/core/states.h"
#include "absl/strings/str_cat.h"
#include "runtime/support/number_text.h"
#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace ane::rt {
namespace {

int64_t aligned(int64_t bytes) { return (bytes + 63) / 64 * 64; }

void copy(void *to, const void *from, int64_t bytes) {
  if (bytes != 0)
    std::memcpy(to, from, static_cast<size_t>(bytes));
}

} // namespace

absl::StatusOr<std::shared_ptr<States>> States::create(Bundle &bundle, MemoryBudget &budget) {
  auto states = std::make_shared<States>();
  const std::vector<PlannedState> &planned = bundle.states();
  int64_t total = 0;
  for (const PlannedState &plan : planned) {
    // The manifest bounds each state; taken from the budget at once, the sum can't overflow either.
    const int64_t claim = aligned(plan.bytes) * (plan.hasNext ? 2 : 1);
    if (absl::Status s = budget.take(claim, "state " + plan.record->name); !s.ok())
      return s;
    total += claim;
    states->list.emplace_back(plan);
  }
  auto buffer = AlignedBuffer::allocate(total);
  if (!buffer.ok())
    return buffer.status();
  states->memory = *std::move(buffer);
  uint8_t *place = states->memory.data();
  auto takePlace = [&](int64_t bytes) { return std::exchange(place, place + aligned(bytes)); };
  for (size_t i = 0; i < planned.size(); ++i) {
    State &state = states->list[i];
    state.now.dense = takePlace(state.bytes);
    if (planned[i].hasNext)
      state.next.dense = takePlace(state.bytes);
  }
  if (absl::Status s = states->reset(bundle); !s.ok())
    return s;
  for (State &state : states->list)
    if (state.isAdapter)
      std::memset(state.now.dense, 0, static_cast<size_t>(state.bytes));
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
  return absl::InvalidArgumentError(absl::StrCat("state ", record.name, ": the value has ", unsignedSize(bytes),
                                                 " bytes, expected ", manifest::typeText(record.type), " of ",
                                                 (*state)->bytes, " bytes"));
}

absl::Status States::reset(const Bundle &bundle) {
  for (State &state : list) {
    if (state.isAdapter)
      continue;
    state.now.wroteDense();
    if (!state.record->file.empty()) {
      if (absl::Status s = bundle.readFile(state.record->file, state.record->offset, state.now.dense, state.bytes);
          !s.ok())
        return s;
    } else if (state.bytes != 0) {
      std::memset(state.now.dense, 0, static_cast<size_t>(state.bytes));
    }
  }
  return absl::OkStatus();
}

absl::Status States::read(size_t index, void *data, int64_t bytes) const {
  auto state = findOfSize(index, bytes);
  if (state.ok())
    copy(data, (*state)->now.dense, bytes);
  return state.status();
}

absl::Status States::write(size_t index, const void *data, int64_t bytes) {
  auto state = findOfSize(index, bytes);
  if (state.ok()) {
    copy((*state)->now.dense, data, bytes);
    list[index].now.wroteDense();
  }
  return state.status();
}

void States::copyFrom(const States &other) {
  for (size_t i = 0; i < list.size(); ++i) {
    copy(list[i].now.dense, other.list[i].now.dense, list[i].bytes);
    list[i].now.wroteDense();
  }
}

namespace {
/// A state along an axis: `outer` parts of `size` entries of `entry` bytes, of which the first `used` matter. Without
/// an axis it is one entry.
struct Entries {
  Entries(const State &state, std::optional<size_t> axis, int64_t wanted) : entry(state.bytes) {
    if (!axis)
      return;
    const std::vector<int64_t> &shape = state.record->type.shape;
    outer =
        std::accumulate(shape.begin(), shape.begin() + static_cast<int64_t>(*axis), int64_t{1}, std::multiplies<>());
    size = shape[*axis];
    used = std::min(wanted, size);
    entry = outer * size == 0 ? 0 : state.bytes / (outer * size);
  }

  int64_t outer = 1, size = 1, used = 1, entry;
};

/// The entries of `from` that matter go to `position` of `to` along `axis` and behind.
void copyEntries(State &to, const Entries &toParts, std::optional<size_t> axis, int64_t position, const State &from,
                 const Entries &fromParts) {
  for (int64_t part = 0; part < fromParts.outer; ++part)
    copy(static_cast<uint8_t *>(to.now.dense) + (part * toParts.size + position) * toParts.entry,
         static_cast<const uint8_t *>(from.now.dense) + part * fromParts.size * fromParts.entry,
         fromParts.used * fromParts.entry);
  if (axis)
    to.now.wroteEntries(static_cast<int64_t>(*axis), position, fromParts.used);
  else
    to.now.wroteDense();
}
} // namespace

void States::place(size_t index, const State &from, size_t axis, int64_t position, int64_t count) {
  copyEntries(list[index], Entries(list[index], axis, 0), axis, position, from, Entries(from, axis, count));
}

int64_t States::bytesOf(const State &state, int64_t entries) {
  Entries parts(state, state.axis, entries);
  return parts.outer * parts.used * parts.entry;
}

absl::StatusOr<int64_t> States::take(const States &other, int64_t entries) {
  if (&other == this)
    return 0;
  if (entries < 0)
    return absl::InvalidArgumentError(absl::StrCat(entries, " entries of states; expected 0 or more"));
  std::vector<const State *> sources;
  for (const State &state : list) {
    sources.push_back(nullptr);
    if (state.isAdapter)
      continue;
    const manifest::State &record = *state.record;
    auto found = std::find_if(other.list.begin(), other.list.end(),
                              [&](const State &each) { return each.record->name == record.name; });
    std::string theirs = found == other.list.end() ? "none" : manifest::typeText(found->record->type);
    if (theirs != manifest::typeText(record.type))
      return absl::InvalidArgumentError(absl::StrCat("state ", record.name, ": the other session has ", theirs,
                                                     ", expected ", manifest::typeText(record.type)));
    sources.back() = &*found;
  }
  auto isOwn = [](const State &state) { return !state.isAdapter; };
  if (std::none_of(list.begin(), list.end(), isOwn)) {
    auto first = std::find_if(other.list.begin(), other.list.end(), isOwn);
    if (first != other.list.end())
      return absl::InvalidArgumentError(absl::StrCat("state ", first->record->name,
                                                     ": is copied to a session that has no states; remedy: copy it to "
                                                     "one of a bundle with the same states"));
  }
  int64_t total = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    if (!sources[i])
      continue;
    Entries parts(list[i], list[i].axis, entries);
    copyEntries(list[i], parts, list[i].axis, 0, *sources[i], parts);
    total += bytesOf(list[i], entries);
  }
  return total;
}

void States::advance(const std::vector<size_t> &changed) {
  for (size_t index : changed) {
    State &state = list[index];
    std::swap(state.now.dense, state.next.dense);
    state.now.wroteDense();
    // What a program wrote is what one reads in the next run.
    passSurfaces(state.next, state.now);
  }
}

} // namespace ane::rt
