//===- MergePrograms.cpp - several programs as procedures of one ----------===//

#include "ane/Constraint/Constraints.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

namespace mlir::ane {
#define GEN_PASS_DEF_MERGEPROGRAMS
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
/// Bytes in fp16 of constants, by what they compute.
using Weights = llvm::MapVector<size_t, int64_t>;

/// Programs that are to be one.
struct Bank {
  SmallVector<ProgramOp> members;
  int64_t procedures = 0;
  int64_t weightBytes = 0;
  Weights weights;

  int64_t sharedWith(const Bank &other) const {
    int64_t bytes = 0;
    for (auto &[constant, size] : other.weights)
      bytes += weights.contains(constant) ? size : 0;
    return bytes;
  }

  void add(Bank &&other) {
    members.append(other.members);
    procedures += other.procedures;
    weightBytes += other.weightBytes - sharedWith(other);
    for (auto &weight : other.weights)
      weights.insert(weight);
  }
};

/// Equal for constant expressions that compute the same. Only bytes are counted by it: what is emitted compares.
size_t hashOf(Value value) {
  Operation *op = value.getDefiningOp();
  return OperationEquivalence::computeHash(op, hashOf, OperationEquivalence::ignoreHashValue,
                                           OperationEquivalence::IgnoreLocations);
}

Bank describe(ProgramOp program) {
  Bank bank;
  bank.members.push_back(program);
  for (auto procedure : program.getOps<func::FuncOp>()) {
    ++bank.procedures;
    for (Operation &op : procedure.front())
      if (!isConstantExpr(&op))
        for (Value operand : op.getOperands())
          if (isConstantExpr(operand))
            bank.weights.insert({hashOf(operand), cast<RankedTensorType>(operand.getType()).getNumElements() * 2});
  }
  for (auto &[_, bytes] : bank.weights)
    bank.weightBytes += bytes;
  return bank;
}

struct MergePrograms : mlir::ane::impl::MergeProgramsBase<MergePrograms> {
  using MergeProgramsBase::MergeProgramsBase;

  void runOnOperation() override {
    if (!llvm::is_contained({"auto", "never", "always"}, when)) {
      getOperation().emitError() << "no answer '" << when << "' to when programs are merged: auto, never or always";
      return signalPassFailure();
    }
    TargetEnv env = lookupTargetEnv(getOperation());
    maxProcedures = env.limit(Limit::Procedures);
    maxBytes = env.limit(Limit::ProgramWeightBytes);
    SmallVector<ProgramOp> programs(getOperation().getOps<ProgramOp>());
    // What constants are counted in is the text of all procedures.
    if (when == "never" || maxProcedures <= 1 || programs.size() <= 1 || isEnforced(ConstraintID::WeightConstants, env))
      return;
    std::vector<Bank> banks;
    for (ProgramOp program : programs)
      banks.push_back(describe(program));
    if (when == "always") {
      joinNeighbours(banks, maxProcedures);
    } else {
      joinSharing(banks);
      // What a process can't compile one by one.
      int64_t budget = env.limit(Limit::CompiledPrograms);
      if (isEnforced(ConstraintID::C05, env) && int64_t(banks.size()) > budget)
        joinNeighbours(banks, llvm::divideCeil(banks.size(), budget));
    }
    SymbolTable symbols(getOperation());
    llvm::DenseMap<Attribute, SymbolRefAttr> moved;
    unsigned number = 0;
    for (Bank &bank : banks)
      if (bank.members.size() > 1)
        merge(bank, ("bank_" + Twine(number++)).str(), symbols, moved);
    getOperation().walk([&](EvalOp eval) {
      if (SymbolRefAttr procedure = moved.lookup(eval.getProcedure()))
        eval.setProcedureAttr(procedure);
    });
  }

  /// Adds each bank to the first one before it that has at least half of the smaller one's weights, too, which are
  /// then loaded once. Only the first to have a weight is asked: there may be thousands.
  void joinSharing(std::vector<Bank> &banks) {
    std::vector<Bank> joined;
    llvm::DenseMap<size_t, size_t> firstWith; // by constant
    for (Bank &bank : banks) {
      llvm::SmallSetVector<size_t, 8> others;
      for (auto &[constant, _] : bank.weights)
        if (auto first = firstWith.find(constant); first != firstWith.end())
          others.insert(first->second);
      auto place = llvm::find_if(others, [&](size_t other) {
        int64_t smaller = std::min(joined[other].weightBytes, bank.weightBytes);
        return joined[other].sharedWith(bank) * 2 >= smaller && fit(joined[other], bank);
      });
      size_t index = place == others.end() ? joined.size() : *place;
      for (auto &[constant, _] : bank.weights)
        firstWith.insert({constant, index});
      if (index == joined.size())
        joined.push_back(std::move(bank));
      else
        joined[index].add(std::move(bank));
    }
    banks = std::move(joined);
  }

  /// Adds each bank to the one before it as long as that has fewer than `most` of them.
  void joinNeighbours(std::vector<Bank> &banks, int64_t most) {
    std::vector<Bank> joined;
    int64_t count = 0;
    for (Bank &bank : banks) {
      if (!joined.empty() && count < most && fit(joined.back(), bank)) {
        joined.back().add(std::move(bank));
        ++count;
      } else {
        joined.push_back(std::move(bank));
        count = 1;
      }
    }
    banks = std::move(joined);
  }

  bool fit(const Bank &a, const Bank &b) const {
    ProgramOp first = a.members.front(), second = b.members.front();
    return a.procedures + b.procedures <= maxProcedures &&
           a.weightBytes + b.weightBytes - a.sharedWith(b) <= maxBytes &&
           first->getDiscardableAttrDictionary() == second->getDiscardableAttrDictionary();
  }

  /// Moves the procedures of all members to the first one's place, under the names of their programs.
  static void merge(const Bank &bank, StringRef name, SymbolTable &symbols,
                    llvm::DenseMap<Attribute, SymbolRefAttr> &moved) {
    ProgramOp first = bank.members.front();
    OpBuilder builder(first);
    auto program = builder.create<ProgramOp>(first.getLoc(), name);
    program->setDiscardableAttrs(first->getDiscardableAttrDictionary());
    symbols.insert(program, Block::iterator(first));
    Block *body = builder.createBlock(&program.getBody());
    SymbolTable procedures(program);
    for (ProgramOp member : bank.members) {
      for (auto procedure : llvm::make_early_inc_range(member.getOps<func::FuncOp>())) {
        auto before = SymbolRefAttr::get(member.getSymNameAttr(), {FlatSymbolRefAttr::get(procedure)});
        procedure->remove();
        procedure.setName(identifier(member.getName()));
        procedures.insert(procedure, body->end());
        moved[before] = SymbolRefAttr::get(program.getSymNameAttr(), {FlatSymbolRefAttr::get(procedure)});
      }
      symbols.erase(member);
    }
  }

  /// Names of functions in MIL are letters, digits and underscores.
  static std::string identifier(StringRef name) {
    std::string text = llvm::isDigit(name.front()) ? "_" : "";
    for (char c : name)
      text += llvm::isAlnum(c) ? c : '_';
    return text;
  }

  int64_t maxProcedures = 0, maxBytes = 0;
};
} // namespace
