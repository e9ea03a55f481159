//===- ANEBase.td - base classes of the ops -----------------------------===//
#ifndef ANE_IR_ANEBASE_TD
#define ANE_IR_ANEBASE_TD

include "ane/IR/ANEAttrs.td"
include "ane/IR/ANEDialect.td"
include "ane/IR/ANEInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===-- types of operands and results -----------------------------------===//

def ANE_Tensor : StaticShapeTensorOf<[AnyFloat, AnyInteger]>;
def ANE_FloatTensor : StaticShapeTensorOf<[AnyFloat]>;
def ANE_IntTensor : StaticShapeTensorOf<[AnyInteger]>;
def ANE_BoolTensor : StaticShapeTensorOf<[I1]>;

//===-- compile-time parameters -----------------------------------------===//
// The storage type of a parameter says how MIL spells it: int32, tensor<int32, [n]>, bool, tensor<bool, [n]>, string, or
// a float in the dtype of the data.

defvar ANE_Int = I64Attr;
defvar ANE_Ints = DenseI64ArrayAttr;
defvar ANE_Bool = BoolAttr;
defvar ANE_Bools = DenseBoolArrayAttr;
defvar ANE_Str = StrAttr;
defvar ANE_Float = F64Attr;

class ANE_DefaultInt<string value> : DefaultValuedAttr<I64Attr, value>;
class ANE_DefaultBool<string value> : DefaultValuedAttr<BoolAttr, value>;
class ANE_DefaultStr<string value> : DefaultValuedStrAttr<StrAttr, value>;
class ANE_DefaultFloat<string value> : DefaultValuedAttr<F64Attr, value>;

//===-- ops -------------------------------------------------------------===//

class ANE_Op<string mnemonic, list<Trait> traits = []>
    : Op<ANE_Dialect, mnemonic, [CostOpInterface] # traits> {
  /// Declarations of the op's own; use this, not extraClassDeclaration, which the base classes fill.
  code extraDeclarations = "";
  let extraClassDeclaration = extraDeclarations;
}

/// A pure computation on tensors whose result types follow from its arguments.
class ANE_PureOp<string mnemonic, list<Trait> traits = []>
    : ANE_Op<mnemonic, [Pure, InferTypeOpAdaptor] # traits>;

/// The rows of a MIL argument table, made from an op's `arguments`.
class MILArgumentTable<dag args> {
  string rows = !interleave(!foreach(i, !range(!size(args)),
      "{\"" # !getdagname(args, i) # "\", ::mlir::ane::MILArgumentKind::" #
      !cond(!isa<Variadic>(!getdagarg<Constraint>(args, i)) : "VariadicValue",
            !isa<Optional>(!getdagarg<Constraint>(args, i)) : "OptionalValue",
            !isa<TypeConstraint>(!getdagarg<Constraint>(args, i)) : "Value",
            true : !subst("::mlir::", "", !getdagarg<Attr>(args, i).storageType)) # "}"), ", ");
}

/// An op that stands for the MIL operation of the same name.
class ANE_MILOp<string mnemonic, list<Trait> traits = []>
    : ANE_PureOp<mnemonic, [MILSpellingOpInterface] # traits> {
  /// First opset that has the operation (coreml-mlprogram.md 3).
  string opset = "ios15";
  let extraClassDeclaration = !strconcat([{
    static ::llvm::StringRef getMILName() { return "}], mnemonic, [{"; }
    static ::llvm::ArrayRef<::mlir::ane::MILArgument> getMILArguments() {
      static const ::mlir::ane::MILArgument table[] = {}], MILArgumentTable<arguments>.rows, [{};
      return table;
    }
    static ::mlir::ane::Opset getMinOpset() { return ::mlir::ane::Opset::}], opset, [{; }
  }], extraDeclarations);
}

#endif // ANE_IR_ANEBASE_TD
