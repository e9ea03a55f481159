//===- Einsum.cpp - sums of products in Einstein's notation ---------------===//

#include "ane/IR/ANE.h"
#include "ane/IR/Builders.h"
#include "ane/IR/Inference.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace mlir;
using namespace mlir::ane;

namespace {
/// A parsed equation: the axes of each operand and of the result, and the size of each letter.
struct Equation {
  SmallVector<std::string> inputs;
  std::string output;
  std::map<char, int64_t> sizes;

  SmallVector<int64_t> shapeOf(StringRef letters) const {
    SmallVector<int64_t> shape;
    for (char letter : letters)
      shape.push_back(sizes.at(letter));
    return shape;
  }
  int64_t productOf(StringRef letters) const {
    int64_t product = 1;
    for (char letter : letters)
      product *= sizes.at(letter);
    return product;
  }
};
} // namespace

static FailureOr<Equation> parseEquation(OptionalLoc loc, StringRef text, ValueRange values) {
  Equation equation;
  auto [left, right] = text.split("->");
  if (!text.contains("->"))
    return emitOptionalError(loc, "equation '", text, "' has no '->'");
  SmallVector<StringRef> terms;
  left.split(terms, ',');
  if (terms.size() != values.size() || values.size() > 2)
    return emitOptionalError(loc, "equation '", text, "' has ", terms.size(), " terms for ", values.size(),
                             " values, expected one or two of each");
  for (auto [term, value] : llvm::zip(terms, values)) {
    std::string letters;
    auto shape = tensorOf(value).getShape();
    for (char letter : term.trim()) {
      if (!llvm::isAlpha(letter) || StringRef(letters).contains(letter))
        return emitOptionalError(loc, "equation '", text, "': axis '", std::string(1, letter),
                                 "' is no letter, or repeated in a term");
      letters += letter;
    }
    if (letters.size() != shape.size())
      return emitOptionalError(loc, "equation '", text, "': term '", letters, "' names ", letters.size(),
                               " axes, its value has rank ", shape.size());
    for (auto [letter, size] : llvm::zip(letters, shape))
      if (auto [it, inserted] = equation.sizes.insert({letter, size}); !inserted && it->second != size)
        return emitOptionalError(loc, "equation '", text, "': axis '", std::string(1, letter), "' has sizes ",
                                 it->second, " and ", size);
    equation.inputs.push_back(letters);
  }
  for (char letter : right.trim()) {
    if (!equation.sizes.count(letter) || StringRef(equation.output).contains(letter))
      return emitOptionalError(loc, "equation '", text, "': axis '", std::string(1, letter),
                               "' of the result is in no term, or repeated");
    equation.output += letter;
  }
  return equation;
}

LogicalResult EinsumOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  ValueRange values = adaptor.getValues();
  auto equation = parseEquation(loc, adaptor.getEquation(), values);
  if (failed(equation) ||
      (values.size() == 2 && failed(checkSameElementType(loc, "values[0]", values[0], "values[1]", values[1]))))
    return failure();
  return pushResult(loc, types, equation->shapeOf(equation->output), tensorOf(values[0]).getElementType());
}

int64_t EinsumOp::getFlops() {
  auto equation = parseEquation(std::nullopt, getEquation(), getValues());
  if (failed(equation))
    return 0;
  int64_t flops = 2;
  for (auto [letter, size] : equation->sizes)
    flops = saturatingMul(flops, size);
  return flops;
}

/// Sums the axes of `value` that are in neither `others` nor the result; `letters` follows.
static Value sumPrivateAxes(OpBuilder &builder, Location loc, Value value, std::string &letters, StringRef others,
                            StringRef output) {
  SmallVector<int64_t> axes;
  std::string rest;
  for (auto [i, letter] : llvm::enumerate(letters)) {
    if (others.contains(letter) || output.contains(letter))
      rest += letter;
    else
      axes.push_back(i);
  }
  letters = rest;
  if (axes.empty())
    return value;
  return builder.create<ReduceSumOp>(loc, value, builder.getDenseI64ArrayAttr(axes), builder.getBoolAttr(false));
}

/// `value`, whose axes are `from`, with axes in the order `to`.
static Value reorder(Composer &c, Value value, StringRef from, StringRef to) {
  SmallVector<int64_t> perm;
  for (char letter : to)
    perm.push_back(from.find(letter));
  return c.transpose(value, perm);
}

FailureOr<SmallVector<Value>> EinsumOp::decompose(OpBuilder &builder) {
  auto equation = parseEquation(std::nullopt, getEquation(), getValues());
  if (failed(equation))
    return failure();
  Composer c(builder, getLoc());
  std::string x = equation->inputs[0], y = equation->inputs.size() == 2 ? equation->inputs[1] : "";
  StringRef output = equation->output;
  Value xValue = sumPrivateAxes(builder, getLoc(), getValues()[0], x, y, output);
  if (getValues().size() == 1)
    return SmallVector<Value>{reorder(c, xValue, x, output)};
  Value yValue = sumPrivateAxes(builder, getLoc(), getValues()[1], y, x, output);

  // Axes fall in four groups: batch (both, kept), m (x only), n (y only), k (both, summed).
  std::string batch, m, n, k;
  for (char letter : output)
    (StringRef(x).contains(letter) ? (StringRef(y).contains(letter) ? batch : m) : n) += letter;
  for (char letter : x)
    if (StringRef(y).contains(letter) && !output.contains(letter))
      k += letter;
  auto withMatrix = [&](int64_t rows, int64_t columns) {
    SmallVector<int64_t> shape = equation->shapeOf(batch);
    shape.append({rows, columns});
    return shape;
  };
  Value left =
      c.reshape(reorder(c, xValue, x, batch + m + k), withMatrix(equation->productOf(m), equation->productOf(k)));
  Value right =
      c.reshape(reorder(c, yValue, y, batch + k + n), withMatrix(equation->productOf(k), equation->productOf(n)));
  Value product = c.make<MatmulOp>(left, right, false, false);
  product = c.reshape(product, equation->shapeOf(batch + m + n));
  return SmallVector<Value>{reorder(c, product, batch + m + n, output)};
}
