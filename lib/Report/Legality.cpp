//===- Legality.cpp - what of a program nobody saw on its target -----------===//

#include "Legality.h"
#include "ane/Constraint/Legality.h"
#include "ane/IR/ConstantExpr.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::ane;

std::vector<InheritedLegality> mlir::ane::inheritedLegality(ModuleOp module) {
  TargetEnv env = lookupTargetEnv(module);
  llvm::MapVector<StringRef, int64_t> counts; // in the order of the programs
  for (auto program : module.getOps<ProgramOp>())
    for (auto procedure : program.getBody().getOps<func::FuncOp>())
      for (Operation &op : procedure.front().without_terminator())
        if (!isConstantExpr(&op) && !isa<BlobOp>(op))
          ++counts[op.getName().stripDialect()];
  std::vector<InheritedLegality> result;
  for (auto [op, count] : counts)
    for (Tier tier : env.getTiers()) {
      Legality legality = legalityOf(op, tier, env.getRoute(), env.getOS());
      std::string from = legality.inheritedFrom();
      if (env.getTiers().size() > 1)
        from += std::string(", for tier ") + tierName(tier);
      if (legality.isInherited())
        result.push_back({op.str(), count, textOf(legality.status).str(), from});
    }
  llvm::stable_sort(result, [](const auto &a, const auto &b) { return a.from < b.from; });
  return result;
}

void mlir::ane::printInheritedLegality(const std::vector<InheritedLegality> &ops, llvm::raw_ostream &os) {
  if (ops.empty())
    return;
  os << "\n" << llvm::formatv("{0,-34} {1,6}  {2}\n", "not seen on this tier and route", "count", "taken from");
  for (const InheritedLegality &op : ops)
    os << llvm::formatv("{0,-34} {1,6}  {2}: {3}\n", op.op, op.count, op.from, op.status);
}

llvm::json::Array mlir::ane::inheritedLegalityJSON(const std::vector<InheritedLegality> &ops) {
  llvm::json::Array array;
  for (const InheritedLegality &op : ops)
    array.push_back(llvm::json::Object{{"op", op.op}, {"count", op.count}, {"status", op.status}, {"from", op.from}});
  return array;
}
