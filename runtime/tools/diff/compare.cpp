//===- compare.cpp - Where two functions part -----------------------------===//
#include "runtime/tools/diff/compare.h"
#include "absl/strings/str_cat.h"
#include "runtime/format/mil/printer.h"
#include "runtime/support/quote.h"
#include "runtime/tools/diff/classes.h"
#include "runtime/tools/diff/common.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace ane::rt::mildiff {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

std::string shortened(std::string text, size_t limit = 240) {
  if (text.size() > limit)
    text.replace(limit, std::string::npos, " ...");
  return text;
}

/// For each name of b, the place of its partner in a: that of the same name if both sides have the same names, else the
/// one of the same position; kNone without one.
std::vector<uint32_t> partners(const std::vector<std::string> &a, const std::vector<std::string> &b) {
  std::vector<std::string> sortedA = a, sortedB = b;
  std::sort(sortedA.begin(), sortedA.end());
  std::sort(sortedB.begin(), sortedB.end());
  const bool byName = sortedA == sortedB && std::adjacent_find(sortedA.begin(), sortedA.end()) == sortedA.end();
  std::unordered_map<std::string, uint32_t> places;
  for (uint32_t i = 0; byName && i < a.size(); ++i)
    places[a[i]] = i;
  std::vector<uint32_t> result;
  for (uint32_t i = 0; i < b.size(); ++i)
    result.push_back(byName ? places[b[i]] : i < a.size() ? i : kNone);
  return result;
}

std::vector<std::string> paramNames(const mil::Function &function) {
  std::vector<std::string> names;
  for (const mil::Variable &param : function.params)
    names.push_back(param.name);
  return names;
}

/// One of the two functions while they are compared.
struct Half {
  const Graph &graph;
  std::vector<Operand> outputs; ///< in the order of a; those of b without partner behind
  Classes::Numbers numbers;
  std::vector<uint32_t> order;   ///< of the data, Graph::ordered
  std::vector<uint32_t> partner; ///< of each node in the other half

  const Node &node(const Origin &origin) const { return graph.nodes()[origin.index]; }

  std::string describe(const Origin &origin) const {
    if (origin.isInput())
      return absl::StrCat("input ", graph.function().params[origin.index].name);
    if (origin.isConstant())
      return mildiff::describe(graph.constants()[origin.index]);
    const mil::Statement &statement = *node(origin).statement;
    if (origin.result >= statement.results.size())
      return absl::StrCat("the state that ", statement.op, " leaves");
    return absl::StrCat(statement.results[origin.result].name, " (", statement.op, ")");
  }

  bool hasWeight(uint32_t index) const {
    const std::vector<Operand> &operands = graph.nodes()[index].operands;
    return std::any_of(operands.begin(), operands.end(), [&](const Operand &operand) {
      return operand.origin.isConstant() && graph.constants()[operand.origin.index].isWeight;
    });
  }

  Side side(uint32_t index) const {
    const mil::Statement &statement = *graph.nodes()[index].statement;
    return {shortened(mil::print(statement)), statement.results.empty() ? "" : statement.results[0].name, statement.op,
            statement.loc};
  }
};

class Comparison {
public:
  Comparison(const Graph &a, const Graph &b, Tolerance tolerance)
      : classes(tolerance), tolerance(tolerance), a{a, a.outputs(), {}, {}, {}}, b{b, b.outputs(), {}, {}, {}} {}

  FunctionDifference run() {
    matchInputs();
    matchOutputs();
    matchEqual();
    align(unpaired(a, a.order, 0, a.order.size()), unpaired(b, b.order, 0, b.order.size()), 0);
    result.name = a.graph.function().name;
    result.statementsA = a.graph.nodes().size();
    result.statementsB = b.graph.nodes().size();
    reportInputs();
    compareOperands("attributes", a.graph.attributes(), b.graph.attributes());
    reportNodes();
    reportOutputs();
    reportStates();
    return std::move(result);
  }

private:
  Classes classes;
  const Tolerance tolerance;
  Half a, b;
  std::vector<uint32_t> inputPartner; ///< for each input of b, that of a
  FunctionDifference result;

  void matchInputs() {
    const auto count = static_cast<uint32_t>(a.graph.function().params.size());
    inputPartner = partners(paramNames(a.graph.function()), paramNames(b.graph.function()));
    std::vector<uint32_t> numbersA(count), numbersB;
    for (uint32_t i = 0; i < count; ++i)
      numbersA[i] = i;
    for (uint32_t i = 0; i < inputPartner.size(); ++i)
      numbersB.push_back(inputPartner[i] == kNone ? count + i : inputPartner[i]);
    a.numbers = classes.number(a.graph, numbersA);
    b.numbers = classes.number(b.graph, numbersB);
  }

  void matchOutputs() {
    std::vector<uint32_t> partner = partners(a.graph.function().outputs, b.graph.function().outputs);
    bool renamed = false;
    for (size_t i = 0; i < partner.size(); ++i)
      if (partner[i] != kNone) {
        b.outputs[partner[i]] = b.graph.outputs()[i];
        renamed |= a.outputs[partner[i]].name != b.graph.outputs()[i].name;
      }
    if (renamed)
      result.notes.push_back("outputs have other names; they were matched by position");
  }

  void pair(uint32_t nodeA, uint32_t nodeB) {
    a.partner[nodeA] = nodeB;
    b.partner[nodeB] = nodeA;
  }

  void matchEqual() {
    for (Half *half : {&a, &b}) {
      half->order = half->graph.ordered(half->outputs);
      half->partner.assign(half->order.size(), kNone);
    }
    std::unordered_map<uint32_t, std::vector<uint32_t>> waiting;
    for (auto it = b.order.rbegin(); it != b.order.rend(); ++it)
      waiting[b.numbers.nodes[*it]].push_back(*it);
    for (uint32_t index : a.order) {
      auto found = waiting.find(a.numbers.nodes[index]);
      if (found == waiting.end() || found->second.empty())
        continue;
      pair(index, found->second.back());
      found->second.pop_back();
      ++result.equal;
    }
  }

  static std::vector<uint32_t> unpaired(const Half &half, const std::vector<uint32_t> &nodes, size_t begin,
                                        size_t end) {
    std::vector<uint32_t> rest;
    std::copy_if(nodes.begin() + begin, nodes.begin() + end, std::back_inserter(rest),
                 [&](uint32_t index) { return half.partner[index] == kNone; });
    return rest;
  }

  /// What nodes must have in common at a level of alignment: each level asks for less.
  uint32_t likeness(const Half &half, uint32_t index, int level) {
    const Node &node = half.graph.nodes()[index];
    switch (level) {
    case 0:
      return half.numbers.forms[index];
    case 1:
      return classes.kind(node);
    case 2:
      return classes.intern("op " + node.statement->op);
    default:
      return classes.intern("types" + classes.types(node));
    }
  }
  static constexpr int kLevels = 4;

  void align(const std::vector<uint32_t> &nodesA, const std::vector<uint32_t> &nodesB, int level) {
    if (nodesA.empty() || nodesB.empty() || level == kLevels)
      return;
    // Another operation in the place of one, not operations that have nothing to do with each other.
    if (level == kLevels - 1 && nodesA.size() != nodesB.size())
      return;
    std::vector<uint32_t> likeA, likeB;
    for (uint32_t index : nodesA)
      likeA.push_back(likeness(a, index, level));
    for (uint32_t index : nodesB)
      likeB.push_back(likeness(b, index, level));
    std::vector<std::pair<size_t, size_t>> pairs = commonPart(likeA, likeB);
    for (auto [i, j] : pairs)
      pair(nodesA[i], nodesB[j]);
    if (level == 0)
      pairByWeights(nodesA, nodesB);
    pairs.emplace_back(nodesA.size(), nodesB.size());
    size_t beginA = 0, beginB = 0;
    for (auto [i, j] : pairs) {
      align(unpaired(a, nodesA, beginA, i), unpaired(b, nodesB, beginB, j), level + 1);
      beginA = i + 1;
      beginB = j + 1;
    }
  }

  /// Statements that are alike down to their weights are the same also in another place.
  void pairByWeights(const std::vector<uint32_t> &nodesA, const std::vector<uint32_t> &nodesB) {
    auto forms = [&](const Half &half, const std::vector<uint32_t> &nodes) {
      std::unordered_map<uint32_t, std::vector<uint32_t>> result;
      for (uint32_t index : nodes)
        if (half.partner[index] == kNone && half.hasWeight(index))
          result[half.numbers.forms[index]].push_back(index);
      return result;
    };
    auto formsA = forms(a, nodesA), formsB = forms(b, nodesB);
    for (auto &[form, inA] : formsA)
      if (auto inB = formsB.find(form); inB != formsB.end() && inB->second.size() == inA.size())
        for (size_t i = 0; i < inA.size(); ++i)
          pair(inA[i], inB->second[i]);
  }

  /// Whether the values take each other's place: equal, or results of a pair, whose own difference is told.
  bool correspond(const Origin &x, const Origin &y) {
    if (classes.of(x, a.numbers) == classes.of(y, b.numbers))
      return true;
    if (x.isInput() && y.isInput())
      return inputPartner[y.index] == x.index;
    if (x.isResult() && y.isResult() && a.partner[x.index] == y.index)
      return x.result == y.result || statesOf(x, y);
    // A statement that only one side has explains the rest.
    return !x.isConstant() && !y.isConstant() &&
           ((x.isResult() && a.partner[x.index] == kNone) || (y.isResult() && b.partner[y.index] == kNone));
  }

  static bool statesOf(const Origin &x, const Origin &y) {
    return x.type->kind == mil::Type::Kind::State && y.type->kind == mil::Type::Kind::State;
  }

  std::string typeOf(const Origin &origin) const { return typeKey(*origin.type, tolerance.types); }

  void compareConstants(const std::string &name, const Origin &x, const Origin &y, std::vector<Change> &changes) {
    const Constant &left = a.graph.constants()[x.index], &right = b.graph.constants()[y.index];
    Change change{left.isWeight && right.isWeight ? "weight" : "argument", name, describe(left), describe(right), {}};
    if (typeKey(left.type) == typeKey(right.type) && left.elements > 1 && left.data && right.data)
      change.values = compareValues(left, right);
    changes.push_back(std::move(change));
  }

  std::vector<Change> changesOf(const std::vector<Operand> &left, const std::vector<Operand> &right) {
    std::vector<Change> changes;
    size_t i = 0, j = 0;
    while (i < left.size() || j < right.size()) {
      const int order = i == left.size() ? 1 : j == right.size() ? -1 : left[i].name.compare(right[j].name);
      if (order < 0) {
        changes.push_back({"argument", left[i].name, a.describe(left[i].origin), "", {}});
      } else if (order > 0) {
        changes.push_back({"argument", right[j].name, "", b.describe(right[j].origin), {}});
      } else if (!correspond(left[i].origin, right[j].origin)) {
        const Origin &x = left[i].origin, &y = right[j].origin;
        if (x.isConstant() && y.isConstant())
          compareConstants(left[i].name, x, y, changes);
        else
          changes.push_back({"operand", left[i].name, a.describe(x), b.describe(y), {}});
      }
      i += order <= 0;
      j += order >= 0;
    }
    return changes;
  }

  /// With --any-operand-order: whether x and y correspond the other way round.
  bool crossed(const Node &left, const Node &right) {
    if (!tolerance.operands || left.statement->op != right.statement->op || !isCommutative(left.statement->op) ||
        left.operands.size() != 2 || right.operands.size() != 2)
      return false;
    return correspond(left.operands[0].origin, right.operands[1].origin) &&
           correspond(left.operands[1].origin, right.operands[0].origin);
  }

  /// Types of results follow from those of operands: the first that is another one tells it.
  bool operandTypesDiffer(const Node &left, const Node &right) const {
    for (const Operand &operand : left.operands) {
      const Operand *other = right.operand(operand.name);
      if (other && !operand.origin.isConstant() && typeOf(operand.origin) != typeOf(other->origin))
        return true;
    }
    return false;
  }

  void compareTypes(const Node &left, const Node &right, std::vector<Change> &changes) {
    const std::vector<mil::Variable> &x = left.statement->results, &y = right.statement->results;
    for (size_t i = 0; i < std::max(x.size(), y.size()); ++i)
      if (i >= x.size() || i >= y.size())
        changes.push_back({"type",
                           (i < x.size() ? x : y)[i].name,
                           i < x.size() ? x[i].type.str() : "",
                           i < y.size() ? y[i].type.str() : "",
                           {}});
      else if (typeKey(x[i].type, tolerance.types) != typeKey(y[i].type, tolerance.types))
        changes.push_back({"type", x[i].name, x[i].type.str(), y[i].type.str(), {}});
  }

  void comparePair(uint32_t indexA, uint32_t indexB) {
    const Node &left = a.graph.nodes()[indexA], &right = b.graph.nodes()[indexB];
    Difference difference{"statement", a.side(indexA), b.side(indexB), {}};
    if (left.statement->op != right.statement->op)
      difference.changes.push_back({"op", "", left.statement->op, right.statement->op, {}});
    if (!crossed(left, right))
      for (Change &change : changesOf(left.operands, right.operands))
        difference.changes.push_back(std::move(change));
    if (left.statement->results.size() != right.statement->results.size() || !operandTypesDiffer(left, right))
      compareTypes(left, right, difference.changes);
    if (!difference.changes.empty())
      result.differences.push_back(std::move(difference));
  }

  /// In the order of a; what only b has, before the next statement of b that has a partner.
  void reportNodes() {
    std::vector<uint32_t> placeB(b.order.size());
    for (uint32_t i = 0; i < b.order.size(); ++i)
      placeB[b.order[i]] = i;
    size_t nextB = 0;
    auto onlyB = [&](size_t end) {
      for (; nextB < end; ++nextB)
        if (b.partner[b.order[nextB]] == kNone)
          result.differences.push_back({"statement", {}, b.side(b.order[nextB]), {}});
    };
    for (uint32_t index : a.order) {
      const uint32_t partner = a.partner[index];
      if (partner == kNone) {
        result.differences.push_back({"statement", a.side(index), {}, {}});
        continue;
      }
      onlyB(placeB[partner]);
      if (a.numbers.nodes[index] != b.numbers.nodes[partner])
        comparePair(index, partner);
    }
    onlyB(b.order.size());
  }

  static Side paramSide(const mil::Variable &param) {
    return {absl::StrCat(param.type.str(), " ", param.name), param.name, "", param.loc};
  }

  void reportInputs() {
    const std::vector<mil::Variable> &left = a.graph.function().params, &right = b.graph.function().params;
    std::vector<bool> found(left.size());
    bool renamed = false;
    for (size_t i = 0; i < right.size(); ++i) {
      if (inputPartner[i] == kNone) {
        result.differences.push_back({"input", {}, paramSide(right[i]), {}});
        continue;
      }
      const mil::Variable &other = left[inputPartner[i]];
      found[inputPartner[i]] = true;
      renamed |= other.name != right[i].name;
      if (typeKey(other.type, tolerance.types) != typeKey(right[i].type, tolerance.types))
        result.differences.push_back({"input",
                                      paramSide(other),
                                      paramSide(right[i]),
                                      {{"type", other.name, other.type.str(), right[i].type.str(), {}}}});
    }
    for (size_t i = 0; i < left.size(); ++i)
      if (!found[i])
        result.differences.push_back({"input", paramSide(left[i]), {}, {}});
    if (renamed)
      result.notes.push_back("inputs have other names; they were matched by position");
  }

  void compareOperands(const std::string &kind, const std::vector<Operand> &left, const std::vector<Operand> &right) {
    std::vector<Change> changes = changesOf(left, right);
    if (changes.empty())
      return;
    const auto side = [](const Half &half) {
      const mil::Function &function = half.graph.function();
      return Side{absl::StrCat("func ", function.name), function.name, "", function.loc};
    };
    result.differences.push_back({kind, side(a), side(b), std::move(changes)});
  }

  static Side outputSide(const Half &half, const Operand &output) {
    return {absl::StrCat("returns ", half.describe(output.origin)), output.name, "", {}};
  }

  void compareResults(const std::string &kind, const Operand *x, const Operand *y) {
    Difference difference{kind, {}, {}, {}};
    if (x)
      difference.a = outputSide(a, *x);
    if (y)
      difference.b = outputSide(b, *y);
    if (x && y) {
      if (correspond(x->origin, y->origin))
        return;
      difference.changes.push_back({"operand", x->name, a.describe(x->origin), b.describe(y->origin), {}});
    }
    result.differences.push_back(std::move(difference));
  }

  void reportOutputs() {
    for (size_t i = 0; i < std::max(a.outputs.size(), b.outputs.size()); ++i)
      compareResults("output", i < a.outputs.size() ? &a.outputs[i] : nullptr,
                     i < b.outputs.size() ? &b.outputs[i] : nullptr);
  }

  /// What states hold at the end. Those without partner are inputs that are told already.
  void reportStates() {
    std::unordered_map<uint32_t, const Operand *> ofA;
    size_t next = 0;
    const std::vector<mil::Variable> &paramsA = a.graph.function().params, &paramsB = b.graph.function().params;
    for (uint32_t i = 0; i < paramsA.size(); ++i)
      if (paramsA[i].type.kind == mil::Type::Kind::State)
        ofA[i] = &a.graph.states()[next++];
    next = 0;
    for (uint32_t i = 0; i < paramsB.size(); ++i) {
      if (paramsB[i].type.kind != mil::Type::Kind::State)
        continue;
      const Operand &y = b.graph.states()[next++];
      auto x = ofA.find(inputPartner[i]);
      if (x != ofA.end())
        compareResults("state", x->second, &y);
    }
  }
};

} // namespace

std::string describe(const Constant &constant) {
  if (!constant.file.empty())
    return absl::StrCat(constant.written->type.str(), " of ", quote(constant.file), " at ", constant.offset);
  constexpr uint64_t kShown = 16;
  if (constant.elements > kShown)
    return absl::StrCat(constant.type.str(), " of ", constant.elements, " elements in the text");
  return shortened(mil::print(*constant.written));
}

FunctionDifference compareFunctions(const Graph &a, const Graph &b, Tolerance tolerance) {
  return Comparison(a, b, tolerance).run();
}

} // namespace ane::rt::mildiff
