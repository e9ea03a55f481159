//===- compare.h - Where two functions part ---------------------*- C++ -*-===//
//
// Statements are paired: first those that compute the same from the same, then,
// among the others, those that are alike, in an order that follows the data. What
// a pair differs in by itself is a difference; what it differs in because of its
// operands is not, since the statement that those come from tells it.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_TOOLS_DIFF_COMPARE_H
#define ANE_RUNTIME_TOOLS_DIFF_COMPARE_H

#include "runtime/tools/diff/graph.h"

#include <optional>
#include <string>
#include <vector>

namespace ane::rt::mildiff {

/// One thing that a statement has otherwise in b.
struct Change {
  std::string what; ///< "op", "type", "argument", "weight", "operand", "state"
  std::string name; ///< of the argument or result
  std::string a, b; ///< empty where one side has nothing
  std::optional<ValueDifference> values;
};

/// A statement, an input or an output of one side.
struct Side {
  std::string text;
  std::string name; ///< of the value
  std::string op;   ///< of a statement
  mil::Location loc;
};

struct Difference {
  std::string kind; ///< "statement", "input", "output", "state", "attributes"
  std::optional<Side> a, b;
  std::vector<Change> changes; ///< none where a side is missing
};

struct FunctionDifference {
  std::string name;
  size_t statementsA = 0, statementsB = 0, equal = 0; ///< without constants
  std::vector<Difference> differences;
  std::vector<std::string> notes; ///< what does not count
};

/// Empty differences mean that the functions are equal.
FunctionDifference compareFunctions(const Graph &a, const Graph &b, Tolerance tolerance);

/// Short, for people: a literal, or the type and place of a weight.
std::string describe(const Constant &constant);

} // namespace ane::rt::mildiff

#endif // ANE_RUNTIME_TOOLS_DIFF_COMPARE_H
