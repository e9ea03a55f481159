//===- Structure.cpp - constants and containers ---------------------------===//

#include "ane/IR/ANE.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"

using namespace mlir;
using namespace mlir::ane;

OpFoldResult ConstOp::fold(FoldAdaptor) { return getValue(); }

//===-- parameter ---------------------------------------------------------===//

LogicalResult ParameterOp::verify() { return verifyConstantRegion(*this, getBody(), getType()); }

//===-- island ------------------------------------------------------------===//

/// The static element counts must agree; shapes may differ by the layout.
static LogicalResult verifyLayout(Operation *op, StringRef what, unsigned index, Attribute layout, Type plan,
                                  Type surface) {
  auto attr = cast<LayoutAttr>(layout);
  int64_t elements = cast<RankedTensorType>(plan).getNumElements();
  int64_t expanded = 1;
  for (int64_t dim : attr.getExpand())
    expanded *= dim;
  if (expanded != elements || cast<RankedTensorType>(surface).getNumElements() < elements)
    return op->emitOpError() << what << " " << index << ": layout " << attr << " does not relate " << plan << " to "
                             << surface;
  return success();
}

LogicalResult IslandOp::verify() {
  auto checkTypes = [&](TypeRange actual, TypeRange expected, StringRef what) -> LogicalResult {
    if (actual == expected)
      return success();
    return emitOpError() << "twin region's " << what << " types differ from the island's";
  };
  for (Region *region : {&getTwin(), &getEngine()})
    if (!region->empty() && (region->front().empty() || !isa<YieldOp>(region->front().back())))
      return emitOpError("regions must end with ane.yield");
  Block &twin = getTwin().front();
  if (failed(checkTypes(twin.getArgumentTypes(), getInputs().getTypes(), "argument")) ||
      failed(checkTypes(twin.getTerminator()->getOperandTypes(), getResultTypes(), "yielded")))
    return failure();
  if (getEngine().empty())
    return success();
  if (!getEngine().hasOneBlock())
    return emitOpError("engine region must have one block");
  Block &engine = getEngine().front();
  ValueRange yielded = engine.getTerminator()->getOperands();
  if (engine.getNumArguments() != getInputs().size() || getInputLayouts().size() != getInputs().size())
    return emitOpError() << "engine region needs one argument and one layout per input, has "
                         << engine.getNumArguments() << " and " << getInputLayouts().size() << " for "
                         << getInputs().size();
  if (yielded.size() != getNumResults() || getOutputLayouts().size() != getNumResults())
    return emitOpError() << "engine region needs one yielded value and one layout per result, has " << yielded.size()
                         << " and " << getOutputLayouts().size() << " for " << getNumResults();
  int64_t places = llvm::range_size(twin.without_terminator());
  for (Operation &op : engine)
    if (DenseI64ArrayAttr from = attrs::from.get(&op); // ane/Constraint/Origin.h
        from &&
        (from.empty() || llvm::any_of(from.asArrayRef(), [&](int64_t place) { return place < 0 || place >= places; })))
      return op.emitOpError() << "has ane.from = " << from << ": it must name ops of the twin, which has " << places;
  for (auto [i, layout] : llvm::enumerate(getInputLayouts()))
    if (failed(verifyLayout(*this, "input", i, layout, getInputs()[i].getType(), engine.getArgument(i).getType())))
      return failure();
  for (auto [i, layout] : llvm::enumerate(getOutputLayouts()))
    if (failed(verifyLayout(*this, "output", i, layout, getResult(i).getType(), yielded[i].getType())))
      return failure();
  return success();
}

//===-- program and eval --------------------------------------------------===//

LogicalResult ProgramOp::verify() {
  auto functions = getBody().getOps<func::FuncOp>();
  if (functions.empty())
    return emitOpError("holds no procedure");
  for (Operation &op : getBody().front())
    if (!isa<func::FuncOp, StateOp>(op))
      return op.emitOpError("can't stand in ane.program: only procedures (func.func) and states can");
  return success();
}

LogicalResult EvalOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto procedure = symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getProcedureAttr());
  if (!procedure || !isa<ProgramOp>(procedure->getParentOp()))
    return emitOpError() << getProcedureAttr() << " is not a procedure of an ane.program";
  auto twin = symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getTwinAttr());
  if (!twin)
    return emitOpError() << "twin " << getTwinAttr() << " is not a function";
  if (twin.getFunctionType() != FunctionType::get(getContext(), getInputs().getTypes(), getResultTypes()))
    return emitOpError() << "twin " << getTwinAttr() << " has type " << twin.getFunctionType();
  if (procedure.getNumArguments() != getInputs().size() || procedure.getNumResults() != getNumResults())
    return emitOpError() << getProcedureAttr() << " takes " << procedure.getNumArguments() << " and returns "
                         << procedure.getNumResults() << " surfaces";
  return success();
}
