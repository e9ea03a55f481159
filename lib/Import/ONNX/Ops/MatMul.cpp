//===- MatMul.cpp - ONNX matrix products ----------------------------------===//

#include "../Expr.h"
#include "../Registry.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

/// A vector is a row on the left and a column on the right; MIL's operands are matrices.
static void matMul(NodeBinder &n) {
  Value x = n.input(0), y = n.input(1);
  if (!n)
    return;
  if (n.rank(x) == 0 || n.rank(y) == 0)
    return n.error("operands must have rank 1 or more");
  bool row = n.rank(x) == 1, column = n.rank(y) == 1;
  if (row)
    x = n.emit<ExpandDimsOp>({x}, {{"axes", ArrayRef<int64_t>(0)}});
  if (column)
    y = n.emit<ExpandDimsOp>({y}, {{"axes", ArrayRef<int64_t>(1)}});
  Value product = n.emit<MatmulOp>({x, y});
  if (!n)
    return;
  SmallVector<int64_t> axes;
  if (row)
    axes.push_back(n.rank(product) - 2);
  if (column)
    axes.push_back(n.rank(product) - 1);
  n.result(0, axes.empty() ? product : n.emit<SqueezeOp>({product}, {{"axes", ArrayRef<int64_t>(axes)}}));
}

static void gemm(NodeBinder &n) {
  Value a = n.input(0), b = n.input(1), c = n.optionalInput(2);
  if (n.since() < 7)
    n.ignoreAttr("broadcast");
  double alpha = n.floatAttr("alpha", 1.0), beta = n.floatAttr("beta", 1.0);
  bool transA = n.boolAttr("transA", false), transB = n.boolAttr("transB", false);
  if (!n)
    return;
  if (n.rank(a) != 2 || n.rank(b) != 2)
    return n.error("A and B must be matrices, they have rank " + Twine(n.rank(a)) + " and " + Twine(n.rank(b)));
  if (beta == 0)
    c = nullptr;
  int64_t columns = n.shape(b)[transB ? 0 : 1];
  bool isRow = c && matchPattern(c, m_Constant()) && n.type(c).getNumElements() == columns && n.rank(c) >= 1 &&
               n.shape(c).back() == columns;

  // With a constant matrix it is a linear layer, whose weight is [Dout, Din].
  if (alpha == 1.0 && !transA && matchPattern(b, m_Constant()) && (!c || (isRow && beta == 1.0))) {
    Value weight = transB ? b : n.transpose(b, {1, 0});
    Value bias = c ? n.reshape(c, {columns}) : Value();
    return n.result(0, n.emit<LinearOp>({a, weight, Segment::optional(bias)}));
  }
  Value result = n.emit<MatmulOp>({a, b}, {{"transpose_x", transA}, {"transpose_y", transB}});
  if (!n)
    return;
  auto scaled = [&](Value value, double factor) {
    return factor == 1.0 ? value : n.emit<MulOp>({value, n.scalar(n.elementType(value), factor)});
  };
  result = scaled(result, alpha);
  n.result(0, c ? n.emit<AddOp>({result, scaled(c, beta)}) : result);
}

//===-- einsum ------------------------------------------------------------===//
//
// ane.einsum takes one or two tensors whose terms repeat no letter and whose sizes agree. An equation is brought to
// that: diagonals are taken, axes of size 1 that broadcast are dropped, and operands are multiplied two at a time.

/// Writes an equation out: no spaces, a letter for each axis of an ellipsis, an explicit result.
static std::string explicitEquation(NodeBinder &n, StringRef equation, ArrayRef<Value> operands) {
  std::string text;
  for (char c : equation)
    if (c != ' ')
      text.push_back(c);
  auto [left, right] = StringRef(text).split("->");
  SmallVector<StringRef> terms;
  left.split(terms, ',');
  if (terms.size() != operands.size()) {
    n.error("attribute 'equation' '" + equation + "' has " + Twine(terms.size()) + " operands, the node " +
            Twine(operands.size()));
    return "";
  }
  size_t ellipsisRank = 0;
  SmallVector<std::pair<size_t, StringRef>> ranks;
  for (auto [term, value] : llvm::zip(terms, operands)) {
    size_t letters = term.size() - (term.contains("...") ? 3 : 0);
    if (letters > size_t(n.rank(value)) || (!term.contains("...") && letters != size_t(n.rank(value)))) {
      n.error("term '" + term + "' of the equation does not fit an operand of rank " + Twine(n.rank(value)));
      return "";
    }
    if (term.contains("..."))
      ellipsisRank = std::max(ellipsisRank, n.rank(value) - letters);
  }
  std::string spare;
  for (char c = 'A'; c <= 'Z' && spare.size() < ellipsisRank; ++c)
    if (!StringRef(text).contains(c))
      spare.push_back(c);
  if (spare.size() < ellipsisRank) {
    n.error("the equation uses too many letters");
    return "";
  }
  auto expand = [&](StringRef term, size_t rank) {
    auto [before, after] = term.split("...");
    return term.contains("...") ? (before + StringRef(spare).take_back(rank) + after).str() : term.str();
  };
  std::string result;
  for (auto [term, value] : llvm::zip(terms, operands))
    result +=
        (result.empty() ? "" : ",") + expand(term, n.rank(value) - (term.size() - (term.contains("...") ? 3 : 0)));
  if (StringRef(text).contains("->"))
    return result + "->" + expand(right, ellipsisRank);
  // Implicit: the ellipsis, then the letters that occur once, sorted.
  std::string output = spare;
  for (char c = 'A'; c <= 'z'; ++c)
    if (llvm::isAlpha(c) && !StringRef(spare).contains(c) && StringRef(result).count(c) == 1)
      output.push_back(c);
  return result + "->" + output;
}

/// Keeps where two axes of `value` that `term` calls the same have equal indices, as one axis.
static Expr diagonal(NodeBinder &n, Expr value, std::string &term) {
  for (size_t second = 1; second < term.size();) {
    size_t first = term.find(term[second]);
    if (first == second) {
      ++second;
      continue;
    }
    int64_t size = value.shape()[first];
    if (size != value.shape()[second]) {
      n.error("axis '" + Twine(term[second]) + "' of the equation has sizes " + Twine(size) + " and " +
              Twine(value.shape()[second]));
      return value;
    }
    SmallVector<int64_t> rows(value.rank(), 1), columns(value.rank(), 1);
    rows[first] = columns[second] = size;
    Type i32 = n.builder.getI32Type();
    Expr onDiagonal = iota(n, size, i32).reshape(rows) == iota(n, size, i32).reshape(columns);
    value = select(onDiagonal, value, 0.0).reduce<ReduceSumOp>({int64_t(second)}, false);
    if (!n)
      return value;
    term.erase(second, 1);
  }
  return value;
}

/// Drops axes of size 1 whose letter has another size elsewhere.
static void dropBroadcastAxes(SmallVectorImpl<Expr> &values, SmallVectorImpl<std::string> &terms) {
  std::map<char, int64_t> sizes;
  for (auto [value, term] : llvm::zip(values, terms))
    for (auto [letter, size] : llvm::zip(term, value.shape()))
      if (size != 1)
        sizes[letter] = size;
  for (auto [value, term] : llvm::zip(values, terms)) {
    std::string letters;
    SmallVector<int64_t> shape;
    for (auto [letter, size] : llvm::zip(term, value.shape()))
      if (size != 1 || !sizes.count(letter)) {
        letters += letter;
        shape.push_back(size);
      }
    if (letters != term)
      value = value.reshape(shape);
    term = letters;
  }
}

static void einsum(NodeBinder &n) {
  SmallVector<Value> operands = n.allInputs();
  std::string equation;
  for (const onnx::AttributeProto &attribute : n.node.attribute())
    if (attribute.name() == "equation" && n.hasAttr("equation"))
      equation = attribute.s();
  if (!n)
    return;
  equation = explicitEquation(n, equation, operands);
  if (!n)
    return;
  auto [left, output] = StringRef(equation).split("->");
  SmallVector<StringRef> parts;
  left.split(parts, ',');
  SmallVector<std::string> terms;
  SmallVector<Expr> values;
  for (auto [part, operand] : llvm::zip(parts, operands)) {
    terms.push_back(part.str());
    values.push_back(diagonal(n, Expr(n, operand), terms.back()));
    if (!n)
      return;
  }
  dropBroadcastAxes(values, terms);
  Value result = values.front();
  std::string term = terms.front();
  for (size_t next = 1; n && next < values.size(); ++next) {
    // What a later operand or the result has stays; the rest is summed now.
    std::string joined = term + terms[next], kept;
    bool last = next + 1 == values.size();
    if (last)
      kept = output.str();
    else
      for (char letter : joined)
        if (!StringRef(kept).contains(letter) &&
            (output.contains(letter) ||
             llvm::any_of(ArrayRef(terms).drop_front(next + 1), [&](StringRef rest) { return rest.contains(letter); })))
          kept += letter;
    std::string pair = term + "," + terms[next] + "->" + kept;
    result = n.emit<EinsumOp>({ArrayRef<Value>({result, values[next]})}, {{"equation", StringRef(pair)}});
    term = kept;
  }
  if (values.size() == 1) {
    std::string single = term + "->" + output.str();
    result = n.emit<EinsumOp>({ArrayRef<Value>(result)}, {{"equation", StringRef(single)}});
  }
  n.result(0, result);
}

//===-- determinant -------------------------------------------------------===//

/// Gaussian elimination with the largest pivot of each column; each exchange of rows changes the sign. It is done in
/// doubles, and so on the CPU: in fp16 the quotient of a small row and a large pivot would vanish.
static void determinant(NodeBinder &n) {
  Expr given(n, n.input(0));
  Expr x = given.cast(n.builder.getF64Type());
  constexpr int64_t maxSize = 64;
  if (!n)
    return;
  int64_t rank = x.rank(), size = rank < 2 ? 0 : x.shape()[rank - 1];
  if (rank < 2 || x.shape()[rank - 2] != size || size < 1 || size > maxSize)
    return n.error("needs square matrices of at most " + Twine(maxSize) + " rows");
  SmallVector<int64_t> result(x.shape().drop_back(2));
  int64_t batch = 1;
  for (int64_t dim : result)
    batch *= dim;
  Expr rest = x.reshape({batch, size, size});
  std::optional<Expr> product;
  Type i32 = n.builder.getI32Type();
  for (int64_t left = size; n && left > 0; --left) {
    Expr column = rest.slice(2, 0, 1).reshape({batch, left});
    if (left > 1) {
      // The pivot's row changes places with the first.
      Expr best = abs(column).make<ReduceArgmaxOp>({}, {{"axis", 1}, {"keep_dims", true}}).cast(i32);
      Expr rows = iota(n, left, i32).reshape({1, left});
      Expr order = select(rows == 0.0, best, select(rows == best, 0.0, rows)).broadcast({batch, left});
      rest = rest.make<GatherOp>({order}, {{"axis", 1}, {"batch_dims", 1}});
      Expr sign = select(best == 0.0, Expr(n, n.scalar(x.element(), 1)), -1.0).reshape({batch});
      product = product ? *product * sign : sign;
    }
    Expr pivot = rest.slice(1, 0, 1).slice(2, 0, 1); // [batch, 1, 1]
    Expr factor = pivot.reshape({batch});
    product = product ? *product * factor : factor;
    if (left == 1)
      break;
    Expr safe = select(pivot == 0.0, 1.0, pivot);
    Expr rows = rest.slice(1, 1, left - 1), first = rest.slice(1, 0, 1);
    Expr scaled = rows.slice(2, 0, 1) / safe;
    rest = rows.slice(2, 1, left - 1) - scaled * first.slice(2, 1, left - 1);
  }
  if (n)
    n.result(0, product->reshape(result).cast(given.element()));
}

void mlir::ane::onnx_import::registerMatMulOps(Registry &registry) {
  registry.onOp("", "Det", {11, 22}, determinant);
  registry.onOp("", "Einsum", {12, 28}, einsum);
  registry.onOp("", "Gemm", {6, 7, 9, 11, 13}, gemm);
  registry.onOp("", "MatMul", {1, 9, 13}, matMul);
}
