//===- op_args.h - Arguments of one op, typed -----------------------------===//
//
// While a program is loaded, each op reads its arguments through an OpArgs.
// The first argument that is missing, of the wrong type or out of range is
// remembered as a message that names line, column, op and argument; getters
// then give harmless values, and the op asks once whether all was well:
//
//   Operand x = args.input("x", kFloat);
//   int64_t axis = args.axis("axis", x.type.rank(), -1);
//   if (!args.ok())
//     return args.status();
//
// Arguments that no getter asked for are errors, too (`finish`).
//
//===----------------------------------------------------------------------===//

#ifndef ANE_RUNTIME_DEVICE_EMULATOR_OP_ARGS_H
#define ANE_RUNTIME_DEVICE_EMULATOR_OP_ARGS_H

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "runtime/device/emulator/tensor.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ane::rt::emulator {

/// Set of element types, one bit each.
using TypeSet = uint32_t;
constexpr TypeSet setOf(ElementType type) { return TypeSet(1) << static_cast<unsigned>(type); }
// The type domains of coremltools' op definitions (coreml-mlprogram.md 3).
constexpr TypeSet kFloat = setOf(ElementType::Float16) | setOf(ElementType::Float32);
constexpr TypeSet kBool = setOf(ElementType::Bool);
constexpr TypeSet kInt32 = setOf(ElementType::Int32);
constexpr TypeSet kSmallInt =
    setOf(ElementType::Int8) | setOf(ElementType::UInt8) | setOf(ElementType::Int16) | setOf(ElementType::UInt16);
constexpr TypeSet kIndex = kInt32 | kSmallInt;
constexpr TypeSet kFloatInt = kFloat | kInt32;
constexpr TypeSet kFloatIntBool = kFloatInt | kBool;
constexpr TypeSet kAny = kFloatIntBool | kSmallInt;
/// Indices of a palette are never negative.
constexpr TypeSet kPaletteIndex = setOf(ElementType::UInt1) | setOf(ElementType::UInt2) | setOf(ElementType::UInt3) |
                                  setOf(ElementType::UInt4) | setOf(ElementType::UInt6) | setOf(ElementType::UInt8);

/// One value that an op reads. `slot` is the value's index in the program.
struct Operand {
  int64_t slot = -1;
  TensorType type;
  /// Not null when the value is known at load.
  const Constant *constant = nullptr;

  bool present() const { return slot >= 0; }
};

/// A named argument of the op: one value, or several for `values = (a, b)`.
struct Argument {
  std::string name;
  std::vector<Operand> operands;
};

class OpArgs {
public:
  /// `where` is "file:line:column: op 'x' (result 'y')"; `opset` 15 for ios15.
  OpArgs(std::string where, int opset, std::vector<Argument> arguments, std::vector<TensorType> declared)
      : where(std::move(where)), opsetVersion(opset), arguments(std::move(arguments)),
        declaredTypes(std::move(declared)) {}

  /// 15 for ios15, 18 for ios18.
  int opset() const { return opsetVersion; }
  /// Result types as the text declares them.
  const std::vector<TensorType> &declared() const { return declaredTypes; }
  bool has(std::string_view name) const { return find(name) != nullptr; }

  // Values that may come at run time. None is without elements, but for `list`.
  Operand input(std::string_view name, TypeSet allowed);
  Operand optionalInput(std::string_view name, TypeSet allowed);
  std::vector<Operand> inputs(std::string_view name, TypeSet allowed);
  /// Numbers, one for each axis as a rule; of a scalar there are none.
  Operand list(std::string_view name, TypeSet allowed);

  // Values that must be known at load. Those without a default are required.
  int64_t integer(std::string_view name);
  int64_t integer(std::string_view name, int64_t otherwise);
  bool boolean(std::string_view name, bool otherwise);
  double real(std::string_view name);
  double real(std::string_view name, double otherwise);
  std::string string(std::string_view name);
  std::string string(std::string_view name, std::string_view otherwise);
  std::vector<int64_t> integers(std::string_view name);
  std::optional<std::vector<int64_t>> optionalIntegers(std::string_view name);
  std::vector<int64_t> integers(std::string_view name, size_t count, int64_t otherwise);
  std::vector<bool> booleans(std::string_view name, size_t count);
  std::vector<float> reals(std::string_view name, TypeSet allowed = kFloat);
  /// An operand that must be known at load.
  Operand constant(std::string_view name, TypeSet allowed);
  Operand optionalConstant(std::string_view name, TypeSet allowed);
  Operand constantList(std::string_view name, TypeSet allowed);
  /// An axis in [-rank, rank), made non-negative.
  int64_t axis(std::string_view name, int64_t rank);
  int64_t axis(std::string_view name, int64_t rank, int64_t otherwise);
  /// Distinct axes, non-negative and sorted; all axes when absent.
  std::vector<int64_t> axesOrAll(std::string_view name, int64_t rank);
  std::vector<int64_t> axes(std::string_view name, int64_t rank);
  /// One element type by its MIL name, out of `allowed`.
  ElementType elementType(std::string_view name, TypeSet allowed, std::optional<ElementType> otherwise = std::nullopt);

  /// Remembers the first message; later ones are dropped.
  template <typename... Parts>
  void error(const Parts &...parts) {
    if (failure.ok())
      failure = absl::InvalidArgumentError(absl::StrCat(where, ": ", parts...));
  }
  template <typename... Parts>
  void argumentError(std::string_view name, const Parts &...parts) {
    error("argument '", absl::string_view(name.data(), name.size()), "' ", parts...);
  }
  template <typename... Parts>
  bool require(bool condition, const Parts &...parts) {
    if (!condition)
      error(parts...);
    return condition;
  }
  /// A valid program that this emulator does not run.
  template <typename... Parts>
  absl::Status unimplemented(const Parts &...parts) {
    return absl::UnimplementedError(absl::StrCat(where, ": ", parts...));
  }

  /// Compares result `index` as the op infers it with the declared type, which
  /// is known to be bounded. The loader asks for every result; an op asks first
  /// if it makes tables or multiplies sizes.
  bool fits(const TensorType &inferred, size_t index = 0);
  bool fitsCount(size_t results);

  bool ok() const { return failure.ok(); }
  absl::Status status() const { return failure; }
  /// Errors of the getters, or of arguments that none of them asked for.
  absl::Status finish();

  const std::string &place() const { return where; }

private:
  const Argument *find(std::string_view name) const;
  const Argument *take(std::string_view name, bool required);
  /// What an operand may be without.
  enum class Empty { Refused, Allowed };
  void check(std::string_view name, const Operand &operand, TypeSet allowed, Empty empty);
  Operand single(std::string_view name, TypeSet allowed, bool required, Empty empty = Empty::Refused);
  Operand known(std::string_view name, TypeSet allowed, bool required, Empty empty = Empty::Allowed);

  std::string where;
  int opsetVersion;
  std::vector<Argument> arguments;
  std::vector<TensorType> declaredTypes;
  std::set<std::string, std::less<>> taken;
  absl::Status failure;
};

/// "fp16, fp32", for messages.
std::string typeSetString(TypeSet types);

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_OP_ARGS_H
