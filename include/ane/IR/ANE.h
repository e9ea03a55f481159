//===- ANE.h - the ane dialect ---------------------------------*- C++ -*-===//
//
// The one header that users of the dialect include.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_IR_ANE_H
#define ANE_IR_ANE_H

#include "ane/IR/FloatRange.h"
#include "ane/IR/Relayout.h"
#include "ane/IR/ShapeAlgebra.h"
#include "ane/IR/Window.h"
#include "ane/Support/WeightTable.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::ane {

/// Trait of ops that compute each element of the result from the operands' elements at its place (after broadcasting):
/// reshapes and transposes move past them.
template <typename ConcreteType>
class BroadcastElementwise : public OpTrait::TraitBase<ConcreteType, BroadcastElementwise> {};

/// Trait of ops that expand a compressed constant: all operands are constants.
template <typename ConcreteType>
class ExpandsConstant : public OpTrait::TraitBase<ConcreteType, ExpandsConstant> {};

} // namespace mlir::ane

#include "ane/IR/ANEDialect.h.inc"
#include "ane/IR/ANEEnums.h.inc"
#include "ane/IR/BlockType.h.inc"

namespace mlir::ane {

/// How an argument of a MIL operation is given: a value, or a compile-time parameter named after the attribute class
/// that holds it (which says how MIL spells it).
enum class MILArgumentKind {
  Value,              // an operand
  OptionalValue,      // an operand that may be absent
  VariadicValue,      // any number of operands, a tuple in MIL
  IntegerAttr,        // int32 scalar
  DenseI64ArrayAttr,  // tensor<int32, [n]>
  BoolAttr,           // bool scalar
  DenseBoolArrayAttr, // tensor<bool, [n]>
  StringAttr,         // string
  FloatAttr,          // float scalar in the dtype of the data
  FlatSymbolRefAttr,  // a state, by the name of its ane.state
};

/// How a compile-time parameter is spelled that is not like the others of its kind.
enum class MILForm {
  Usual,
  Fp32,   // a number, whatever the data are
  UInt32, // an integer
  Pairs,  // a list as a matrix [n / 2, 2]
  Tuple,  // a list as a tuple of scalars
  Bounds, // a list of indices, of which int32 is as far as any axis reaches
};

/// One argument of a MIL operation. The name is both the MIL name and the ODS name.
struct MILArgument {
  const char *name;
  MILArgumentKind kind;
  MILForm form = MILForm::Usual;
  Opset since = Opset::ios15; // first opset whose operation has it
};

} // namespace mlir::ane

#define GET_ATTRDEF_CLASSES
#include "ane/IR/ANEAttrs.h.inc"

#include "ane/IR/ANEOpInterfaces.h.inc"

#define GET_OP_CLASSES
#include "ane/IR/ANEOps.h.inc"

#endif // ANE_IR_ANE_H
