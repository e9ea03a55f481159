//===- CanonicalOps.cpp - what ops of programs come from ------------------===//

#include "CanonicalOps.h"
#include "ane/Constraint/Origin.h"
#include "ane/Support/Diagnostics.h"

using namespace mlir;
using namespace mlir::ane;

CanonicalOps::CanonicalOps(IslandOp island) { add(island, island.getTwin()); }

CanonicalOps::CanonicalOps(ModuleOp module) {
  SymbolTableCollection symbols;
  module.walk([&](EvalOp eval) {
    auto procedure = symbols.lookupNearestSymbolFrom<func::FuncOp>(eval, eval.getProcedureAttr());
    auto twin = symbols.lookupNearestSymbolFrom<func::FuncOp>(eval, eval.getTwinAttr());
    if (procedure && twin && !twin.isExternal())
      add(procedure, twin.getBody());
  });
}

void CanonicalOps::add(Operation *engine, Region &twin) {
  for (Operation &op : twin.front().without_terminator())
    twins[engine].push_back(&op);
}

SmallVector<Operation *> CanonicalOps::originsOf(Operation *op) const {
  SmallVector<Operation *> origins;
  if (auto twin = twins.find(op->getParentOp()); twin != twins.end())
    for (int64_t place : originOf(op))
      if (place < int64_t(twin->second.size()))
        origins.push_back(twin->second[place]);
  return origins;
}

std::string CanonicalOps::nodeOf(Operation *op) const {
  SmallVector<Operation *> origins = originsOf(op);
  llvm::stable_sort(origins, [&](Operation *a, Operation *b) {
    return (a->getName() == op->getName()) > (b->getName() == op->getName());
  });
  for (Operation *origin : origins)
    if (std::string node = nodeName(origin->getLoc()); !node.empty())
      return node;
  return nodeName(op->getLoc());
}
