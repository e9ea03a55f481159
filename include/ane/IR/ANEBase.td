//===- ANEBase.td - base classes of the ops -----------------------------===//
#ifndef ANE_IR_ANEBASE_TD
#define ANE_IR_ANEBASE_TD

include "ane/IR/ANEAttrs.td"
include "ane/IR/ANEDialect.td"
include "ane/IR/ANEInterfaces.td"
include "ane/IR/OpGroups.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===-- types of operands and results -----------------------------------===//

/// What ops compute with; other floats are elements of constants only.
def ANE_Number : AnyTypeOf<[F16, BF16, F32, F64]>;
def ANE_Tensor : StaticShapeTensorOf<[AnyFloat, AnyInteger]>;
def ANE_FloatTensor : StaticShapeTensorOf<[ANE_Number]>;
def ANE_IntTensor : StaticShapeTensorOf<[AnyInteger]>;
def ANE_BoolTensor : StaticShapeTensorOf<[I1]>;

def ANE_Integer : Type<And<[AnyInteger.predicate, CPred<"!$_self.isInteger(1)">,
                            CPred<"$_self.getIntOrFloatBitWidth() <= 64">]>, "integer of at most 64 bits (not bool)">;
def ANE_NumberTensor : StaticShapeTensorOf<[ANE_Number, ANE_Integer]>;
def ANE_IndexTensor : StaticShapeTensorOf<[ANE_Integer]>;
/// What can be compared.
def ANE_ElementTensor : StaticShapeTensorOf<[ANE_Number, ANE_Integer, I1]>;

//===-- compile-time parameters -----------------------------------------===//
// The storage type of a parameter says how MIL spells it: int32, tensor<int32, [n]>, bool, tensor<bool, [n]>, string, or
// a float in the dtype of the data.

def ANE_Int : TypedSignlessIntegerAttrBase<I64, "int64_t", "64-bit integer attribute"> {
  let convertFromStorage = "$_self.getInt()";
}
defvar ANE_Ints = DenseI64ArrayAttr;
defvar ANE_Bool = BoolAttr;
defvar ANE_Bools = DenseBoolArrayAttr;
defvar ANE_Str = StrAttr;
defvar ANE_Float = F64Attr;

class ANE_DefaultInt<string value> : DefaultValuedAttr<ANE_Int, value>;
class ANE_DefaultBool<string value> : DefaultValuedAttr<BoolAttr, value>;
class ANE_DefaultStr<string value> : DefaultValuedStrAttr<StrAttr, value>;
class ANE_DefaultFloat<string value> : DefaultValuedAttr<F64Attr, value>;

defvar ANE_OptInt = OptionalAttr<ANE_Int>;
defvar ANE_OptInts = OptionalAttr<ANE_Ints>;
defvar ANE_OptBool = OptionalAttr<ANE_Bool>;
defvar ANE_OptBools = OptionalAttr<ANE_Bools>;
defvar ANE_OptStr = OptionalAttr<ANE_Str>;

/// A parameter that MIL spells otherwise than the rest of its storage type, or has from a later opset than the operation.
class ANE_Spelled<Attr attr, string milForm, string opset> : Attr<attr.predicate, attr.summary> {
  let storageType = attr.storageType;
  let returnType = attr.returnType;
  let convertFromStorage = attr.convertFromStorage;
  let constBuilderCall = attr.constBuilderCall;
  let defaultValue = attr.defaultValue;
  let valueType = attr.valueType;
  let isOptional = attr.isOptional;
  let baseAttr = attr;
  /// An enumerator of MILForm (ANE.h).
  string form = milForm;
  string since = opset;
}

// Type domains of coremltools 9.0 (SSAOpRegistry) that differ from "int32, bool, or the element type of the data".
class ANE_AsFp32<Attr attr> : ANE_Spelled<attr, "Fp32", "ios15">;
class ANE_AsUInt32<Attr attr> : ANE_Spelled<attr, "UInt32", "ios15">;
class ANE_AsPairs<Attr attr> : ANE_Spelled<attr, "Pairs", "ios15">;
class ANE_AsTuple<Attr attr> : ANE_Spelled<attr, "Tuple", "ios15">;
class ANE_AsBounds<Attr attr> : ANE_Spelled<attr, "Bounds", "ios15">;
// Arguments that coremltools' definition of the operation has only from an opset on, of those newer than ios16, the oldest
// that is written.
class ANE_FromIos17<Attr attr> : ANE_Spelled<attr, "Usual", "ios17">;
class ANE_FromIos18<Attr attr> : ANE_Spelled<attr, "Usual", "ios18">;

//===-- ops -------------------------------------------------------------===//

class HasArgument<dag args, string name> {
  bit value = !foldl(0, !range(!size(args)), found, i, !or(found, !eq(!getdagname(args, i), name)));
}

class ANE_Op<string mnemonic, list<Trait> ownTraits = []> : Op<ANE_Dialect, mnemonic> {
  /// C++ expression (a FloatRange) of bounds of every element of each result: `x` and `y` are those of the first two operands,
  /// `ranges` those of all (FloatRange.h); empty: none.
  string range = "";
  /// What an element-wise op makes of one element of each operand: C++ expression of operands and of parameters that are numbers
  /// or strings, all by their names, in the arithmetic of Number.h, which says what rounding, overflow and NaN do. It is
  /// meant for every element type that the operands may have. The evaluation of constants and CPU code are this expression.
  string meaning = "";
  /// Whether that is no more than a few cycles a vector: it is then computed again where it is needed rather than stored.
  bit isCheap = 0;
  /// C++ expression (a StridedView, perhaps an optional one) of the elements of result `number` as a view of those of the
  /// first operand, `x`; empty: the op computes.
  string view = "";
  /// The value (C++ expression) whose axes parameters `axis` and `axes` name, where the record has them and they can't be
  /// left out with a meaning of their own.
  string axesOf = "";
  /// The groups that the op is in, for constraints that are about all ops of one.
  list<OpGroup> groups = [];
  let traits = [CostOpInterface] # ownTraits # !if(!empty(range), [], [ValueRangeOpInterface]) #
               !if(!empty(view), [], [StridedViewOpInterface]);
  /// Declarations of the op's own; use this, not extraClassDeclaration, which the base classes fill.
  code extraDeclarations = "";
  /// C++ expression of `getFlops`; empty: one per result element.
  string flops = "";
  code rangeDeclaration = !if(!empty(range), "", [{
    void inferResultRanges(::llvm::ArrayRef<::mlir::ane::FloatRange> ranges, ::mlir::ane::SetFloatRange setRange) {
      [[maybe_unused]] ::mlir::ane::FloatRange x = ranges.front(), y = ranges.size() > 1 ? ranges[1] : x;
      for (::mlir::Value result : getOperation()->getResults())
        setRange(result, }] # range # [{);
    }
  }]);
  code viewDeclaration = !if(!empty(view), "", [{
    std::optional<::mlir::ane::StridedView> viewResult(const ::mlir::ane::StridedView &x,
                                                       [[maybe_unused]] unsigned number) {
      return }] # view # [{;
    }
  }]);
  code axisDeclaration = !if(!or(!empty(axesOf), !not(HasArgument<arguments, "axis">.value)), "", [{
    /// `axis` counted from the front.
    int64_t getAxisFromFront() { return *::mlir::ane::axisFromFront(getAxis(), }] # axesOf # [{.getType().getRank()); }
  }]);
  code axesDeclaration = !if(!or(!empty(axesOf), !not(HasArgument<arguments, "axes">.value)), "", [{
    /// `axes` counted from the front, in the order of the parameter.
    ::llvm::SmallVector<int64_t> getAxesFromFront() {
      return *::mlir::ane::normalizeAxes(std::nullopt, getAxes(), }] # axesOf # [{.getType().getRank());
    }
  }]);
  code ownDeclarations = !if(!empty(flops), "", "int64_t getFlops() { return " # flops # "; }") # rangeDeclaration #
                         viewDeclaration # axisDeclaration # axesDeclaration # extraDeclarations;
  let extraClassDeclaration = ownDeclarations;
}

/// InferTypeOpAdaptor, except that inference also works where only a dictionary of attributes exists (the parser, and
/// generic builders): upstream's adaptor then reads empty properties.
def ANE_InferTypes : TraitList<[
  DeclareOpInterfaceMethods<InferTypeOpInterface>,
  NativeOpTrait<"InferTypeOpAdaptor", [], [{
    static ::llvm::LogicalResult inferReturnTypes(::mlir::MLIRContext *context,
                                                  std::optional<::mlir::Location> location, Adaptor adaptor,
                                                  ::llvm::SmallVectorImpl<::mlir::Type> &types);
  }], [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location> location, ::mlir::ValueRange operands,
        ::mlir::DictionaryAttr attributes, ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::mlir::ane::inferWithProperties<$cppClass>(context, location, operands, attributes, properties, regions,
                                                         types);
    }
  }]>]>;

/// Each element of the result depends on the elements of the operands at its place; operands broadcast as in NumPy.
def ANE_Elementwise : NativeOpTrait<"BroadcastElementwise"> { let cppNamespace = "::mlir::ane"; }

/// Expands a compressed constant; all operands are constants.
def ANE_ExpandsConstant : NativeOpTrait<"ExpandsConstant"> { let cppNamespace = "::mlir::ane"; }

/// A pure computation on tensors whose result types follow from its arguments.
class ANE_PureOp<string mnemonic, list<Trait> traits = []>
    : ANE_Op<mnemonic, [Pure, ANE_InferTypes] # traits> {
  /// C++ expression (a LogicalResult of `loc`, `adaptor` and `types`) that infers the result types with a rule of
  /// `ane/IR/Inference.h`; empty: the family's .cpp file defines `inferReturnTypes`.
  string inference = "";
  let extraClassDefinition = !if(!empty(inference), "", [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *, std::optional<::mlir::Location> loc,
                                                      Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return }] # inference # [{;
    }
  }]);
  // The result types are written, too, where they say more than the operand types.
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

/// The rows of a MIL argument table, made from an op's `arguments`.
class MILArgumentTable<dag args> {
  string rows = !interleave(!foreach(i, !range(!size(args)),
      "{\"" # !getdagname(args, i) # "\", ::mlir::ane::MILArgumentKind::" #
      !cond(!isa<Variadic>(!getdagarg<Constraint>(args, i)) : "VariadicValue",
            !isa<Optional>(!getdagarg<Constraint>(args, i)) : "OptionalValue",
            !isa<TypeConstraint>(!getdagarg<Constraint>(args, i)) : "Value",
            true : !subst("::mlir::", "", !getdagarg<Attr>(args, i).storageType)) #
      !if(!isa<ANE_Spelled>(!getdagarg<Constraint>(args, i)),
          ", ::mlir::ane::MILForm::" # !getdagarg<ANE_Spelled>(args, i).form # ", ::mlir::ane::Opset::" #
              !getdagarg<ANE_Spelled>(args, i).since, "") # "}"), ", ");
}

/// C++ declarations of MILSpellingOpInterface.
class MILSpelling<string mnemonic, dag args, string opset, bit inBrackets = 0> {
  code declarations = !strconcat([{
    static ::llvm::StringRef getMILName() { return "}], mnemonic, [{"; }
    static ::llvm::ArrayRef<::mlir::ane::MILArgument> getMILArguments() {
      static const ::mlir::ane::MILArgument table[] = {}], MILArgumentTable<args>.rows, [{};
      return table;
    }
    static ::mlir::ane::Opset getMinOpset() { return ::mlir::ane::Opset::}], opset, [{; }
    static bool hasArgumentsInBrackets() { return }], !if(inBrackets, "true", "false"), [{; }
  }]);
}

/// An op that stands for the MIL operation of the same name.
class ANE_MILOp<string mnemonic, list<Trait> traits = []>
    : ANE_PureOp<mnemonic, [MILSpellingOpInterface] # traits> {
  /// First opset that has the operation (coreml-mlprogram.md 3).
  string opset = "ios15";
  /// `constexpr_cast()[output_dtype = ..., ...]`: the arguments, inline, are among the attributes of the statement.
  bit inBrackets = 0;
  let extraClassDeclaration = MILSpelling<mnemonic, arguments, opset, inBrackets>.declarations # ownDeclarations;
}

/// For ops that implement DecomposableOpInterface.
defvar ANE_Decomposable = DeclareOpInterfaceMethods<DecomposableOpInterface>;

#endif // ANE_IR_ANEBASE_TD
