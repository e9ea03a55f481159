//===- classes.h - Values that are equal by what they are made of ---------===//
#ifndef ANE_RUNTIME_TOOLS_DIFF_CLASSES_H
#define ANE_RUNTIME_TOOLS_DIFF_CLASSES_H

#include "runtime/tools/diff/graph.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace ane::rt::mildiff {

/// Numbers for the values of a graph: two values have one number exactly if they are of one type and constants of equal
/// bytes, the same input, or the same result of the same operation on values of equal numbers. Graphs that are to be
/// compared are numbered by one object.
class Classes {
public:
  explicit Classes(Tolerance tolerance) : tolerance(tolerance) {}

  struct Numbers {
    std::vector<uint32_t> inputs, constants, nodes;
    /// What a statement is without what it gets from others: operation, names of operands, constants, result types.
    std::vector<uint32_t> forms;
  };
  /// `inputs`: for each parameter a number that stands for it in both graphs. The graph outlives this object.
  Numbers number(const Graph &graph, const std::vector<uint32_t> &inputs);

  uint32_t of(const Origin &origin, const Numbers &numbers);

  /// The number of any other text.
  uint32_t intern(std::string text) {
    return known.emplace(std::move(text), static_cast<uint32_t>(known.size())).first->second;
  }
  /// Of the operation and the types alone.
  uint32_t kind(const Node &node);
  std::string types(const Node &node) const;

private:
  Tolerance tolerance;
  std::unordered_map<std::string, uint32_t> known;
  std::unordered_map<uint32_t, const Constant *> first; ///< of those that are known by a hash

  uint32_t number(const Constant &constant);
};

/// Whether x and y of the operation may change places.
bool isCommutative(const std::string &op);

} // namespace ane::rt::mildiff

#endif // ANE_RUNTIME_TOOLS_DIFF_CLASSES_H
