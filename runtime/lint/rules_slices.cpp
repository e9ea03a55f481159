//===- rules_slices.cpp - Parts of tensors --------------------------------===//

#include "runtime/lint/ranges.h"
#include "runtime/lint/rules.h"

#include <algorithm>

namespace ane::rt::lint {
namespace {

struct Range {
  int64_t begin, size;
};

/// What a slice keeps of each axis, in the order of the axes; empty for other
/// ops and where the text does not say.
std::vector<Range> rangesOf(const FunctionView &view, const mil::Statement *statement) {
  if (!statement)
    return {};
  std::optional<mil::Type> x = view.type(*statement, "x");
  std::vector<int64_t> begin = view.integers(*statement, "begin");
  if (!x || begin.size() != x->dims.size())
    return {};
  std::vector<Range> result;
  if (statement->op == "slice_by_size") {
    std::vector<int64_t> size = view.integers(*statement, "size");
    if (size.size() != begin.size())
      return {};
    for (size_t i = 0; i < begin.size(); ++i) {
      int64_t rest = 0;
      if (__builtin_sub_overflow(x->dims[i], begin[i], &rest))
        return {};
      result.push_back({begin[i], size[i] < 0 ? rest : size[i]});
    }
    return result;
  }
  if (statement->op != "slice_by_index")
    return {};
  std::vector<int64_t> end = view.integers(*statement, "end");
  std::vector<int64_t> beginMask = view.integers(*statement, "begin_mask");
  std::vector<int64_t> endMask = view.integers(*statement, "end_mask");
  if (end.size() != begin.size())
    return {};
  auto masked = [](const std::vector<int64_t> &mask, size_t i) { return i < mask.size() && mask[i]; };
  for (size_t i = 0; i < begin.size(); ++i) {
    int64_t extent = std::max<int64_t>(x->dims[i], 0);
    auto bound = [&](int64_t index) { return std::clamp<int64_t>(index < 0 ? index + extent : index, 0, extent); };
    int64_t from = masked(beginMask, i) ? 0 : bound(begin[i]);
    int64_t to = masked(endMask, i) ? extent : bound(end[i]);
    result.push_back({from, std::max<int64_t>(to - from, 0)});
  }
  return result;
}

/// Where on the last axis a part begins that does not begin at 0; 0 if there is
/// none.
int64_t beginInWidth(const FunctionView &view, const mil::Statement *statement) {
  if (!statement)
    return 0;
  if (statement->op == "split") {
    std::optional<mil::Type> x = view.type(*statement, "x");
    auto axis = x ? axisOf(view, *statement, "axis", *x) : std::nullopt;
    bool last = axis && *axis == rankOf(*x) - 1;
    return last && statement->results.size() > 1 ? axisFromRight(statement->results[0].type, 0) : 0;
  }
  if (statement->op == "crop") {
    std::vector<int64_t> width = view.integers(*statement, "crop_width");
    return width.empty() ? 0 : width.front();
  }
  std::vector<Range> ranges = rangesOf(view, statement);
  return ranges.empty() ? 0 : ranges.back().begin;
}

void widthSlice(RuleContext &context) {
  double bound = numericOf(Numeric::SliceMax);
  int64_t begin = beginInWidth(context.view, context.statement);
  const mil::Value *x = context.statement->operand("x");
  if (begin == 0 || !x || rangeOf(context.view, *x).isWithin(bound))
    return;
  Diagnostic &found =
      context.report("", absl::StrCat("begins at ", begin, " of the last axis, and values may exceed ", bound));
  if (context.statement->op == "split")
    found.results.erase(found.results.begin()); // the first part begins at 0
}

void widthSliceConcat(RuleContext &context) {
  int64_t slices = 0;
  for (const Use &use : context.view.uses(*context.statement)) {
    const mil::Statement *from = use.definition ? use.definition->statement : nullptr;
    slices += !rangesOf(context.view, from).empty() && beginInWidth(context.view, from) != 0;
  }
  context.atMost(slices, 1, "slices that begin inside the last axis");
}

void rowSlice(RuleContext &context) {
  std::vector<Range> ranges = rangesOf(context.view, context.statement);
  std::optional<mil::Type> x = context.view.type(*context.statement, "x");
  if (ranges.size() < 2)
    return;
  size_t rows = ranges.size() - 2;
  for (size_t i = 0; i < ranges.size(); ++i)
    if (i != rows && ranges[i].size != x->dims[i])
      return;
  if (ranges[rows].size == 1 && x->dims[rows] != 1)
    context.report("", absl::StrCat("keeps one row of ", x->dims[rows]));
}

void sliceOfInput(RuleContext &context) {
  const mil::Value *x = context.statement->operand("x");
  const Definition *definition = context.view.definition(x);
  if (definition && !definition->statement)
    context.reportAt(x->loc, "operand 'x'", "an argument of the program");
}

constexpr RuleEntry kRules[] = {{"checkWidthSlice", widthSlice},
                                {"checkWidthSliceConcat", widthSliceConcat},
                                {"checkRowSlice", rowSlice},
                                {"checkSliceOfInput", sliceOfInput}};

} // namespace

absl::Span<const RuleEntry> sliceRules() { return kRules; }

} // namespace ane::rt::lint
