//===- Linear.cpp - gradients of matrix products --------------------------===//

#include "../Rules.h"

using namespace mlir;
using namespace mlir::ane;

/// `x` [..., M, N] as [... M, N].
static Value asMatrix(GradientBuilder &b, Value x) {
  ArrayRef<int64_t> shape = tensorOf(x).getShape();
  return b.reshape(x, {numElements(shape.drop_back()), shape.back()});
}

/// Whether all axes but the last two are 1.
static bool isMatrix(Value x) { return numElements(tensorOf(x).getShape().drop_back(2)) == 1; }

static Value swapLastAxes(GradientBuilder &b, Value x) {
  auto perm = llvm::to_vector(llvm::seq<int64_t>(tensorOf(x).getRank()));
  std::swap(perm.end()[-1], perm.end()[-2]);
  return b.transpose(x, perm);
}

namespace {
struct LinearRules : RuleSet {
  /// Of P = X Y, dX = G Y^T and dY = X^T G; what stands transposed in the product gets the transposed gradient.
  static void apply(MatmulOp op, GradientBuilder &b) {
    Value x = op.getX(), y = op.getY(), g = b.gradient();
    bool tx = op.getTransposeX(), ty = op.getTransposeY();
    b.accumulate(x, tx ? product(b, y, g, ty, true) : product(b, g, y, false, !ty));
    if (isMatrix(y) && !isMatrix(x)) {
      // All rows of the batch meet one matrix: one product sums over them all.
      x = asMatrix(b, tx ? swapLastAxes(b, x) : x);
      tx = false;
      g = asMatrix(b, g);
    }
    Value dy = ty ? product(b, g, x, true, tx) : product(b, x, g, !tx, false);
    b.accumulate(y, isMatrix(y) ? b.reshape(dy, tensorOf(y).getShape()) : dy);
  }

  static void apply(LinearOp op, GradientBuilder &b) {
    Value g = b.gradient(), rows = asMatrix(b, g);
    b.accumulate(op.getX(), product(b, g, op.getWeight(), false, false));
    b.accumulate(op.getWeight(), product(b, rows, asMatrix(b, op.getX()), true, false));
    b.accumulate(op.getBias(), rows);
  }

  /// Each operand is the sum of products of the gradient and the other operand, by the same letters.
  static void apply(EinsumOp op, GradientBuilder &b) {
    auto [left, output] = op.getEquation().split("->");
    SmallVector<StringRef> terms;
    left.split(terms, ',');
    for (auto [i, operand] : llvm::enumerate(op.getValues())) {
      SmallVector<Value> values{b.gradient()};
      std::string inputs = output.trim().str();
      if (terms.size() == 2) {
        values.push_back(op.getValues()[1 - i]);
        inputs += "," + terms[1 - i].trim().str();
      }
      // Axes that stand in this term alone have been summed: their gradient is the same all along.
      std::string kept;
      SmallVector<int64_t> shape;
      for (auto [letter, size] : llvm::zip_equal(terms[i].trim(), tensorOf(operand).getShape())) {
        bool isKept = StringRef(inputs).contains(letter);
        if (isKept)
          kept += letter;
        shape.push_back(isKept ? size : 1);
      }
      b.accumulate(operand, b.reshape(b.make<EinsumOp>(values, inputs + "->" + kept), shape));
    }
  }

private:
  static Value product(GradientBuilder &b, Value x, Value y, bool transposeX, bool transposeY) {
    return b.make<MatmulOp>(x, y, transposeX, transposeY);
  }
};
} // namespace

void mlir::ane::attachLinearRules(MLIRContext *context) {
  attachRules<LinearRules, MatmulOp, LinearOp, EinsumOp>(context);
}
