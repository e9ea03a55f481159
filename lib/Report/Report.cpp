//===- Report.cpp - collects where each op runs, and why ------------------===//

#include "ane/Report/Report.h"
#include "CanonicalOps.h"
#include "Legality.h"
#include "Predict.h"
#include "Values.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/StateAccess.h"
#include "ane/IR/Training.h"
#include "ane/Support/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include <map>

using namespace mlir;
using namespace mlir::ane;

std::string mlir::ane::procedureName(func::FuncOp procedure) {
  auto program = cast<ProgramOp>(procedure->getParentOp());
  bool isOnly = llvm::hasSingleElement(program.getOps<func::FuncOp>());
  return (program.getName() + (isOnly ? Twine() : "." + Twine(procedure.getName()))).str();
}

static func::FuncOp procedureOf(EvalOp eval) {
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(eval, eval.getProcedureAttr());
}

void mlir::ane::visitPlacedOps(ModuleOp module, function_ref<void(Operation *op, StringRef where, bool engine)> visit) {
  SymbolTable symbols(module);
  auto visitBody = [&](StringRef function, StringRef where, bool engine) {
    for (Operation &op : symbols.lookup<func::FuncOp>(function).front().without_terminator())
      if (!isConstantExpr(&op))
        visit(&op, where, engine);
  };
  for (auto plan : module.getOps<func::FuncOp>()) {
    if (plan.isPrivate() || plan.isExternal())
      continue;
    for (Operation &op : plan.front().without_terminator()) {
      if (auto eval = dyn_cast<EvalOp>(op))
        visitBody(eval.getTwin(), procedureName(procedureOf(eval)), true);
      else if (auto call = dyn_cast<func::CallOp>(op))
        visitBody(call.getCallee(), call.getCallee(), false);
    }
  }
}

/// Bytes by place: records may be shared.
using Records = std::map<std::pair<StringRef, int64_t>, int64_t>;

static int64_t bytesOf(const Records &records) {
  int64_t total = 0;
  for (auto &[place, bytes] : records)
    total += bytes;
  return total;
}

/// Adds the weights that it reads to `records`.
static ReportedProcedure describe(func::FuncOp procedure, Records &records) {
  ReportedProcedure row{procedure.getName().str()};
  for (Operation &op : procedure.front().without_terminator()) {
    if (auto blob = dyn_cast<BlobOp>(op)) {
      auto type = cast<RankedTensorType>(blob.getType());
      records[{blob.getFile(), blob.getOffset()}] = type.getNumElements() * elementBytes(type.getElementType());
    } else if (!isConstantExpr(&op)) {
      ++row.operations;
    }
  }
  for (unsigned i = 0; i < procedure.getNumArguments(); ++i)
    if (auto surface = attrs::surface.ofArgument(procedure, i))
      row.inputBytes += surface.getBytes();
  for (unsigned i = 0; i < procedure.getNumResults(); ++i)
    if (auto surface = attrs::surface.ofResult(procedure, i))
      row.outputBytes += surface.getBytes();
  return row;
}

static ReportedProgram describe(ProgramOp program) {
  ReportedProgram row;
  row.name = program.getName().str();
  Records records;
  for (auto procedure : program.getOps<func::FuncOp>()) {
    ReportedProcedure own = describe(procedure, records);
    row.operations += own.operations;
    row.inputBytes += own.inputBytes;
    row.outputBytes += own.outputBytes;
    row.procedures.push_back(std::move(own));
  }
  if (row.procedures.size() == 1)
    row.procedures.clear();
  row.weightBytes = bytesOf(records);
  return row;
}

static ReportedAdvice describe(const Violation &found, func::FuncOp procedure, const CanonicalOps &canonical) {
  const ConstraintInfo &record = info(found.id);
  std::string node = canonical.nodeOf(found.op);
  if (record.scope == Scope::PerProgram)
    node = procedureName(procedure);
  else if (node.empty())
    node = found.op->getName().getStringRef().str();
  return {(record.code + " " + record.slug).str(), node, found.text()};
}

static void addAdvice(Report &report, ProgramOp program, const CanonicalOps &canonical, const TargetEnv &env) {
  for (auto procedure : program.getBody().getOps<func::FuncOp>()) {
    for (const Violation &found : findAdvice(procedure.getBody(), env))
      report.advice.push_back(describe(found, procedure, canonical));
    for (const Violation &found : findDoubts(procedure.getBody(), env))
      report.doubts.push_back(describe(found, procedure, canonical));
  }
}

namespace {
/// What ops of the backward pass read that other steps have computed without it.
class KeptValues {
public:
  explicit KeptValues(func::FuncOp plan) : values(gradientInputs(plan)) {
    if (values.empty())
      return;
    SymbolTable symbols(plan->getParentOfType<ModuleOp>());
    for (Operation &step : plan.front().without_terminator()) {
      if (auto eval = dyn_cast<EvalOp>(step))
        visit(&step, symbols.lookup<func::FuncOp>(eval.getTwin()));
      else if (auto call = dyn_cast<func::CallOp>(step))
        visit(&step, symbols.lookup<func::FuncOp>(call.getCallee()));
    }
  }

  /// As fp16.
  int64_t bytes() const {
    int64_t total = 0;
    for (Value value : kept)
      total += 2 * cast<RankedTensorType>(value.getType()).getNumElements();
    return total;
  }

private:
  void visit(Operation *step, func::FuncOp body) {
    for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), step->getOperands()))
      if (values.contains(operand))
        values.insert(argument);
    for (Operation &op : body.front().without_terminator()) {
      bool isGradient = llvm::any_of(op.getOperands(), [&](Value operand) { return values.contains(operand); });
      if (isGradient)
        values.insert(op.result_begin(), op.result_end());
      if (!isGradient && !attrs::recomputed.isOn(&op))
        continue;
      for (Value operand : op.getOperands())
        if (auto argument = dyn_cast<BlockArgument>(operand); argument && !values.contains(argument))
          if (Value read = step->getOperand(argument.getArgNumber()); read.getDefiningOp())
            kept.insert(read);
    }
    for (auto [result, returned] : llvm::zip_equal(step->getResults(), body.front().getTerminator()->getOperands()))
      if (values.contains(returned))
        values.insert(result);
  }

  DenseSet<Value> values, kept; // of gradients; of the forward pass
};
} // namespace

/// After its ops, which name the program or CPU function that they are in.
static void addFunction(Report &report, func::FuncOp plan) {
  ReportedFunction row{plan.getName().str()};
  llvm::StringSet<> called;
  for (Operation &op : plan.front()) {
    if (auto eval = dyn_cast<EvalOp>(op)) {
      ++row.evaluations;
      called.insert(procedureName(procedureOf(eval)));
      Records records;
      ReportedProcedure procedure = describe(procedureOf(eval), records);
      row.weightBytes += bytesOf(records);
      row.surfaceBytes += procedure.inputBytes + procedure.outputBytes;
    } else if (auto call = dyn_cast<func::CallOp>(op)) {
      called.insert(call.getCallee());
    }
    StateAccess access = stateAccessOf(&op);
    row.statesUpdated += access.updates();
    row.statesWritten += access.onlyWrites();
  }
  for (const ReportedOp &op : report.ops) {
    bool isOurs = called.contains(op.where);
    row.flops += isOurs ? op.flops : 0;
    row.engineFlops += isOurs && op.engine ? op.flops : 0;
    row.recomputedFlops += isOurs && op.recomputed ? op.flops : 0;
  }
  row.keptBytes = KeptValues(plan).bytes();
  if (row.evaluations > 0)
    for (const std::string &chip : report.chips)
      row.predicted.push_back(predict(row, chip));
  report.evaluations += row.evaluations;
  report.functions.push_back(std::move(row));
}

Report mlir::ane::makeReport(ModuleOp module) {
  Report report;
  TargetEnv env = lookupTargetEnv(module);
  report.target = env.str();
  for (StringRef chip : env.getChips())
    report.chips.push_back(chip.str());
  report.route = stringifyRoute(env.getRoute());
  report.strictness = stringifyStrictness(env.getStrictness());
  report.os = env.getOS();
  report.prefersSpeed = env.prefersSpeed();
  report.values = narrowedValues(module);
  visitPlacedOps(module, [&](Operation *op, StringRef where, bool engine) {
    if (isa<NarrowOp>(op)) // no op of the model: under `values`
      return;
    ReportedOp row{nodeName(op->getLoc()),
                   op->getName().stripDialect().str(),
                   engine,
                   where.str(),
                   0,
                   attrs::recomputed.isOn(op),
                   "",
                   "",
                   {}};
    llvm::append_range(row.origins, originsOf(op->getLoc()));
    if (auto cost = dyn_cast<CostOpInterface>(op))
      row.flops = cost.getFlops();
    if (auto host = attrs::host.get(op)) {
      row.constraint = host.getConstraint().str();
      row.reason = host.getReason().str();
    }
    report.flops += row.flops;
    report.engineFlops += engine ? row.flops : 0;
    report.ops.push_back(std::move(row));
  });
  for (auto plan : module.getOps<func::FuncOp>())
    if (!plan.isPrivate() && !plan.isExternal())
      addFunction(report, plan);
  CanonicalOps canonical(module);
  for (auto program : module.getOps<ProgramOp>()) {
    report.programs.push_back(describe(program));
    addAdvice(report, program, canonical, env);
  }
  report.inherited = inheritedLegality(module);
  return report;
}

ReportTotals ReportTotals::operator-(const ReportTotals &other) const {
  return {operations - other.operations, weightBytes - other.weightBytes, surfaceBytes - other.surfaceBytes,
          programs - other.programs, hostOps - other.hostOps};
}

ReportTotals Report::totals() const {
  ReportTotals totals;
  totals.programs = programs.size();
  for (const ReportedProgram &program : programs) {
    totals.operations += program.operations;
    totals.weightBytes += program.weightBytes;
    totals.surfaceBytes += program.inputBytes + program.outputBytes;
  }
  totals.hostOps = llvm::count_if(ops, [](const ReportedOp &op) { return !op.engine; });
  return totals;
}

const ReportedFunction *Report::findBelow(double share) const {
  auto below = llvm::find_if(functions, [&](const ReportedFunction &function) { return !function.reaches(share); });
  return below == functions.end() ? nullptr : &*below;
}
