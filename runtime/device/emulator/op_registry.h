//===- op_registry.h - Ops that the emulator runs -------------------------===//
//
// An op is one function. It reads its arguments once, at load, checks them,
// infers the types of its results, and gives a kernel that later runs with the
// operands' memory. Each family has one file and one table; op_registry.cpp
// joins the tables.
//
//===----------------------------------------------------------------------===//

#ifndef ANE_RUNTIME_DEVICE_EMULATOR_OP_REGISTRY_H
#define ANE_RUNTIME_DEVICE_EMULATOR_OP_REGISTRY_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/device/emulator/limits.h"
#include "runtime/device/emulator/numeric_model.h"
#include "runtime/device/emulator/op_args.h"
#include "runtime/device/emulator/tensor.h"

#include <functional>
#include <string_view>
#include <vector>

namespace ane::rt::emulator {

/// Memory that kernels borrow for one call. Blocks stay valid until `reset`;
/// the next evaluation uses them again.
class Scratch {
public:
  void *take(int64_t elements);
  void reset() { next = 0; }

private:
  struct Block {
    Buffer memory;
    int64_t elements = 0;
  };
  std::vector<Block> blocks;
  size_t next = 0;
};

/// What a kernel sees while it runs.
class KernelContext {
public:
  /// `values` and, where they stay in their file, `packed` of each slot.
  KernelContext(absl::Span<void *const> values, absl::Span<const uint16_t *const> packed,
                absl::Span<const int64_t> results, Scratch &scratch, const NumericModel &numerics)
      : numerics(numerics), values(values), packed(packed), results(results), memory(scratch) {}

  /// Elements of an operand, dense and row major.
  const float *floats(const Operand &operand);
  const int32_t *ints(const Operand &operand);
  /// Either, for kernels that only move four-byte elements.
  const uint32_t *words(const Operand &operand);

  float *outFloats(size_t result = 0) { return static_cast<float *>(values[slot(result)]); }
  int32_t *outInts(size_t result = 0) { return static_cast<int32_t *>(values[slot(result)]); }
  uint32_t *outWords(size_t result = 0) { return static_cast<uint32_t *>(values[slot(result)]); }

  float *scratchFloats(int64_t count) { return static_cast<float *>(memory.take(count)); }
  int32_t *scratchInts(int64_t count) { return static_cast<int32_t *>(memory.take(count)); }

  const NumericModel &numerics;

private:
  size_t slot(size_t result) const { return static_cast<size_t>(results[result]); }

  absl::Span<void *const> values;
  absl::Span<const uint16_t *const> packed;
  absl::Span<const int64_t> results;
  Scratch &memory;
};

using KernelFn = std::function<absl::Status(KernelContext &)>;

/// What an op takes beyond one visit of each element of its operands and
/// results; bounded (limits.h) before the op runs.
struct Cost {
  /// Visits of elements; products by BLAS count less (products).
  int64_t work = 0;
  /// Elements of scratch memory.
  int64_t scratch = 0;

  /// `count` multiply-adds by BLAS.
  static int64_t products(const Shape &count) { return product(count) / kProductsPerVisit; }
};

struct PreparedOp {
  /// Inferred types, compared with the declared ones.
  std::vector<TensorType> results;
  /// Null when the result is `alias` seen with another shape.
  KernelFn kernel;
  /// Operand whose memory the only result shares.
  Operand alias;
  /// The kernel only copies elements, so results need no rounding.
  bool exact = false;
  Cost cost = {};

  PreparedOp &&costing(int64_t work, int64_t scratch = 0) && {
    cost = {work, scratch};
    return std::move(*this);
  }
};

using PrepareFn = absl::StatusOr<PreparedOp> (*)(OpArgs &);

struct OpEntry {
  std::string_view name;
  /// First opset that has the op: 15 for ios15.
  int opset;
  PrepareFn prepare;
};

/// Null when there is no such op.
const OpEntry *findOp(std::string_view name);
/// All ops, for documentation and tests.
std::vector<const OpEntry *> allOps();

/// A kernel that cannot fail.
template <typename F>
KernelFn kernel(F body) {
  return [body = std::move(body)](KernelContext &context) {
    body(context);
    return absl::OkStatus();
  };
}

/// The usual result of an op: one value.
inline PreparedOp oneResult(TensorType type, KernelFn kernel, bool exact = false) {
  return {{std::move(type)}, std::move(kernel), {}, exact};
}

/// `operand` with another shape and the same elements.
inline PreparedOp aliasResult(TensorType type, const Operand &operand) {
  return {{std::move(type)}, nullptr, operand, true};
}

// Tables of the families.
absl::Span<const OpEntry> unaryOps();
absl::Span<const OpEntry> binaryOps();
absl::Span<const OpEntry> activationOps();
absl::Span<const OpEntry> reduceOps();
absl::Span<const OpEntry> normOps();
absl::Span<const OpEntry> poolOps();
absl::Span<const OpEntry> convOps();
absl::Span<const OpEntry> convTransposeOps();
absl::Span<const OpEntry> matmulOps();
absl::Span<const OpEntry> einsumOps();
absl::Span<const OpEntry> attentionOps();
absl::Span<const OpEntry> reshapeOps();
absl::Span<const OpEntry> sliceOps();
absl::Span<const OpEntry> joinOps();
absl::Span<const OpEntry> padOps();
absl::Span<const OpEntry> blockOps();
absl::Span<const OpEntry> gatherOps();
absl::Span<const OpEntry> scatterOps();
absl::Span<const OpEntry> orderOps();
absl::Span<const OpEntry> fillOps();
absl::Span<const OpEntry> resizeOps();
absl::Span<const OpEntry> imageOps();
absl::Span<const OpEntry> quantizeOps();
absl::Span<const OpEntry> constexprOps();
absl::Span<const OpEntry> compressedOps();

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_OP_REGISTRY_H
