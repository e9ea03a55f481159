//===- attention.cpp - scaled_dot_product_attention -----------------------===//

#include "runtime/device/emulator/op_registry.h"
#include "runtime/device/emulator/ops/gemm.h"
#include "runtime/device/emulator/ops/iteration.h"
#include "runtime/device/emulator/ops/math.h"

#include <cmath>
#include <limits>

namespace ane::rt::emulator {
namespace {

struct AttentionPlan {
  int64_t heads, queries, keys, width, valueWidth;
  bool masked = false;
  bool boolMask = false;

  void softmax(float *scores) const {
    for (int64_t q = 0; q < queries; ++q, scores += keys) {
      float top = -std::numeric_limits<float>::infinity();
      for (int64_t k = 0; k < keys; ++k)
        top = scores[k] > top ? scores[k] : top;
      float sum = 0;
      for (int64_t k = 0; k < keys; ++k) {
        scores[k] = vexp(scores[k] - top);
        sum += scores[k];
      }
      for (int64_t k = 0; k < keys; ++k)
        scores[k] /= sum;
    }
  }

  void applyMask(const uint32_t *mask, float *scores) const {
    int64_t count = queries * keys;
    if (boolMask) {
      for (int64_t i = 0; i < count; ++i)
        scores[i] = mask[i] ? scores[i] : -std::numeric_limits<float>::infinity();
      return;
    }
    const float *added = reinterpret_cast<const float *>(mask);
    for (int64_t i = 0; i < count; ++i)
      scores[i] += added[i];
  }
};

/// softmax(Q K^T / sqrt(E) + mask) V, rounded once at the end. A bool mask is
/// true where a query attends (coreml-mlprogram.md 3, attention).
absl::StatusOr<PreparedOp> prepareAttention(OpArgs &args) {
  Operand q = args.input("query", kFloat);
  Operand k = args.input("key", kFloat);
  Operand v = args.input("value", kFloat);
  Operand mask = args.optionalInput("attn_mask", kFloat | kBool);
  if (!args.ok())
    return args.status();
  const Shape &qs = q.type.shape, &ks = k.type.shape, &vs = v.type.shape;
  args.require(qs.size() >= 3 && ks.size() == qs.size() && vs.size() == qs.size(), "'query' ", q.type.str(), ", 'key' ",
               k.type.str(), " and 'value' ", v.type.str(), " need the same rank, at least 3");
  args.require(q.type.element == k.type.element && q.type.element == v.type.element,
               "'query', 'key' and 'value' need the same element type");
  if (!args.ok())
    return args.status();
  size_t lead = qs.size() - 2;
  for (size_t i = 0; i < lead; ++i)
    args.require(qs[i] == ks[i] && qs[i] == vs[i], "axis ", i, " differs between 'query' ", q.type.str(), ", 'key' ",
                 k.type.str(), " and 'value' ", v.type.str());
  args.require(qs[lead + 1] == ks[lead + 1], "'query' ", q.type.str(), " and 'key' ", k.type.str(),
               " differ in their last axis");
  args.require(ks[lead] == vs[lead], "'key' ", k.type.str(), " and 'value' ", v.type.str(),
               " differ in their number of positions");
  Shape scores(qs.begin(), qs.end() - 1);
  scores.push_back(ks[lead]);
  if (args.ok() && mask.present()) {
    std::optional<Shape> shape = broadcastShapes(mask.type.shape, scores);
    args.require(shape && *shape == scores, "'attn_mask' ", mask.type.str(),
                 " does not broadcast to the scores' shape ", shapeString(scores));
    args.require(mask.type.element == ElementType::Bool || mask.type.element == q.type.element, "'attn_mask' is ",
                 mask.type.str(), "; it must be bool or have the element type of 'query'");
  }
  if (!args.ok())
    return args.status();

  AttentionPlan plan{product(qs, 0, lead),
                     qs[lead],
                     ks[lead],
                     qs[lead + 1],
                     vs[lead + 1],
                     mask.present(),
                     mask.present() && mask.type.element == ElementType::Bool};
  Shape result = qs;
  result.back() = plan.valueWidth;
  Shape maskStrides;
  if (mask.present())
    maskStrides = broadcastStrides(mask.type.shape, scores);
  int64_t count = product({plan.queries, plan.keys});
  int64_t work =
      saturatingSum(Cost::products({plan.heads, count, plan.width + plan.valueWidth}), product({4, plan.heads, count}));
  int64_t scratch = saturatingSum(count, plan.masked ? product({plan.heads, count}) : 0);
  return oneResult({q.type.element, result}, kernel([=](KernelContext &context) {
                     const AttentionPlan &p = plan;
                     const float *query = context.floats(q), *key = context.floats(k);
                     const float *value = context.floats(v);
                     float *out = context.outFloats();
                     int64_t count = p.queries * p.keys;
                     float *s = context.scratchFloats(count);
                     uint32_t *expanded = nullptr;
                     if (p.masked) {
                       expanded = reinterpret_cast<uint32_t *>(context.scratchFloats(p.heads * count));
                       gatherStrided(context.words(mask), maskStrides, expanded, scores);
                     }
                     float scale = 1.0f / std::sqrt(static_cast<float>(p.width));
                     for (int64_t h = 0; h < p.heads; ++h) {
                       gemm(p.queries, p.keys, p.width, {query + h * p.queries * p.width, p.width},
                            {key + h * p.keys * p.width, p.width, /*transposed=*/true}, s, p.keys);
                       leaveAccumulator(context.numerics, s, count);
                       for (int64_t i = 0; i < count; ++i)
                         s[i] *= scale;
                       if (p.masked)
                         p.applyMask(expanded + h * count, s);
                       p.softmax(s);
                       gemm(p.queries, p.valueWidth, p.keys, {s, p.keys},
                            {value + h * p.keys * p.valueWidth, p.valueWidth}, out + h * p.queries * p.valueWidth,
                            p.valueWidth);
                     }
                     leaveAccumulator(context.numerics, out, p.heads * p.queries * p.valueWidth);
                   }))
      .costing(work, scratch);
}

constexpr OpEntry kOps[] = {{"scaled_dot_product_attention", 18, prepareAttention}};

} // namespace

absl::Span<const OpEntry> attentionOps() { return kOps; }

} // namespace ane::rt::emulator
