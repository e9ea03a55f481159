//===- Raise.h - patterns of what exporters took apart --------*- C++ -*-===//
//
// One file per idea. Each pattern looks from the last op of a subgraph upwards and leaves the rest to dead code
// elimination, so that values with other readers stay.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_TRANSFORMS_RAISE_RAISE_H
#define ANE_LIB_TRANSFORMS_RAISE_RAISE_H

#include "ane/IR/ANE.h"
#include "mlir/IR/PatternMatch.h"
#include <cmath>

namespace mlir::ane::raise {

void populateLinear(RewritePatternSet &patterns);
void populateMovement(RewritePatternSet &patterns);
void populateActivations(RewritePatternSet &patterns);
void populateSoftmax(RewritePatternSet &patterns);
void populateNorms(RewritePatternSet &patterns);
void populateRope(RewritePatternSet &patterns);
void populateAttention(RewritePatternSet &patterns);
void populateStates(RewritePatternSet &patterns);
/// For products that are no attention: after the others.
void populateGroupedProducts(RewritePatternSet &patterns);

inline RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }
inline ArrayRef<int64_t> shapeOf(Value value) { return typeOf(value).getShape(); }

/// Exporters print constants like sqrt(2) in fp32 or fewer digits.
inline bool isClose(double value, double expected) { return std::abs(value - expected) <= 1e-5 * std::abs(expected); }

/// The factors of a product, through multiplications and divisions by constants.
struct Product {
  double constant = 1;
  SmallVector<Value> factors;
  SmallVector<Location> locs;

  /// Ops below `root` are looked through only where nobody else reads them.
  void collect(Value value, bool root);
};

/// The other operand of a commutative binary op one of whose operands is the splat `constant`.
template <typename Op>
Value matchWithSplat(Value value, double constant);

/// x if `value` is x^2, in any spelling.
Value matchSquare(Value value);

/// The value of a constant expression of at most `maxElements` elements, as doubles.
std::optional<SmallVector<double>> evaluateDoubles(Value value, int64_t maxElements);

} // namespace mlir::ane::raise

#endif // ANE_LIB_TRANSFORMS_RAISE_RAISE_H
