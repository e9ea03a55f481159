//===- Import.cpp - a MIL file as a model ---------------------------------===//

#include "Convert.h"
#include "ane/IR/ANE.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/FunctionAttrs.h"
#include "ane/IR/StateAccess.h"
#include "ane/Support/InputFile.h"
#include "ane/Target/MIL/MIL.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::mil;

/// The name that MIL gives `value`.
static Attribute nameOf(func::FuncOp function, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return attrs::portName.ofArgument(function, argument.getArgNumber());
  Attribute name = attrs::name.get(value.getDefiningOp());
  if (auto list = dyn_cast_or_null<ArrayAttr>(name))
    return list[cast<OpResult>(value).getResultNumber()];
  return name;
}

/// The weights of the functions by their names in the text. A name that means other bytes in another function has its
/// function's before it.
static void nameWeights(ModuleOp module) {
  llvm::MapVector<Attribute, SmallVector<std::pair<func::FuncOp, Attribute>>> uses; // by name
  module.walk([&](ConstOp op) {
    auto function = op->getParentOfType<func::FuncOp>();
    auto blob = op->getParentOfType<BlobOp>();
    Attribute name = function ? nameOf(function, blob ? blob.getResult() : op.getResult()) : Attribute();
    if (name && isa<WeightAttr>(op.getValue()))
      uses[name].push_back({function, op.getValue()});
  });
  SmallVector<NamedAttribute> table;
  for (auto &[name, all] : uses) {
    StringRef plain = cast<StringAttr>(name).getValue();
    bool isOne = llvm::all_of(all, [&, first = all.front().second](auto &use) { return use.second == first; });
    for (auto [function, weight] : isOne ? ArrayRef(all).take_front() : ArrayRef(all))
      table.emplace_back(StringAttr::get(module.getContext(), isOne ? plain : function.getName() + ":" + Twine(plain)),
                         weight);
  }
  if (!table.empty())
    attrs::weights.set(module, DictionaryAttr::get(module.getContext(), table));
}

/// Names at the border become those of the model's inputs and outputs; the others, and the places of weights in their
/// files, are assigned anew when the bundle is made.
static void makeFunction(func::FuncOp function) {
  auto results = cast<func::ReturnOp>(function.front().getTerminator()).getOperands();
  auto namesOf = [&](ValueRange values) {
    return llvm::map_to_vector(values, [&](Value value) { return nameOf(function, value); });
  };
  SmallVector<Attribute> inputNames = namesOf(function.getArguments());
  setResultAttrs(function, attrs::ioName, namesOf(results));
  setArgAttrs(function, attrs::ioName, inputNames);
  setArgAttrs(function, attrs::portName, SmallVector<Attribute>(inputNames.size()));
  attrs::opset.remove(function);
  function.walk([](Operation *op) { attrs::name.remove(op); });
  for (BlobOp blob : llvm::make_early_inc_range(function.getOps<BlobOp>())) {
    Operation *data = &blob.getBody().front().front();
    data->moveBefore(blob);
    blob.replaceAllUsesWith(data->getResult(0));
    blob.erase();
  }
}

/// MIL reads and writes a state wherever it likes; a model reads each at its beginning and writes it at its end. What
/// is between are values.
static void makeStatesValues(func::FuncOp function) {
  llvm::MapVector<StringAttr, Value> current;
  SetVector<StringAttr> written;
  for (Operation &op : llvm::make_early_inc_range(function.front())) {
    StringAttr state = stateAccessOf(&op).state;
    if (auto read = dyn_cast<ReadStateOp>(op)) {
      auto [known, isFirst] = current.try_emplace(state, read.getResult());
      if (isFirst)
        continue;
      read.getResult().replaceAllUsesWith(known->second);
      read.erase();
    } else if (auto write = dyn_cast<WriteStateOp>(op)) {
      current[state] = write.getData();
      written.insert(state);
      write.erase();
    }
  }
  OpBuilder builder(function.front().getTerminator());
  for (StringAttr state : written)
    builder.create<WriteStateOp>(current[state].getLoc(), FlatSymbolRefAttr::get(state), current[state]);
}

/// The functions of the only program become those of the module.
static void makeModel(ModuleOp module) {
  nameWeights(module);
  for (ProgramOp program : llvm::make_early_inc_range(module.getOps<ProgramOp>())) {
    for (StateOp state : llvm::make_early_inc_range(program.getOps<StateOp>()))
      state->moveBefore(program);
    for (func::FuncOp function : llvm::make_early_inc_range(program.getOps<func::FuncOp>())) {
      function->moveBefore(program);
      makeFunction(function);
      makeStatesValues(function);
    }
    program.erase();
  }
}

OwningOpRef<ModuleOp> mlir::ane::mil::importProgram(const text::Program &program, const DeserializeOptions &options,
                                                    MLIRContext *context) {
  OwningOpRef<ModuleOp> module = deserialize(program, options, context);
  if (module)
    makeModel(*module);
  return module;
}

OwningOpRef<ModuleOp> mlir::ane::mil::importProgram(StringRef path, MLIRContext *context) {
  auto buffer = readInputFile(path, /*isText=*/true);
  if (!buffer) {
    emitError(FileLineColLoc::get(context, path, 0, 0)) << llvm::toString(buffer.takeError());
    return {};
  }
  StringRef folder = llvm::sys::path::parent_path(path);
  OwningOpRef<ModuleOp> module =
      deserialize((*buffer)->getBuffer(), {path.str(), folder.empty() ? "." : folder.str()}, context);
  if (module)
    makeModel(*module);
  return module;
}
