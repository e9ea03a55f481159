//===- ANEInterfaces.td - op interfaces of the ane dialect --------------===//
#ifndef ANE_IR_ANEINTERFACES_TD
#define ANE_IR_ANEINTERFACES_TD

include "mlir/IR/OpBase.td"

def MILSpellingOpInterface : OpInterface<"MILSpellingOpInterface"> {
  let description = [{
    An op with a MIL operation of the same name. The argument table is generated from the op record: the serialiser and
    the deserialiser walk it, neither knows single ops. The methods are static: the deserialiser asks before there is an
    op.
  }];
  let cppNamespace = "::mlir::ane";
  let methods = [
    StaticInterfaceMethod<"Name of the MIL operation.", "::llvm::StringRef", "getMILName">,
    StaticInterfaceMethod<"MIL arguments in the order of the record.", "::llvm::ArrayRef<::mlir::ane::MILArgument>", "getMILArguments">,
    StaticInterfaceMethod<"First opset that has the operation.", "::mlir::ane::Opset", "getMinOpset">,
    StaticInterfaceMethod<"Whether the arguments stand inline among the attributes of the statement.", "bool", "hasArgumentsInBrackets">
  ];
}

def DecomposableOpInterface : OpInterface<"DecomposableOpInterface"> {
  let description = [{An op that can be written with simpler ops of the dialect.}];
  let cppNamespace = "::mlir::ane";
  let methods = [
    InterfaceMethod<[{
      Builds the op's meaning in simpler ops before it and returns the values that replace its results. The types of the
      values equal the result types. Fails, building nothing, when the op can't be decomposed as it is.
    }], "::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>", "decompose", (ins "::mlir::OpBuilder &":$builder)>
  ];
}

def CostOpInterface : OpInterface<"CostOpInterface"> {
  let description = [{What an op costs: input of the partitioner and of the report.}];
  let cppNamespace = "::mlir::ane";
  let methods = [
    InterfaceMethod<[{
      Floating-point operations of one execution (a multiply-add counts two). The default is one per result element;
      ops that only move data say 0.
    }], "int64_t", "getFlops", (ins), "", [{
      int64_t flops = 0;
      for (::mlir::Type type : $_op->getResultTypes())
        if (auto tensor = ::llvm::dyn_cast<::mlir::RankedTensorType>(type); tensor && tensor.hasStaticShape())
          flops += tensor.getNumElements();
      return flops;
    }]>
  ];
}

def ValueRangeOpInterface : OpInterface<"ValueRangeOpInterface"> {
  let description = [{
    An op that bounds its results' elements, given bounds of its operands', as InferIntRangeInterface does for integers. The
    rule is field `range` of the record. What it says holds in exact arithmetic.
  }];
  let cppNamespace = "::mlir::ane";
  let methods = [
    InterfaceMethod<[{
      Calls `setRange` for results that have bounds. `ranges` has an entry for each operand; those of values that are no floats
      are unbounded, and what is set for such results is ignored.
    }], "void", "inferResultRanges",
        (ins "::llvm::ArrayRef<::mlir::ane::FloatRange>":$ranges, "::mlir::ane::SetFloatRange":$setRange)>
  ];
}

def StridedViewOpInterface : OpInterface<"StridedViewOpInterface"> {
  let description = [{
    An op that computes nothing: its results hold elements of the first operand, found by strides. The rule is field `view` of
    the record.
  }];
  let cppNamespace = "::mlir::ane";
  let methods = [
    InterfaceMethod<[{
      Result `number` as a view of what `x` is a view of, where `x` has the shape of the first operand; nothing where strides
      can't say it, which may be only because of those of `x`.
    }], "std::optional<::mlir::ane::StridedView>", "viewResult",
        (ins "const ::mlir::ane::StridedView &":$x, "unsigned":$number)>
  ];
}

def ReductionOpInterface : OpInterface<"ReductionOpInterface"> {
  let description = [{An op whose every result takes all elements of the first operand along some axes.}];
  let cppNamespace = "::mlir::ane";
  let methods = [
    InterfaceMethod<"These axes, counted from the front, ascending.", "::llvm::SmallVector<int64_t>", "getReducedAxes", (ins),
                    "", [{
      ::llvm::SmallVector<int64_t> axes = $_op.getAxesFromFront();
      ::llvm::sort(axes);
      return axes;
    }]>
  ];
}

#endif // ANE_IR_ANEINTERFACES_TD
