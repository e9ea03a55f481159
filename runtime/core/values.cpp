//===- values.cpp - Where the values of a run are -------------------------===//
#include "runtime/core/values.h"
#include "absl/strings/str_cat.h"
#include "runtime/core/annotate.h"
#include "runtime/core/states.h"
#include "runtime/support/clock.h"
#include <algorithm>

namespace ane::rt {
namespace {

bool holdsAll(ElementType tensor, ElementType surface) {
  if (tensor == surface)
    return true;
  bool isWide = tensor == ElementType::Float32 || tensor == ElementType::Float64;
  return isWide && (surface == ElementType::Float16 || surface == ElementType::Float32);
}

/// Adds the time of a scope.
struct Timed {
  explicit Timed(int64_t &ns) : ns(ns), start(nowNs()) {}
  ~Timed() { ns += nowNs() - start; }
  int64_t &ns;
  const int64_t start;
};

/// Whether the surface of a form can get the entries that were replaced after `since`, and nothing else is new.
bool canCatchUp(const Value &value, SurfaceForm &form, uint64_t since) {
  if (form.info->mask.extent) // a new entry may be the largest of rows that have others
    return false;
  return value.changedAfter(since) &&
         std::all_of(value.changes.begin(), value.changes.end(), [&](const EntryChange &change) {
           return change.version <= since || form.layout.prepareEntries(value.type.shape, change.axis);
         });
}

} // namespace

void Value::wroteDense() {
  denseVersion = changesSince = ++version;
  isComputed = false;
  changes.clear();
}

void Value::wroteSurface(SurfaceForm &form) {
  form.version = changesSince = ++version;
  isComputed = true;
  changes.clear();
}

/// Tokens that are decoded before a form that nobody reads meanwhile is written as a whole.
constexpr size_t kMostChanges = 256;

void Value::expectEntries() { changes.reserve(kMostChanges); }

void Value::wroteEntries(int64_t axis, int64_t first, int64_t count) {
  denseVersion = ++version;
  isComputed = false;
  if (changes.size() == kMostChanges) {
    changesSince = changes.front().version;
    changes.erase(changes.begin());
  }
  changes.push_back({version, axis, first, count});
}

std::optional<int64_t> Value::changedAfter(uint64_t since) const {
  if (since < changesSince)
    return std::nullopt;
  int64_t sum = 0;
  for (const EntryChange &change : changes)
    if (change.version > since)
      sum += bytes / type.shape[change.axis] * change.count;
  return sum < bytes ? std::optional<int64_t>(sum) : std::nullopt;
}

absl::StatusOr<Values> Values::create(const Plan &plan, States &states, MemoryBudget &budget) {
  // All of it is asked for before anything is allocated: memory that is promised may not be there.
  const std::string &name = plan.function->name;
  if (absl::Status s = budget.has(plan.needs.total(), absl::StrCat("function ", name, " needs ", plan.needs.text()));
      !s.ok())
    return s;
  const std::string what = "values of function " + name;
  if (absl::Status s = budget.take(plan.bytes, what); !s.ok())
    return s;
  auto buffer = AlignedBuffer::allocate(plan.bytes);
  if (!buffer.ok())
    return annotate(buffer.status(), what);
  Values values;
  values.memory = *std::move(buffer);
  const auto isOwn = [](const PlannedValue &value) { return value.home == PlannedValue::Home::Run; };
  values.own.reserve(static_cast<size_t>(std::count_if(plan.values.begin(), plan.values.end(), isOwn)));
  for (const PlannedValue &planned : plan.values) {
    if (isOwn(planned)) {
      Value &value = values.own.emplace_back(*planned.type, values.memory.data() + planned.offset, planned.kinds);
      value.isSeen = planned.isSeen;
      value.isRead = planned.isRead;
      values.all.push_back(&value);
    } else {
      State &state = states.all()[planned.state];
      values.all.push_back(planned.home == PlannedValue::Home::State ? &state.now : &state.next);
    }
  }
  return values;
}

absl::StatusOr<SurfaceForm *> Values::form(Value &value, const manifest::Surface &surface,
                                           const std::shared_ptr<SurfacePool> &pool, MemoryBudget &budget) {
  for (SurfaceForm &form : value.forms)
    if (manifest::areAlike(*form.info, surface))
      return &form;
  const int64_t bytes = value.kinds.bytesFor(surface), narrowedBytes = manifest::narrowedBytes(surface, value.type);
  if (absl::Status s = budget.take(bytes + narrowedBytes, "surface " + surface.name); !s.ok())
    return s;
  auto narrowed = AlignedBuffer::allocate(narrowedBytes);
  if (!narrowed.ok())
    return narrowed.status();
  auto taken = SurfacePool::take(pool, {surface.name, surface.dtype, surface.shape, surface.rowStride, bytes});
  if (!taken.ok())
    return absl::Status(taken.status().code(), absl::StrCat("surface ", surface.name, ": ", taken.status().message()));
  value.forms.push_back({&surface, SurfaceLayout(value.type.dtype, surface), *std::move(taken)});
  value.forms.back().narrowed = *std::move(narrowed);
  value.forms.back().isExact = holdsAll(value.type.dtype, surface.dtype);
  return &value.forms.back();
}

absl::Status Values::wroteSurface(Value &value, SurfaceForm &form) {
  value.wroteSurface(form);
  if (form.isExact)
    return absl::OkStatus();
  // The plan's value is what its type makes of the elements.
  absl::Status status = bringDense(value);
  form.version = 0;
  return status;
}

absl::Status Values::bringDense(Value &value) {
  if (value.isDense())
    return absl::OkStatus();
  Timed timed(spent.ns);
  for (SurfaceForm &form : value.forms)
    if (form.version == value.version) {
      auto mapped = form.surface->map(Access::Read);
      if (!mapped.ok())
        return mapped.status();
      form.layout.fromSurface(mapped->data(), value.dense);
      value.denseVersion = value.version;
      spent.copiedBytes += value.bytes;
      break;
    }
  return absl::OkStatus();
}

absl::Status Values::bringSurface(Value &value, SurfaceForm &form) {
  if (form.version == value.version)
    return absl::OkStatus();
  if (absl::Status s = bringDense(value); !s.ok())
    return s;
  Timed timed(spent.ns);
  const bool getsChanges = canCatchUp(value, form, form.version);
  auto mapped = form.surface->map(Access::Write);
  if (!mapped.ok())
    return mapped.status();
  if (getsChanges) {
    for (const EntryChange &change : value.changes)
      if (change.version > form.version)
        form.layout.entriesToSurface(change.axis, change.first, change.count, value.dense, mapped->data());
    spent.copiedBytes += *value.changedAfter(form.version);
  } else {
    form.layout.toSurface(shown(value, form), mapped->data());
    spent.copiedBytes += value.bytes;
  }
  form.version = value.version;
  return absl::OkStatus();
}

const void *Values::shown(Value &value, SurfaceForm &form) {
  if (!form.info->mask.extent)
    return value.dense;
  if (form.narrowedVersion != value.version) {
    // The room is behind the elements: it is for floats, of which the buffer has whole ones.
    auto *tops = reinterpret_cast<float *>(form.narrowed.data() + form.narrowed.bytes()) - form.info->mask.inner;
    narrowMask(form.info->mask, value.type.dtype, manifest::elementCount(value.type.shape), value.dense,
               form.narrowed.data(), tops);
    form.narrowedVersion = value.version;
  }
  return form.narrowed.data();
}

absl::StatusOr<Extent> Values::extentOf(Value &value, SurfaceForm &form) {
  if (form.scanned == value.version)
    return form.extent;
  if (const bool isMask = form.info->mask.extent != 0; !isMask && value.isDense() && value.changedAfter(form.scanned)) {
    scanChanges(value, form);
    return form.extent;
  }
  if (form.version != value.version || form.info->mask.extent)
    if (absl::Status s = bringDense(value); !s.ok())
      return s;
  Timed timed(spent.ns);
  if (value.isDense()) {
    form.extent = scanDense(form, value.type.dtype, shown(value, form), value.bytes);
    // Conversions of what fp16 held lose nothing.
    form.extent.isHalf |= value.isComputed;
  } else {
    auto mapped = form.surface->map(Access::Read);
    if (!mapped.ok())
      return mapped.status();
    form.extent = form.layout.extent(mapped->data());
    spent.scannedBytes += value.bytes;
  }
  form.scanned = value.version;
  form.isHull = false;
  return form.extent;
}

absl::StatusOr<Extent> Values::exactExtentOf(Value &value, SurfaceForm &form) {
  if (form.isHull)
    form.scanned = 0;
  return extentOf(value, form);
}

absl::Status Values::clampInfinite(Value &value, SurfaceForm &form) {
  // What overflowed is infinite in the surface.
  auto extent = extentOf(value, form);
  if (!extent.ok() || (extent->isFinite() && !extent->overflowsHalf()) || form.version != value.version)
    return extent.status();
  auto mapped = form.surface->map(Access::Write);
  if (!mapped.ok())
    return mapped.status();
  spent.clampedElements += form.layout.clampInfinite(mapped->data());
  form.extent = form.layout.extent(mapped->data());
  return absl::OkStatus();
}

Extent Values::scanDense(const SurfaceForm &form, ElementType type, const void *data, int64_t bytes) {
  const int64_t count = bytes / byteWidth(type);
  spent.scannedBytes += bytes;
  Extent extent = rt::extentOf(data, type, count);
  if (form.wantsHalf || extent.isBelowHalf())
    extent.isHalf = areHalf(data, type, count);
  return extent;
}

/// The extent of a value of which entries were replaced, with that of what was there.
void Values::scanChanges(const Value &value, SurfaceForm &form) {
  Timed timed(spent.ns);
  const std::vector<int64_t> &shape = value.type.shape;
  for (const EntryChange &change : value.changes) {
    if (change.version <= form.scanned)
      continue;
    const int64_t outer = manifest::elementCount({shape.begin(), shape.begin() + change.axis});
    const int64_t part = value.bytes / outer, entry = part / shape[change.axis];
    for (int64_t i = 0; i < outer; ++i)
      form.extent.add(scanDense(form, value.type.dtype,
                                static_cast<const uint8_t *>(value.dense) + i * part + change.first * entry,
                                change.count * entry));
  }
  form.scanned = value.version;
  form.isHull = true;
}

bool passSurfaces(Value &from, Value &to) {
  for (SurfaceForm &source : from.forms)
    for (SurfaceForm &target : to.forms)
      if (source.version == from.version && manifest::areAlike(*source.info, *target.info)) {
        std::swap(source.surface, target.surface);
        target.version = to.version;
        target.scanned = source.scanned == source.version ? target.version : 0;
        target.extent = source.extent;
        target.isHull = source.isHull;
        to.isComputed = from.isComputed;
        source.version = 0;
        return true;
      }
  return false;
}

void swapSurfaces(Value &a, Value &b) {
  for (SurfaceForm &source : a.forms)
    for (SurfaceForm &target : b.forms)
      if (manifest::areAlike(*source.info, *target.info)) {
        std::swap(source.surface, target.surface);
        return;
      }
}

} // namespace ane::rt
