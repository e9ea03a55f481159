//===- view.h - A MIL function as rules see it ----------------------------===//
//
// Resolves names once: what each reference of the text is defined by, who reads
// each definition, what is constant. Text that is wrong in itself (undefined
// names, types that contradict) is the loader's to report; here such references
// resolve to nothing.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_DEVICE_EMULATOR_LINT_VIEW_H
#define ANE_RUNTIME_DEVICE_EMULATOR_LINT_VIEW_H

#include "runtime/format/mil/ast.h"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ane::rt::lint {

/// A parameter or a result of a statement.
struct Definition {
  const mil::Variable *variable = nullptr;
  const mil::Statement *statement = nullptr; ///< null for a parameter
  /// Known before the program runs: a const, or computed from such.
  bool constant = false;
  std::vector<const mil::Statement *> users; ///< once for each use
  bool returned = false;

  const std::string &name() const { return variable->name; }
  const mil::Type &type() const { return variable->type; }
};

/// One value that a statement reads: `values = (a, b)` is two.
struct Use {
  std::string argument; ///< "x", "values[1]"
  const mil::Value *value;
  const Definition *definition; ///< null for literals and undefined names
};

class FunctionView {
public:
  explicit FunctionView(const mil::Function &function);
  FunctionView(const FunctionView &) = delete;

  const mil::Function &function() const { return source; }
  /// Parameters and results of statements, in the order of the text.
  const std::deque<Definition> &definitions() const { return all; }
  const std::vector<const Definition *> &parameters() const { return params; }
  /// Null where a returned name is not defined.
  const std::vector<const Definition *> &outputs() const { return results; }

  /// What a reference names; null for literals and undefined names.
  const Definition *definition(const mil::Value &value) const;
  const Definition *definition(const mil::Value *value) const { return value ? definition(*value) : nullptr; }
  /// Operands of a statement, arguments before attributes; no attribute "name".
  std::vector<Use> uses(const mil::Statement &statement) const;
  /// Definition of the only or first result.
  const Definition *result(const mil::Statement &statement) const;

  bool isConstant(const mil::Value &value) const;
  /// Type of the value, declared or of the literal; nullopt when undefined.
  std::optional<mil::Type> type(const mil::Value &value) const;
  /// The operand `name` of the statement; nullopt also when it is absent.
  std::optional<mil::Type> type(const mil::Statement &statement, std::string_view name) const;

  /// The literal behind a value, through a const; null when there is none.
  const mil::Value *literal(const mil::Value *value) const;
  const mil::Value *literal(const mil::Statement &statement, std::string_view name) const {
    return literal(statement.operand(name));
  }
  /// Integers, bools, floats of a literal; empty when it is none.
  std::vector<int64_t> integers(const mil::Statement &statement, std::string_view name) const;
  std::optional<int64_t> integer(const mil::Statement &statement, std::string_view name) const;
  std::optional<double> real(const mil::Statement &statement, std::string_view name) const;
  /// The value of a constant all of whose elements are equal.
  std::optional<double> splat(const mil::Value &value) const;
  std::string string(const mil::Statement &statement, std::string_view name) const;

private:
  const mil::Function &source;
  std::deque<Definition> all;
  std::vector<const Definition *> params, results;
  std::unordered_map<const mil::Value *, const Definition *> references;
  std::unordered_map<const mil::Statement *, const Definition *> firstResults;
};

/// Axes counted from the right, 0 where the tensor has none: width, height,
/// channels, batch.
int64_t axisFromRight(const mil::Type &type, size_t fromRight);
inline int64_t rankOf(const mil::Type &type) { return static_cast<int64_t>(type.dims.size()); }
/// Bytes of one row, and of all elements; sub-byte types are rounded up.
int64_t rowBytes(const mil::Type &type);
/// The axis of an argument `axis` or the like, made non-negative; nullopt when
/// the text does not say or it is out of range.
std::optional<int64_t> axisOf(const FunctionView &view, const mil::Statement &statement, std::string_view name,
                              const mil::Type &type);
/// Elements that one element of a matmul's result sums; 0 when unknown.
int64_t matmulDepth(const FunctionView &view, const mil::Statement &statement);
/// What tells one softmax from another, if the statement is one, or gives a part of one that is spelled out, exp(x) /
/// sums: the result, or the sums, which are fewer than what they divide. Null for other statements.
const Definition *softmaxOf(const FunctionView &view, const mil::Statement &statement);
/// Product of the dimensions, 0 when one is unknown or it is beyond int64.
inline int64_t elementsOf(const mil::Type &type) { return type.numElements().value_or(0); }
/// Statements that never reach the engine: const, constexpr_*, and what is
/// computed from those alone.
bool isWeightExpression(const FunctionView &view, const mil::Statement &);

} // namespace ane::rt::lint

#endif // ANE_RUNTIME_DEVICE_EMULATOR_LINT_VIEW_H
