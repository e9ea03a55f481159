//===- AssignNames.cpp - names of a program's values ----------------------===//

#include "ane/IR/DialectAttrs.h"
#include "ane/IR/FunctionAttrs.h"
#include "ane/Transforms/Passes.h"

namespace mlir::ane {
#define GEN_PASS_DEF_ASSIGNNAMES
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

/// "in00", "in01", ...: lower case and of one width, so that byte order, case-insensitive order and declared order
/// agree.
static std::string numbered(StringRef prefix, unsigned index, unsigned count) {
  size_t width = std::max<size_t>(2, std::to_string(count - 1).size());
  std::string digits = std::to_string(index);
  return (prefix + std::string(width - digits.size(), '0') + digits).str();
}

namespace {
struct AssignNames : mlir::ane::impl::AssignNamesBase<AssignNames> {
  using AssignNamesBase::AssignNamesBase;
  void runOnOperation() override {
    if (ports != "numbered" && ports != "model") {
      getOperation().emitError() << "ports = " << ports << ": numbered or model";
      return signalPassFailure();
    }
    for (auto program : getOperation().getOps<ProgramOp>()) {
      // Inputs and outputs of all procedures are in one list of the program's symbols (C142).
      Ports counts, next;
      for (auto function : program.getOps<func::FuncOp>()) {
        counts.inputs += function.getNumArguments();
        counts.outputs += function.getNumResults();
      }
      for (auto function : program.getOps<func::FuncOp>())
        assign(function, counts, next);
    }
  }

  struct Ports {
    unsigned inputs = 0, outputs = 0;
  };

  /// What the model calls it, or the number. The writer makes a name of MIL from it.
  std::string nameOf(StringAttr own, StringRef prefix, unsigned index, unsigned count) const {
    return ports == "model" && own && !own.getValue().empty() ? own.str() : numbered(prefix, index, count);
  }

  void assign(func::FuncOp function, const Ports &counts, Ports &next) {
    Builder builder(&getContext());
    SmallVector<Attribute> inputNames, outputNames;
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      inputNames.push_back(
          builder.getStringAttr(nameOf(attrs::ioName.ofArgument(function, i), "in", next.inputs++, counts.inputs)));
    setArgAttrs(function, attrs::portName, inputNames);
    llvm::DenseMap<Value, std::string> outputs;
    OperandRange returned = function.front().getTerminator()->getOperands();
    for (auto [i, value] : llvm::enumerate(returned)) {
      std::string name = nameOf(attrs::ioName.ofResult(function, i), "out", next.outputs++, counts.outputs);
      outputNames.push_back(builder.getStringAttr(name));
      outputs[value] = name;
    }
    setResultAttrs(function, attrs::portName, outputNames);
    // Other values: mnemonic and number, which cannot meet an input's or output's name.
    llvm::StringMap<unsigned> used;
    for (Operation &op : function.front().without_terminator()) {
      SmallVector<Attribute> names;
      for (Value result : op.getResults()) {
        auto output = outputs.find(result);
        StringRef mnemonic = isa<BlobOp>(op) ? "weight" : op.getName().stripDialect();
        std::string name = output != outputs.end() ? output->second : (mnemonic + "_" + Twine(used[mnemonic]++)).str();
        names.push_back(builder.getStringAttr(name));
      }
      attrs::name.set(&op, names.size() == 1 ? names[0] : builder.getArrayAttr(names));
    }
  }
};
} // namespace
