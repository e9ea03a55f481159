//===- einsum.cpp - Products by equation ----------------------------------===//
//
// MIL documents two equations, "nchw,nwhu->nchu" and "chw,whr->chr", with any
// letters (coreml-mlprogram.md 3). Other programs write others, so every
// product of two operands is computed: each letter is a batch axis (both
// operands and the result), a row (left and result), a column (right and
// result) or summed.
//
//===----------------------------------------------------------------------===//

#include "runtime/device/emulator/op_registry.h"
#include "runtime/device/emulator/ops/gemm.h"
#include "runtime/device/emulator/ops/iteration.h"

#include <string>

namespace ane::rt::emulator {
namespace {

struct Equation {
  std::string left, right, result;
};

bool distinctLetters(const std::string &text) {
  for (size_t i = 0; i < text.size(); ++i) {
    bool letter = (text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z');
    if (!letter || text.find(text[i], i + 1) != std::string::npos)
      return false;
  }
  return true;
}

std::optional<Equation> parse(const std::string &text) {
  std::string packed;
  for (char c : text)
    if (c != ' ')
      packed += c;
  size_t comma = packed.find(','), arrow = packed.find("->");
  if (comma == std::string::npos || arrow == std::string::npos || comma > arrow)
    return std::nullopt;
  Equation equation{packed.substr(0, comma), packed.substr(comma + 1, arrow - comma - 1), packed.substr(arrow + 2)};
  for (const std::string *term : {&equation.left, &equation.right, &equation.result})
    if (!distinctLetters(*term))
      return std::nullopt;
  return equation;
}

/// Letters of one role with their sizes.
struct Axes {
  std::string letters;
  Shape sizes;
  int64_t count() const { return product(sizes); }
};

/// Strides of `term`'s dense tensor along `letters`, in that order.
Shape stridesAlong(const std::string &term, const Shape &shape, const std::string &letters) {
  Shape dense = rowMajorStrides(shape), result;
  for (char letter : letters)
    result.push_back(dense[term.find(letter)]);
  return result;
}

Shape concat(const Axes &a, const Axes &b, const Axes &c) {
  Shape result = a.sizes;
  result.insert(result.end(), b.sizes.begin(), b.sizes.end());
  result.insert(result.end(), c.sizes.begin(), c.sizes.end());
  return result;
}

absl::StatusOr<PreparedOp> prepareEinsum(OpArgs &args) {
  std::vector<Operand> values = args.inputs("values", kFloat);
  std::string text = args.string("equation");
  if (!args.ok())
    return args.status();
  if (!args.require(values.size() == 2, "argument 'values' has ", values.size(), " tensors; einsum takes two"))
    return args.status();
  Operand x = values[0], y = values[1];
  args.require(x.type.element == y.type.element, "'values' are ", x.type.str(), " and ", y.type.str(),
               "; both need the same element type");
  std::optional<Equation> equation = parse(text);
  args.require(equation.has_value(), "argument 'equation' is \"", text,
               "\"; it must be a product of two operands such as "
               "\"nchw,nwhu->nchu\", no letter twice in a term");
  if (!args.ok())
    return args.status();
  const std::string &left = equation->left, &right = equation->right;
  if (!args.require(left.size() == x.type.shape.size() && right.size() == y.type.shape.size(), "\"", text,
                    "\" does not fit the ranks of ", x.type.str(), " and ", y.type.str()))
    return args.status();

  Axes batch, rows, columns, summed;
  Shape resultShape;
  auto sizeOf = [&](char letter) {
    size_t inLeft = left.find(letter), inRight = right.find(letter);
    if (inLeft == std::string::npos)
      return y.type.shape[inRight];
    int64_t size = x.type.shape[inLeft];
    args.require(inRight == std::string::npos || y.type.shape[inRight] == size, "axis '", std::string(1, letter),
                 "' differs between ", x.type.str(), " and ", y.type.str());
    return size;
  };
  auto addTo = [&](Axes &axes, char letter) {
    axes.letters += letter;
    axes.sizes.push_back(sizeOf(letter));
  };
  for (char letter : equation->result) {
    bool inLeft = left.find(letter) != std::string::npos;
    bool inRight = right.find(letter) != std::string::npos;
    if (!args.require(inLeft || inRight, "axis '", std::string(1, letter), "' of the result is in no operand"))
      return args.status();
    addTo(inLeft && inRight ? batch : (inLeft ? rows : columns), letter);
    resultShape.push_back(sizeOf(letter));
  }
  for (char letter : left)
    if (equation->result.find(letter) == std::string::npos) {
      args.require(right.find(letter) != std::string::npos, "axis '", std::string(1, letter),
                   "' is summed in one operand only");
      if (!args.ok())
        return args.status();
      addTo(summed, letter);
    }
  for (char letter : right)
    args.require(equation->result.find(letter) != std::string::npos || left.find(letter) != std::string::npos, "axis '",
                 std::string(1, letter), "' is summed in one operand only");
  if (!args.ok())
    return args.status();

  TensorType type{x.type.element, resultShape};
  if (!args.fits(type))
    return args.status();

  // Both operands as [batch, matrix], one product per batch, and the result
  // back into the order of its letters.
  std::string order = batch.letters + rows.letters + summed.letters;
  Shape leftExtents = concat(batch, rows, summed);
  Shape leftStrides = stridesAlong(left, x.type.shape, order);
  order = batch.letters + summed.letters + columns.letters;
  Shape rightExtents = concat(batch, summed, columns);
  Shape rightStrides = stridesAlong(right, y.type.shape, order);
  order = batch.letters + rows.letters + columns.letters;
  Shape outExtents = concat(batch, rows, columns);
  Shape outStrides = stridesAlong(equation->result, resultShape, order);
  int64_t batches = batch.count(), m = rows.count(), n = columns.count(), k = summed.count();
  return oneResult(type, kernel([=](KernelContext &context) {
                     float *a = context.scratchFloats(batches * m * k);
                     float *b = context.scratchFloats(batches * k * n);
                     float *c = context.scratchFloats(batches * m * n);
                     gatherStrided(context.words(x), leftStrides, reinterpret_cast<uint32_t *>(a), leftExtents);
                     gatherStrided(context.words(y), rightStrides, reinterpret_cast<uint32_t *>(b), rightExtents);
                     for (int64_t i = 0; i < batches; ++i)
                       gemm(m, n, k, {a + i * m * k, k}, {b + i * k * n, n}, c + i * m * n, n);
                     leaveAccumulator(context.numerics, c, batches * m * n);
                     copyStrided(reinterpret_cast<const uint32_t *>(c), rowMajorStrides(outExtents), context.outWords(),
                                 outStrides, outExtents);
                   }))
      .costing(Cost::products({batches, m, n, k}), x.type.size() + y.type.size() + type.size());
}

constexpr OpEntry kOps[] = {{"einsum", 15, prepareEinsum}};

} // namespace

absl::Span<const OpEntry> einsumOps() { return kOps; }

} // namespace ane::rt::emulator
