//===- graph.h - What a function of MIL computes from what ------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_DIFF_GRAPH_H
#define ANE_RUNTIME_TOOLS_DIFF_GRAPH_H

#include "runtime/tools/diff/constant.h"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace ane::rt::mildiff {

/// A value, by where it comes from.
struct Origin {
  enum class Kind : uint8_t {
    Input,    ///< index: of the parameter
    Result,   ///< index: of the node; result: which of its results
    Constant, ///< index: of the constant
  };
  Kind kind = Kind::Constant;
  uint32_t index = 0;
  uint32_t result = 0;
  const mil::Type *type = nullptr;

  bool isInput() const { return kind == Kind::Input; }
  bool isResult() const { return kind == Kind::Result; }
  bool isConstant() const { return kind == Kind::Constant; }
};

/// One value that a statement reads: `values = (a, b)` is "values[0]" and "values[1]".
struct Operand {
  std::string name;
  Origin origin;
};

/// A statement that computes something. Its operands are in the order of their names, arguments and attributes alike.
struct Node {
  const mil::Statement *statement = nullptr;
  std::vector<Operand> operands;
  const Operand *operand(const std::string &name) const;
};

/// A function without names and without order but that of who reads what. A state has a version for each
/// operation that changes it, so that reads and writes of one state keep their order.
class Graph {
public:
  /// Fails for names that nothing defines and for constants that can't be read. `file` is for messages; function and
  /// reader outlive the graph.
  static absl::StatusOr<Graph> of(const mil::Function &function, ConstantReader &reader, const std::string &file,
                                  Tolerance tolerance);

  const mil::Function &function() const { return *source; }
  const std::vector<Node> &nodes() const { return all; }
  const std::deque<Constant> &constants() const { return values; }
  /// What the function returns, in its order.
  const std::vector<Operand> &outputs() const { return results; }
  /// For each parameter that is a state: what it holds at the end.
  const std::vector<Operand> &states() const { return finals; }
  /// Attributes of the function itself.
  const std::vector<Operand> &attributes() const { return own; }

  /// Nodes in an order that depends on neither names nor order of the text: what `outputs` need first.
  std::vector<uint32_t> ordered(const std::vector<Operand> &outputs) const;

private:
  friend class GraphBuilder;
  const mil::Function *source = nullptr;
  std::vector<Node> all;
  std::deque<Constant> values;
  std::vector<Operand> results, finals, own;
};

} // namespace ane::rt::mildiff

#endif // ANE_RUNTIME_TOOLS_DIFF_GRAPH_H
