//===- ast.h - Syntax tree of MIL text --------------------------*- C++ -*-===//
//
// The tree that the MIL parser builds and the printer prints. It holds what the
// text says and nothing more: no op is known here, no type is inferred, no blob
// is opened. Grammar: ane-programming.md section 4.
//
//   program(1.3)
//   [buildInfo = dict<string, string>({{"coremlc-version", "3505.4.1"}})]
//   {
//     func main<ios18>(tensor<fp16, [1, 4, 1, 32]> x) {
//       int32 ax = const()[name = string("ax"), val = int32(1)];
//       tensor<fp16, [1, 8, 1, 32]> y = concat(axis = ax, values = (x, x))
//                                         [name = string("y")];
//     } -> (y);
//   }
//
// `operator==` compares contents and ignores source positions, so that
// `parse(print(program)) == program` is the law of parser and printer.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_FORMAT_MIL_AST_H
#define ANE_RUNTIME_FORMAT_MIL_AST_H

#include "runtime/support/element_type.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ane::rt::mil {

/// Position in the source text, both counted from 1; 0 means "not from text".
struct Location {
  uint32_t line = 0;
  uint32_t column = 0;
};

/// The element type that MIL text calls `name`; unlike elementTypeFromName not
/// the NumPy spellings.
std::optional<ElementType> dtypeFromName(std::string_view name);

/// Size of a dimension that the text writes as `?`.
constexpr int64_t kUnknownDim = -1;

/// A type. `Scalar` (`fp16`) and a rank-0 `Tensor` (`tensor<fp16, []>`) mean
/// the same; which one was written is kept, because MIL 1.0 knows only the
/// second.
struct Type {
  enum class Kind : uint8_t {
    Scalar, ///< `fp16`: dtype
    Tensor, ///< `tensor<fp16, [1, 2]>`: dtype, dims
    Dict,   ///< `dict<K, V>`: params[0], params[1]
    List,   ///< `list<T, n>`: params[0], dims[0]
    Tuple,  ///< `tuple<A, B>`: params
    State,  ///< `state<T>`: params[0]
  };
  Kind kind = Kind::Scalar;
  ElementType dtype = ElementType::Float16;
  std::vector<int64_t> dims;
  std::vector<Type> params;

  static Type scalar(ElementType dtype) { return {Kind::Scalar, dtype, {}, {}}; }
  static Type tensor(ElementType dtype, std::vector<int64_t> dims) {
    return {Kind::Tensor, dtype, std::move(dims), {}};
  }
  bool isScalar() const { return kind == Kind::Scalar; }
  bool isTensor() const { return kind == Kind::Tensor; }
  /// One element without axes, in either spelling.
  bool isScalarLike() const { return isScalar() || (isTensor() && dims.empty()); }
  /// Product of dims; 1 for a scalar; nullopt if unknown or above int64.
  std::optional<int64_t> numElements() const;
  /// As the text spells it.
  std::string str() const;
};

/// What stands after `=` in an argument or an attribute.
struct Value {
  enum class Kind : uint8_t {
    Reference, ///< identifier of another statement or parameter: name
    Tuple,     ///< `(a, b)`, not typed, or `tuple<..>((a, b))`, typed: items
    Elements,  ///< literal scalar or list: type, one of floats/ints/strings
    Blob,      ///< `type(BLOBFILE(path = ..., offset = ...))`: type, path, offset
    Dict,      ///< `dict<..>({{k, v}, ..})`: type, items = k0, v0, k1, v1, ...
  };
  Kind kind = Kind::Reference;
  /// False when the literal stands without its type (`axis = 1`, `x = true`).
  /// `type` is then what the literal itself suggests: bool, int32, fp32 or
  /// string, a scalar or a rank-1 tensor; the op decides what it really is.
  bool typed = true;
  Type type;
  std::string name;
  std::vector<Value> items;
  /// Elements, row major, whatever nesting the text used. Exactly one of the
  /// three is used, by type.dtype: floats for fp*, strings for string, ints for
  /// integers and bool (0 or 1; uint64 above 2^63-1 wraps to its bits).
  /// Floats are as written, not yet rounded to the element type.
  std::vector<double> floats;
  std::vector<int64_t> ints;
  std::vector<std::string> strings;
  /// Blob: file as written, normally "@model_path/...", and the position of
  /// the 64-byte record in it (not of the data; ane-programming.md 3.1).
  std::string path;
  uint64_t offset = 0;
  Location loc;

  bool isReference() const { return kind == Kind::Reference; }
  bool isElements() const { return kind == Kind::Elements; }
  /// The single string, integer (or bool), float of an Elements value.
  std::optional<std::string> asString() const;
  std::optional<int64_t> asInt() const;
  std::optional<double> asFloat() const;
  std::optional<bool> asBool() const;

  static Value reference(std::string name);
  static Value tuple(std::vector<Value> items);
  static Value string(std::string text, Type type = Type::scalar(ElementType::String));
  static Value integers(Type type, std::vector<int64_t> ints);
  static Value reals(Type type, std::vector<double> floats);
  static Value blob(Type type, std::string path, uint64_t offset);
};

/// `name = value`, in parentheses (argument) or brackets (attribute).
struct NamedValue {
  std::string name;
  Value value;
  Location loc;
};

/// `type name`: a parameter of a function or a result of a statement.
struct Variable {
  Type type;
  std::string name;
  Location loc;
};

/// `T0 r0, T1 r1 = op(arguments)[attributes];` or, of write_state, which has no
/// result, `op(arguments)[attributes];`.
/// Constants are statements with op "const" and an attribute "val"; constexpr
/// ops may carry their operands among the attributes (ane-programming.md 3.7).
struct Statement {
  std::vector<Variable> results;
  std::string op;
  std::vector<NamedValue> arguments;
  std::vector<NamedValue> attributes;
  Location loc;   ///< of its first word
  Location opLoc; ///< of the operation's name

  bool isConst() const { return op == "const"; }
  const Value *argument(std::string_view name) const;
  const Value *attribute(std::string_view name) const;
  /// Argument or, if there is none, attribute: where constexpr operands are.
  const Value *operand(std::string_view name) const;
  /// The attribute "name", empty if absent.
  std::string nameAttribute() const;
};

struct Function {
  std::string name;
  std::string opset; ///< "ios16", "ios18", ...
  std::vector<Variable> params;
  std::vector<NamedValue> attributes;
  std::vector<Statement> statements;
  std::vector<std::string> outputs;
  std::vector<Location> outputLocs; ///< one for each output, or none
  Location loc;
};

struct Program {
  std::string version;                ///< "1.0", "1.3"
  std::vector<NamedValue> attributes; ///< `[buildInfo = dict<..>({..}), ..]`
  std::vector<Function> functions;

  const Function *function(std::string_view name) const;
  const Value *buildInfo() const;
};

bool operator==(const Type &a, const Type &b);
bool operator==(const Value &a, const Value &b);
bool operator==(const NamedValue &a, const NamedValue &b);
bool operator==(const Variable &a, const Variable &b);
bool operator==(const Statement &a, const Statement &b);
bool operator==(const Function &a, const Function &b);
bool operator==(const Program &a, const Program &b);
inline bool operator!=(const Type &a, const Type &b) { return !(a == b); }
inline bool operator!=(const Program &a, const Program &b) { return !(a == b); }

/// How scalars are spelled: `tensor<int32, []>(1)` (MIL 1.0, every chip) or
/// `int32(1)` (MIL 1.3, not on M1/M2; ane-programming.md 4.3).
enum class Spelling { Long, Short };

/// Respells every scalar type of the program. The version is left alone.
void respell(Program &program, Spelling spelling);

} // namespace ane::rt::mil

#endif // ANE_RUNTIME_FORMAT_MIL_AST_H
