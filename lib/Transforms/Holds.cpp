//===- Holds.cpp - what must hold of a program's inputs -------------------===//

#include "ane/Transforms/Holds.h"
#include "ane/Constraint/InputArithmetic.h"
#include "ane/Constraint/TargetEnv.h"
#include "ane/IR/ConstantExpr.h"

using namespace mlir;
using namespace mlir::ane;

namespace {
/// The conditions of the ops that read an input as it is.
class Conditions {
public:
  explicit Conditions(IslandOp island) : env(lookupTargetEnv(island)), builder(island.getContext()) {}

  void visitReaders(BlockArgument input) {
    // Values that have the input's elements; those that have them as they are.
    SmallVector<Value> open{input};
    llvm::DenseSet<Value> seen{input}, moved{input};
    while (!open.empty()) {
      Value value = open.pop_back_val();
      for (Operation *user : value.getUsers()) {
        if (isa<NarrowOp>(user))
          continue;
        if (!keepsElements(user)) {
          visit(user, moved.contains(value));
          continue;
        }
        for (Value result : user->getResults()) {
          if (moved.contains(value) && isa<StridedViewOpInterface>(user))
            moved.insert(result);
          if (seen.insert(result).second)
            open.push_back(result);
        }
      }
    }
  }

  ArrayAttr get() { return conditions.empty() ? ArrayAttr() : builder.getArrayAttr(conditions.getArrayRef()); }

private:
  void visit(Operation *reader, bool isMoved) {
    double most = env.numeric(Numeric::AngleMax);
    if (isa<LogOp, ReduceLogSumOp>(reader) && isMoved)
      add(env.numeric(Numeric::SmallInput), std::nullopt, false);
    else if (isa<AcoshOp>(reader))
      add(1, std::nullopt, false);
    else if (isa<SinOp, CosOp, TanOp>(reader))
      add(-most, most, true);
    else if (isStep(reader) && !looksAtSigns(reader) && !comparesItself(reader))
      add(std::nullopt, std::nullopt, true);
  }

  static bool comparesItself(Operation *op) {
    return op->getNumOperands() == 2 && op->getOperand(0) == op->getOperand(1);
  }

  void add(std::optional<double> low, std::optional<double> high, bool exact) {
    NamedAttrList condition;
    if (low)
      condition.append("low", builder.getF64FloatAttr(*low));
    if (high)
      condition.append("high", builder.getF64FloatAttr(*high));
    if (exact)
      condition.append("exact", builder.getUnitAttr());
    conditions.insert(condition.getDictionary(builder.getContext()));
  }

  TargetEnv env;
  Builder builder;
  llvm::SetVector<Attribute> conditions;
};
} // namespace

ArrayAttr mlir::ane::holdsOf(IslandOp island, unsigned input) {
  Conditions conditions(island);
  conditions.visitReaders(island.getTwin().front().getArgument(input));
  return conditions.get();
}

DictionaryAttr mlir::ane::maskRowsOf(IslandOp island, unsigned input) {
  BlockArgument argument = island.getTwin().front().getArgument(input);
  for (Operation *user : argument.getUsers())
    if (auto narrow = dyn_cast<NarrowOp>(user); narrow && narrow.getAxis() && narrow.getX() == argument) {
      Builder builder(island.getContext());
      ArrayRef<int64_t> shape = narrow.getType().getShape();
      int64_t axis = *narrow.getAxis(), inner = ShapedType::getNumElements(shape.drop_front(axis + 1));
      double least = lookupTargetEnv(island).numeric(Numeric::MaskValue);
      return builder.getDictionaryAttr({builder.getNamedAttr("extent", builder.getI64IntegerAttr(shape[axis])),
                                        builder.getNamedAttr("inner", builder.getI64IntegerAttr(inner)),
                                        builder.getNamedAttr("least", builder.getF64FloatAttr(least))});
    }
  return {};
}
