//===- HostDialect.cpp - CPU code before its loops ------------------------===//

#include "ane/Host/HostDialect.h"
#include "Access.h"
#include "Kernel.h"
#include "Rewrites.h"
#include "RowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "ane/Host/HostDialect.cpp.inc"
#include "ane/Host/HostEnums.cpp.inc"

#define GET_OP_CLASSES
#include "ane/Host/HostOps.cpp.inc"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

void HostDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ane/Host/HostOps.cpp.inc"
      >();
}

//===-- attributes on ops of others ---------------------------------------===//

static LogicalResult verifyOrder(Operation *op, Attribute value) {
  auto order = dyn_cast<DenseI64ArrayAttr>(value);
  auto type = op->getNumResults() == 1 ? dyn_cast<RankedTensorType>(op->getResult(0).getType()) : RankedTensorType();
  if (!order || !type)
    return op->emitOpError() << orderMark << " is " << value << ", must be a list of integers on an op with one result";
  SmallVector<int64_t> sorted(order.asArrayRef());
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, type.getRank())))
    return op->emitOpError() << orderMark << " is " << value << ", must name each of the " << type.getRank()
                             << " dimensions of the result once";
  return success();
}

LogicalResult HostDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  auto mustBe = [&](bool right, StringRef where) -> LogicalResult {
    return right ? success() : op->emitOpError() << name << " is for " << where;
  };
  if (name == orderMark)
    return verifyOrder(op, attribute.getValue());
  if (name == copyMark)
    return mustBe(isa<IdentityOp>(op) && isa<UnitAttr>(attribute.getValue()), "ane.identity, without a value");
  if (name == widenMark)
    return mustBe(canWiden(op) && isa<UnitAttr>(attribute.getValue()),
                  "ane.cast of fp16 or bf16 to fp32, without a value");
  if (name == outlineMark)
    return mustBe(isa<scf::ForOp, scf::ParallelOp>(op) && isa<UnitAttr>(attribute.getValue()),
                  "loops, without a value");
  if (name == jobMark)
    return mustBe(isa<ModuleOp>(op) && isa<IntegerAttr>(attribute.getValue()), "a module, with a number");
  return op->emitOpError() << "has unknown attribute '" << name << "' of the host dialect";
}

//===-- kernels -----------------------------------------------------------===//

SmallVector<Operation *> KernelOp::getComputation() {
  SmallVector<Operation *> ops;
  for (Operation &op : getBlock().without_terminator())
    if (!isView(&op) && !isWeight(&op))
      ops.push_back(&op);
  return ops;
}

Value KernelOp::getScattered() {
  if (getKind() != KernelKind::Scatter)
    return {};
  auto argument = dyn_cast<BlockArgument>(getComputation().front()->getOperand(0));
  // Updates that are read from the data would be read after some of it has changed.
  return argument && argument.hasOneUse() ? getInputs()[argument.getArgNumber()] : Value();
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  StringRef word;
  FunctionType type;
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<KernelKind> kind = symbolizeKernelKind(word);
  if (!kind)
    return parser.emitError(where) << "'" << word << "' is no kind of kernel";
  SMLoc list = parser.getCurrentLocation();
  if (parser.parseAssignmentList(arguments, operands) || parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseColonType(type))
    return failure();
  if (type.getNumInputs() != arguments.size())
    return parser.emitError(list) << arguments.size() << " arguments, types of " << type.getNumInputs();
  for (auto [argument, input] : llvm::zip_equal(arguments, type.getInputs()))
    argument.type = input;
  result.getOrAddProperties<Properties>().kind = KernelKindAttr::get(parser.getContext(), *kind);
  result.addTypes(type.getResults());
  if (parser.resolveOperands(operands, type.getInputs(), list, result.operands))
    return failure();
  return parser.parseRegion(*result.addRegion(), arguments);
}

void KernelOp::print(OpAsmPrinter &p) {
  p << ' ' << stringifyKernelKind(getKind()) << '(';
  llvm::interleaveComma(llvm::zip_equal(getBlock().getArguments(), getInputs()), p,
                        [&](auto pair) { p << std::get<0>(pair) << " = " << std::get<1>(pair); });
  p << ')';
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getKindAttrName()});
  p << " : ";
  p.printFunctionalType(getInputs().getTypes(), getResultTypes());
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

/// What the ops of a kernel must be; a message where they are not.
static std::optional<StringRef> wrongFor(KernelKind kind, ArrayRef<Operation *> ops) {
  auto isLane = [](Operation *op) { return isRowOp(op) && !isRowReduction(op); };
  switch (kind) {
  case KernelKind::Copy:
    return ops.empty() ? std::nullopt : std::optional<StringRef>("views and constants only");
  case KernelKind::Elementwise:
    return llvm::all_of(ops, isLane) ? std::nullopt : std::optional<StringRef>("element-wise ops and gathers");
  case KernelKind::Row:
    return llvm::all_of(ops, isRowOp) ? std::nullopt
                                      : std::optional<StringRef>("element-wise ops, gathers and reductions");
  case KernelKind::Product:
  case KernelKind::Depthwise:
    if (!ops.empty() && productKind(ops.front()) == kind && llvm::all_of(ops.drop_front(), isLane))
      return std::nullopt;
    return "a product of that kind, and element-wise ops";
  default:
    return ops.size() == 1 && loopKind(ops.front()) == kind
               ? std::nullopt
               : std::optional<StringRef>("one op with loops of that kind");
  }
}

LogicalResult KernelOp::verify() {
  if (getBlock().getArgumentTypes() != getInputs().getTypes())
    return emitOpError("has arguments of other types than its operands");
  auto yield = dyn_cast<KernelYieldOp>(getBlock().getTerminator());
  if (!yield || yield.getOperandTypes() != getResultTypes())
    return emitOpError("has results of other types than the region yields");
  for (Value value : yield.getValues())
    if (isWeight(value.getDefiningOp()))
      return emitOpError("writes a constant");
  if (std::optional<StringRef> expected = wrongFor(getKind(), getComputation()))
    return emitOpError() << "of kind '" << stringifyKernelKind(getKind()) << "' must hold " << *expected;
  if (Value data = getInPlace() ? getScattered() : Value();
      getInPlace() && (!data || !data.getDefiningOp<KernelOp>() || !data.hasOneUse()))
    return emitOpError("is in place, but no scatter of what another kernel writes for it alone");
  return success();
}

//===-- recurrences -------------------------------------------------------===//

LogicalResult RecurrenceOp::verify() {
  auto shape = [](Value value) { return cast<ShapedType>(value.getType()).getShape(); };
  static constexpr int64_t gates[] = {4, 3, 1};
  int64_t states = getKind() == RecurrenceKind::Lstm ? 2 : 1;
  if (static_cast<int64_t>(getInitial().size()) != states || static_cast<int64_t>(getLast().size()) != states)
    return emitOpError() << "has " << getInitial().size() << " initial and " << getLast().size()
                         << " last states, must have " << states << " of each";
  ArrayRef<int64_t> inputs = shape(getInputs()), weight = shape(getWeight()), state = shape(getInitial().front());
  if (inputs.size() != 3 || weight.size() != 2 || state.size() != 2 ||
      weight[1] != gates[static_cast<int>(getKind())] * weight[0] || inputs[2] != weight[1] || inputs[1] != state[0] ||
      state[1] != weight[0])
    return emitOpError() << "has inputs " << getInputs().getType() << ", states " << getInitial().front().getType()
                         << " and weight " << getWeight().getType() << ", must have [S, B, G H], [B, H] and [H, G H]";
  return success();
}
