//===- gather.cpp - Reading by index --------------------------------------===//

#include "runtime/device/emulator/op_registry.h"
#include "runtime/device/emulator/ops/indices.h"

#include <algorithm>
#include <cstring>

namespace ane::rt::emulator {
namespace {

/// out = x with axis `axis` replaced by the indices' axes behind batch_dims.
absl::StatusOr<PreparedOp> prepareGather(OpArgs &args) {
  Operand x = args.input("x", kAny);
  Operand indices = args.input("indices", indexTypes(args));
  int64_t axis = args.axis("axis", x.type.rank(), 0);
  int64_t batchDims = args.opset() >= 16 ? args.integer("batch_dims", 0) : int64_t(0);
  IndexRule rule = readIndexRule(args);
  if (!args.ok())
    return args.status();
  const Shape &xs = x.type.shape, &is = indices.type.shape;
  size_t batch = static_cast<size_t>(batchDims), at = static_cast<size_t>(axis);
  if (!args.require(batchDims >= 0 && batchDims <= axis && batch <= is.size(), "argument 'batch_dims' is ", batchDims,
                    "; it must be at most the axis (", axis, ") and the rank of the indices (", is.size(), ")"))
    return args.status();
  for (size_t i = 0; i < batch; ++i)
    args.require(xs[i] == is[i], "batch axis ", i, " differs between 'x' ", x.type.str(), " and 'indices' ",
                 indices.type.str());
  if (!args.ok())
    return args.status();
  Shape result(xs.begin(), xs.begin() + axis);
  result.insert(result.end(), is.begin() + batchDims, is.end());
  result.insert(result.end(), xs.begin() + axis + 1, xs.end());

  int64_t batches = product(xs, 0, batch), outer = product(xs, batch, at);
  int64_t size = xs[at], inner = product(xs, at + 1, xs.size());
  int64_t count = product(is, batch, is.size());
  return PreparedOp{{{x.type.element, result}},
                    [=](KernelContext &context) -> absl::Status {
                      const uint32_t *in = context.words(x);
                      const int32_t *index = context.ints(indices);
                      uint32_t *out = context.outWords();
                      size_t bytes = static_cast<size_t>(inner) * sizeof(uint32_t);
                      for (int64_t b = 0; b < batches; ++b, index += count)
                        for (int64_t o = 0; o < outer; ++o, in += size * inner)
                          for (int64_t i = 0; i < count; ++i, out += inner) {
                            int64_t from = rule.resolve(index[i], size);
                            if (from >= 0) {
                              std::memcpy(out, in + from * inner, bytes);
                              continue;
                            }
                            absl::Status status = rule.outOfBounds(index[i], size);
                            if (!status.ok())
                              return status;
                            std::memset(out, 0, bytes);
                          }
                      return absl::OkStatus();
                    },
                    {},
                    /*exact=*/true};
}

/// NumPy's take_along_axis.
absl::StatusOr<PreparedOp> prepareGatherAlongAxis(OpArgs &args) {
  Operand x = args.input("x", kAny);
  Operand indices = args.input("indices", indexTypes(args));
  int64_t axis = args.axis("axis", x.type.rank(), 0);
  IndexRule rule = readIndexRule(args);
  if (!args.ok())
    return args.status();
  const Shape &xs = x.type.shape, &is = indices.type.shape;
  size_t at = static_cast<size_t>(axis);
  bool fits = xs.size() == is.size();
  for (size_t i = 0; fits && i < xs.size(); ++i)
    fits = i == at || xs[i] == is[i];
  if (!args.require(fits, "'indices' ", indices.type.str(), " must have the shape of 'x' ", x.type.str(),
                    " but for axis ", axis))
    return args.status();
  int64_t outer = product(xs, 0, at), inner = product(xs, at + 1, xs.size());
  int64_t size = xs[at], count = is[at];
  return PreparedOp{{{x.type.element, is}},
                    [=](KernelContext &context) -> absl::Status {
                      const uint32_t *in = context.words(x);
                      const int32_t *index = context.ints(indices);
                      uint32_t *out = context.outWords();
                      for (int64_t o = 0; o < outer; ++o, in += size * inner)
                        for (int64_t k = 0; k < count; ++k)
                          for (int64_t i = 0; i < inner; ++i, ++index, ++out) {
                            int64_t from = rule.resolve(*index, size);
                            if (from < 0) {
                              absl::Status status = rule.outOfBounds(*index, size);
                              if (!status.ok())
                                return status;
                            }
                            *out = from < 0 ? 0 : in[from * inner + i];
                          }
                      return absl::OkStatus();
                    },
                    {},
                    /*exact=*/true};
}

/// The last axis of the indices picks axes of x behind batch_dims.
absl::StatusOr<PreparedOp> prepareGatherNd(OpArgs &args) {
  Operand x = args.input("x", kAny);
  Operand indices = args.input("indices", indexTypes(args));
  int64_t batchDims = args.opset() >= 16 ? args.integer("batch_dims", 0) : int64_t(0);
  IndexRule rule = readIndexRule(args);
  if (!args.ok())
    return args.status();
  const Shape &xs = x.type.shape, &is = indices.type.shape;
  size_t batch = static_cast<size_t>(batchDims);
  if (!args.require(!is.empty() && batchDims >= 0 && batch < is.size() && batchDims + is.back() <= x.type.rank(),
                    "'indices' ", indices.type.str(), " with batch_dims ", batchDims, " pick more axes than 'x' ",
                    x.type.str(), " has"))
    return args.status();
  for (size_t i = 0; i < batch; ++i)
    args.require(xs[i] == is[i], "batch axis ", i, " differs between 'x' ", x.type.str(), " and 'indices' ",
                 indices.type.str());
  if (!args.ok())
    return args.status();
  size_t depth = static_cast<size_t>(is.back());
  Shape result(is.begin(), is.end() - 1);
  result.insert(result.end(), xs.begin() + batchDims + static_cast<int64_t>(depth), xs.end());
  Shape picked(xs.begin() + batchDims, xs.begin() + batchDims + static_cast<int64_t>(depth));
  int64_t batches = product(xs, 0, batch);
  int64_t slice = product(xs, batch, xs.size());
  int64_t inner = product(xs, batch + depth, xs.size());
  int64_t count = product(is, batch, is.size() - 1);
  return PreparedOp{{{x.type.element, result}},
                    [=](KernelContext &context) -> absl::Status {
                      const uint32_t *in = context.words(x);
                      const int32_t *index = context.ints(indices);
                      uint32_t *out = context.outWords();
                      size_t bytes = static_cast<size_t>(inner) * sizeof(uint32_t);
                      for (int64_t b = 0; b < batches; ++b, in += slice)
                        for (int64_t i = 0; i < count; ++i, out += inner, index += depth) {
                          int64_t from = 0;
                          for (size_t d = 0; d < depth && from >= 0; ++d) {
                            int64_t at = rule.resolve(index[d], picked[d]);
                            if (at < 0) {
                              absl::Status status = rule.outOfBounds(index[d], picked[d]);
                              if (!status.ok())
                                return status;
                            }
                            from = at < 0 ? -1 : from * picked[d] + at;
                          }
                          if (from < 0)
                            std::memset(out, 0, bytes);
                          else
                            std::memcpy(out, in + from * inner, bytes);
                        }
                      return absl::OkStatus();
                    },
                    {},
                    /*exact=*/true};
}

constexpr OpEntry kOps[] = {
    {"gather", 15, prepareGather},
    {"gather_along_axis", 15, prepareGatherAlongAxis},
    {"gather_nd", 15, prepareGatherNd},
};

} // namespace

absl::Span<const OpEntry> gatherOps() { return kOps; }

} // namespace ane::rt::emulator
