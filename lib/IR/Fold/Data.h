//===- Data.h - elements of a constant while it is folded ------*- C++ -*-===//
#ifndef ANE_LIB_IR_FOLD_DATA_H
#define ANE_LIB_IR_FOLD_DATA_H

#include "ane/IR/ANE.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/DenseMap.h"
#include <functional>
#include <optional>
#include <vector>

namespace mlir::ane::fold {

/// The elements of a constant, row-major: integers (and bool) in `ints`, those of unsigned 64-bit types as their bits,
/// floats in `floats`.
struct Data {
  RankedTensorType type;
  std::vector<int64_t> ints;
  std::vector<double> floats;

  bool isFloat() const { return isa<FloatType>(type.getElementType()); }
  ArrayRef<int64_t> shape() const { return type.getShape(); }
  /// Which element each element of a tensor of `shape`, to which this broadcasts, is. A splat broadcasts to any.
  StridedView broadcast(ArrayRef<int64_t> shape) const { return *StridedView::dense(type.getShape()).broadcast(shape); }
  /// Appends element `index` of `from`, which has the same element type.
  void append(const Data &from, int64_t index) {
    if (isFloat())
      floats.push_back(from.floats[index]);
    else
      ints.push_back(from.ints[index]);
  }
};

using MaybeData = std::optional<Data>;
using MaybeInt = std::optional<int64_t>;
using MaybeFloat = std::optional<double>;

/// Nothing if the elements are of another kind. A splat gives one element.
MaybeData read(DenseElementsAttr attr);

/// Nothing if an integer leaves its type's range or a finite float becomes infinite.
DenseElementsAttr write(const Data &data);

/// `value` rounded to a float type; nothing if a finite value becomes infinite.
MaybeFloat roundTo(Type type, double value);

/// Calls `body` with every index of `shape`, row-major.
void forEachIndex(ArrayRef<int64_t> shape, function_ref<void(ArrayRef<int64_t>)> body);

/// The result of type `type` of an op on `operands`.
using Rule = std::function<MaybeData(Operation *op, ArrayRef<Data> operands, RankedTensorType type)>;

class RuleTable {
public:
  template <typename OpTy>
  void add(std::function<MaybeData(OpTy, ArrayRef<Data>, RankedTensorType)> rule) {
    rules[TypeID::get<OpTy>()] = [rule](Operation *op, ArrayRef<Data> operands, RankedTensorType type) {
      return rule(cast<OpTy>(op), operands, type);
    };
  }
  void add(TypeID id, Rule rule) { rules[id] = std::move(rule); }
  const Rule *lookup(Operation *op) const {
    auto it = rules.find(op->getName().getTypeID());
    return it == rules.end() ? nullptr : &it->second;
  }

private:
  llvm::DenseMap<TypeID, Rule> rules;
};

void addArithmeticRules(RuleTable &table);
void addMovementRules(RuleTable &table);
void addReductionRules(RuleTable &table);

} // namespace mlir::ane::fold

#endif // ANE_LIB_IR_FOLD_DATA_H
