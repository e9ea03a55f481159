//===- scatter.cpp - Writing by index -------------------------------------===//

#include "runtime/device/emulator/op_registry.h"
#include "runtime/device/emulator/ops/indices.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace ane::rt::emulator {
namespace {

enum class Mode { Update, Add, Sub, Mul, Div, Max, Min };

Mode readMode(OpArgs &args) {
  // The documented default is update, the definition's is add
  // (coreml-mlprogram.md 3, indexing).
  std::string name = args.string("mode", "add");
  constexpr std::pair<const char *, Mode> kModes[] = {{"update", Mode::Update}, {"add", Mode::Add}, {"sub", Mode::Sub},
                                                      {"mul", Mode::Mul},       {"div", Mode::Div}, {"max", Mode::Max},
                                                      {"min", Mode::Min}};
  for (auto [text, mode] : kModes)
    if (name == text)
      return mode;
  args.argumentError("mode", "is \"", name, "\"; it must be one of: update, add, sub, mul, div, max, min");
  return Mode::Update;
}

template <typename T>
T combine(Mode mode, T old, T update) {
  switch (mode) {
  case Mode::Update:
    return update;
  case Mode::Max:
    return update > old || update != update ? update : old; // NaN where either is
  case Mode::Min:
    return update < old || update != update ? update : old;
  default:
    break;
  }
  if constexpr (std::is_same_v<T, float>) {
    switch (mode) {
    case Mode::Add:
      return old + update;
    case Mode::Sub:
      return old - update;
    case Mode::Mul:
      return old * update;
    default:
      return old / update;
    }
  } else {
    uint32_t a = static_cast<uint32_t>(old), b = static_cast<uint32_t>(update);
    switch (mode) {
    case Mode::Add:
      return static_cast<T>(a + b);
    case Mode::Sub:
      return static_cast<T>(a - b);
    case Mode::Mul:
      return static_cast<T>(a * b);
    default:
      return update == 0 ? 0 : static_cast<T>(static_cast<uint32_t>(int64_t(old) / update));
    }
  }
}

/// Combines rows of `inner` elements at the element offset `to`.
void combineRow(bool floats, Mode mode, uint32_t *to, const uint32_t *from, int64_t inner) {
  if (floats) {
    auto *old = reinterpret_cast<float *>(to);
    auto *update = reinterpret_cast<const float *>(from);
    for (int64_t i = 0; i < inner; ++i)
      old[i] = combine(mode, old[i], update[i]);
    return;
  }
  auto *old = reinterpret_cast<int32_t *>(to);
  auto *update = reinterpret_cast<const int32_t *>(from);
  for (int64_t i = 0; i < inner; ++i)
    old[i] = combine(mode, old[i], update[i]);
}

struct ScatterArgs {
  Operand data, indices, updates;
  Mode mode = Mode::Add;
  IndexRule rule;
};

ScatterArgs readScatter(OpArgs &args) {
  ScatterArgs scatter;
  scatter.data = args.input("data", kFloatInt);
  scatter.indices = args.input("indices", indexTypes(args));
  scatter.updates = args.input("updates", kFloatInt);
  scatter.mode = readMode(args);
  scatter.rule = readIndexRule(args);
  if (args.ok())
    args.require(scatter.data.type.element == scatter.updates.type.element, "'data' is ", scatter.data.type.str(),
                 " and 'updates' is ", scatter.updates.type.str(), "; both need the same element type");
  return scatter;
}

void requireUpdates(OpArgs &args, const ScatterArgs &scatter, const Shape &expected) {
  args.require(scatter.updates.type.shape == expected, "'updates' is ", scatter.updates.type.str(),
               "; its shape must be ", shapeString(expected));
}

/// The data, with what `write(indices, updates, result)` puts over it.
template <typename Write>
PreparedOp scattering(const ScatterArgs &s, Write write) {
  return PreparedOp{{s.data.type},
                    [=](KernelContext &context) -> absl::Status {
                      const uint32_t *data = context.words(s.data);
                      uint32_t *out = context.outWords();
                      std::copy(data, data + s.data.type.size(), out);
                      return write(context.ints(s.indices), context.words(s.updates), out);
                    },
                    {},
                    /*exact=*/false};
}

absl::StatusOr<PreparedOp> prepareScatter(OpArgs &args) {
  ScatterArgs s = readScatter(args);
  int64_t axis = args.axis("axis", s.data.type.rank(), 0);
  if (!args.ok())
    return args.status();
  const Shape &ds = s.data.type.shape, &is = s.indices.type.shape;
  size_t at = static_cast<size_t>(axis);
  Shape expected(ds.begin(), ds.begin() + axis);
  expected.insert(expected.end(), is.begin(), is.end());
  expected.insert(expected.end(), ds.begin() + axis + 1, ds.end());
  requireUpdates(args, s, expected);
  if (!args.ok())
    return args.status();
  int64_t outer = product(ds, 0, at), inner = product(ds, at + 1, ds.size());
  int64_t size = ds[at], count = product(is);
  bool floats = heldAsFloat(s.data.type.element);
  return scattering(s, [=](const int32_t *index, const uint32_t *update, uint32_t *out) -> absl::Status {
    for (int64_t o = 0; o < outer; ++o, out += size * inner)
      for (int64_t i = 0; i < count; ++i, update += inner) {
        int64_t to = s.rule.resolve(index[i], size);
        if (to >= 0)
          combineRow(floats, s.mode, out + to * inner, update, inner);
        else if (absl::Status status = s.rule.outOfBounds(index[i], size); !status.ok())
          return status;
      }
    return absl::OkStatus();
  });
}

absl::StatusOr<PreparedOp> prepareScatterAlongAxis(OpArgs &args) {
  ScatterArgs s = readScatter(args);
  int64_t axis = args.axis("axis", s.data.type.rank(), 0);
  if (!args.ok())
    return args.status();
  const Shape &ds = s.data.type.shape, &is = s.indices.type.shape;
  size_t at = static_cast<size_t>(axis);
  bool fits = ds.size() == is.size();
  for (size_t i = 0; fits && i < ds.size(); ++i)
    fits = i == at || ds[i] == is[i];
  args.require(fits, "'indices' ", s.indices.type.str(), " must have the shape of 'data' ", s.data.type.str(),
               " but for axis ", axis);
  requireUpdates(args, s, is);
  if (!args.ok())
    return args.status();
  int64_t outer = product(ds, 0, at), inner = product(ds, at + 1, ds.size());
  int64_t size = ds[at], count = is[at];
  bool floats = heldAsFloat(s.data.type.element);
  return scattering(s, [=](const int32_t *index, const uint32_t *update, uint32_t *out) -> absl::Status {
    for (int64_t o = 0; o < outer; ++o, out += size * inner)
      for (int64_t k = 0; k < count; ++k)
        for (int64_t i = 0; i < inner; ++i, ++index, ++update) {
          int64_t to = s.rule.resolve(*index, size);
          if (to >= 0)
            combineRow(floats, s.mode, out + to * inner + i, update, 1);
          else if (absl::Status status = s.rule.outOfBounds(*index, size); !status.ok())
            return status;
        }
    return absl::OkStatus();
  });
}

absl::StatusOr<PreparedOp> prepareScatterNd(OpArgs &args) {
  ScatterArgs s = readScatter(args);
  if (!args.ok())
    return args.status();
  const Shape &ds = s.data.type.shape, &is = s.indices.type.shape;
  if (!args.require(!is.empty() && is.back() <= static_cast<int64_t>(ds.size()), "'indices' ", s.indices.type.str(),
                    " pick more axes than 'data' ", s.data.type.str(), " has"))
    return args.status();
  size_t depth = static_cast<size_t>(is.back());
  Shape expected(is.begin(), is.end() - 1);
  expected.insert(expected.end(), ds.begin() + is.back(), ds.end());
  requireUpdates(args, s, expected);
  if (!args.ok())
    return args.status();
  int64_t inner = product(ds, depth, ds.size());
  int64_t count = product(is, 0, is.size() - 1);
  bool floats = heldAsFloat(s.data.type.element);
  return scattering(s, [=](const int32_t *index, const uint32_t *update, uint32_t *out) -> absl::Status {
    const Shape &shape = s.data.type.shape;
    for (int64_t i = 0; i < count; ++i, update += inner, index += depth) {
      int64_t to = 0;
      for (size_t d = 0; d < depth && to >= 0; ++d) {
        int64_t at = s.rule.resolve(index[d], shape[d]);
        if (at < 0)
          if (absl::Status status = s.rule.outOfBounds(index[d], shape[d]); !status.ok())
            return status;
        to = at < 0 ? -1 : to * shape[d] + at;
      }
      if (to >= 0)
        combineRow(floats, s.mode, out + to * inner, update, inner);
    }
    return absl::OkStatus();
  });
}

constexpr OpEntry kOps[] = {
    {"scatter", 15, prepareScatter},
    {"scatter_along_axis", 15, prepareScatterAlongAxis},
    {"scatter_nd", 15, prepareScatterNd},
};

} // namespace

absl::Span<const OpEntry> scatterOps() { return kOps; }

} // namespace ane::rt::emulator
