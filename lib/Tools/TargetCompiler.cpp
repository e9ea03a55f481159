//===- TargetCompiler.cpp - one model for many targets --------------------===//

#include "TargetCompiler.h"
#include <map>

using namespace mlir;
using namespace mlir::ane;

FailureOr<Report> TargetCompiler::report(TargetAttr target, ArrayAttr keep) {
  OwningOpRef<ModuleOp> module = canonical.clone();
  setTarget(*module, target, keep);
  PassManager pm(module->getContext());
  pm.enableVerifier(false);
  buildPhases(pm, Phase::Canonical, Phase::Emittable, options);
  if (failed(pm.run(*module)))
    return failure();
  return makeReport(*module);
}

FailureOr<Matrix> TargetCompiler::matrix(StringRef model, ArrayRef<const ChipInfo *> chips, Route route, int64_t os,
                                         Strictness strictness, ArrayAttr keep) {
  Matrix matrix{model.str(), {}};
  // Of a chip passes know the tier and whether there is a path for MIL (TargetEnv), and findings its name where there
  // is none.
  std::map<Tier, size_t> done;
  for (const ChipInfo *chip : chips) {
    if (auto same = done.find(chip->tier); same != done.end() && chip->hasMIL) {
      Report report = matrix.rows[same->second].report;
      TargetEnv env(TargetAttr::get(canonical.getContext(), chip->target, route, os, Opset::ios16, strictness), keep);
      report.target = env.str();
      report.chips = {chip->target};
      matrix.rows.push_back({chip, std::move(report)});
      continue;
    }
    std::string error;
    FailureOr<TargetAttr> target = makeTarget(canonical.getContext(), chip, error, route, os, strictness);
    if (failed(target))
      return canonical.emitError() << error;
    FailureOr<Report> compiled = report(*target, keep);
    if (failed(compiled))
      return canonical.emitError() << "can't be compiled for " << chip->target;
    if (chip->hasMIL)
      done[chip->tier] = matrix.rows.size();
    matrix.rows.push_back({chip, std::move(*compiled)});
  }
  return matrix;
}

LogicalResult TargetCompiler::addLifts(Report &report, TargetAttr target, ArrayAttr keep) {
  MLIRContext *context = target.getContext();
  auto keeping = [&](ArrayRef<Attribute> rules) {
    SmallVector<Attribute> all = keep ? llvm::to_vector(keep.getValue()) : SmallVector<Attribute>();
    llvm::append_range(all, rules);
    return ArrayAttr::get(context, all);
  };
  auto saving = [&](ArrayRef<Attribute> rules) -> FailureOr<ReportTotals> {
    FailureOr<Report> other = this->report(target, keeping(rules));
    if (failed(other))
      return failure();
    return other->totals() - report.totals();
  };
  SmallVector<Attribute> lifted;
  for (const ConstraintInfo &record : allConstraints()) {
    SmallVector<const LiftInfo *> lifts = findLifts(record.id, TargetEnv(target, keep));
    auto rule = StringAttr::get(context, record.code);
    if (lifts.empty() || !isEnforced(record.id, TargetEnv(target, keeping(rule))))
      continue;
    lifted.push_back(rule);
    FailureOr<ReportTotals> saved = saving(rule);
    if (failed(saved))
      return failure();
    ReportedLift row{record.id, {}, {}, *saved};
    llvm::append_range(row.evidence, liftEvidence(lifts, TargetEnv(target, keep)));
    for (const LiftInfo *lift : lifts)
      row.reasons.push_back(lift->reason.str());
    report.lifts.push_back(std::move(row));
  }
  if (lifted.empty())
    return success();
  FailureOr<ReportTotals> saved = saving(lifted);
  if (failed(saved))
    return failure();
  report.saved = *saved;
  return success();
}
