//===- AssignBlobs.cpp - records in weight files for large constants ------===//

#include "ane/Constraint/ConstantSources.h"
#include "ane/Constraint/Constraints.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/Support/RegionHash.h"
#include "ane/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"
#include <unordered_map>

namespace mlir::ane {
#define GEN_PASS_DEF_ASSIGNBLOBS
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
/// Numbers blobs by what they compute.
class BlobTable {
public:
  unsigned numberOf(BlobOp blob) {
    SmallVector<std::pair<BlobOp, unsigned>, 1> &alike = blobs[hashRegion(blob.getBody())];
    for (auto &[other, number] : alike)
      if (OperationEquivalence::isRegionEquivalentTo(&blob.getBody(), &other.getBody(),
                                                     OperationEquivalence::IgnoreLocations))
        return number;
    alike.push_back({blob, count});
    return count++;
  }

private:
  unsigned count = 0;
  std::unordered_map<size_t, SmallVector<std::pair<BlobOp, unsigned>, 1>> blobs; // by the hash of what they compute
};

/// Those that are records: others may stand in their expressions.
void forEachBlob(ProgramOp program, function_ref<void(BlobOp)> visit) {
  for (auto function : program.getBody().getOps<func::FuncOp>())
    for (BlobOp blob : function.getOps<BlobOp>())
      visit(blob);
}

int64_t bytesOf(BlobOp blob) {
  auto type = cast<RankedTensorType>(blob.getType());
  return (type.getNumElements() * type.getElementTypeBitWidth() + 7) / 8;
}

/// The records of one weight file, by the numbers of blobs.
struct BlobFile {
  BlobFile(const Twine &name, int64_t alignment) : name(name.str()), alignment(alignment), end(alignment) {}

  /// Gives the blob the offset of its record's descriptor.
  void assign(BlobOp blob, unsigned number) {
    int64_t &record = records[number];
    if (record == 0) {
      record = llvm::alignTo(end, alignment);
      end = record + alignment + bytesOf(blob); // descriptor, then data
    }
    blob.setFile(name);
    blob.setOffset(record);
  }

  std::string name;
  int64_t alignment, end;
  llvm::DenseMap<unsigned, int64_t> records; // never 0: the header comes first
};

struct Program {
  ProgramOp op;
  SmallVector<std::pair<BlobOp, unsigned>> blobs; // with their numbers
};

struct AssignBlobs : mlir::ane::impl::AssignBlobsBase<AssignBlobs> {
  using AssignBlobsBase::AssignBlobsBase;
  void runOnOperation() override {
    TargetEnv env = lookupTargetEnv(getOperation());
    int64_t alignment = env.limit(Limit::BlobAlignment);
    BlobTable table;
    std::vector<Program> programs;
    llvm::DenseMap<unsigned, llvm::SmallPtrSet<Operation *, 2>> readers; // of a number
    for (auto op : getOperation().getOps<ProgramOp>()) {
      Program &program = programs.emplace_back(Program{op, {}});
      for (auto function : op.getBody().getOps<func::FuncOp>())
        if (failed(outline(function)))
          return signalPassFailure();
      forEachBlob(op, [&](BlobOp blob) {
        program.blobs.push_back({blob, table.numberOf(blob)});
        readers[program.blobs.back().second].insert(op);
      });
    }
    // A second file pays for what is large. It would not be read beside a file for each constant.
    constexpr int64_t fewestBytes = 1 << 16;
    bool early = mayHold(ConstraintID::EarlyBlobs, env),
         mayShare = !early && !getOperation().lookupSymbol<ProgramOp>(sharedName);
    BlobFile shared("weights/" + Twine(sharedName) + ".bin", alignment);
    llvm::DenseMap<unsigned, std::string> singles; // files of one record, by the number of its blob
    for (Program &program : programs) {
      BlobFile own("weights/" + program.op.getName() + ".bin", alignment);
      for (auto [blob, number] : program.blobs)
        (mayShare && readers[number].size() > 1 && bytesOf(blob) >= fewestBytes ? shared : own).assign(blob, number);
      // Where files of several records are in doubt, few constants get a file each, which all such programs read.
      if (early && int64_t(own.records.size()) <= env.limit(Limit::WeightFiles))
        separate(program, alignment, singles);
    }
  }

  static constexpr StringLiteral sharedName = "shared";

  static void separate(Program &program, int64_t alignment, llvm::DenseMap<unsigned, std::string> &files) {
    int count = 0;
    for (auto [blob, number] : program.blobs) {
      std::string &name = files[number];
      if (name.empty())
        name = ("weights/" + program.op.getName() + "_" + Twine(count++) + ".bin").str();
      blob.setFile(name);
      blob.setOffset(alignment);
    }
  }

  /// Makes a blob of each constant expression that a computing op reads, and a plain constant of each small one.
  LogicalResult outline(func::FuncOp function) {
    // An expression of more levels than are walked at a time takes several rounds.
    while (true) {
      llvm::SmallSetVector<Value, 16> roots;
      for (Operation &op : function.front())
        if (!isConstantExpr(&op))
          for (Value operand : op.getOperands())
            if (isConstantExpr(operand) && !isOutlined(operand))
              roots.insert(operand);
      if (roots.empty())
        break;
      if (failed(outline(roots.getArrayRef())))
        return failure();
    }
    // What only blobs used is dead now.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.front())))
      if (op.use_empty() && isConstantExpr(&op))
        op.erase();
    return success();
  }

  /// Weight files have no bools, which packages print whatever their number.
  static bool isSmall(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    return type.getNumElements() < inlineElements || type.getElementType().isInteger(1);
  }

  static bool isOutlined(Value value) {
    auto constant = value.getDefiningOp<ConstOp>();
    return isSmall(value) ? constant && isa<DenseElementsAttr>(constant.getValue())
                          : bool(value.getDefiningOp<BlobOp>());
  }

  LogicalResult outline(ArrayRef<Value> roots) {
    for (Value root : roots) {
      OpBuilder builder(root.getContext());
      builder.setInsertionPointAfterValue(root);
      Operation *replacement;
      if (isSmall(root)) {
        FailureOr<DenseElementsAttr> value = evaluateToAttribute(root);
        if (failed(value))
          return failure();
        replacement = builder.create<ConstOp>(root.getLoc(), *value);
        // For the index of weights: who changes one of these would have to change the text.
        SmallVector<Attribute> sources;
        for (ConstOp weight : weightsOf(root))
          sources.push_back(weight.getValue());
        if (!sources.empty())
          attrs::sources.set(replacement, builder.getArrayAttr(sources));
      } else {
        replacement = outlineConstantExpr(builder, root);
      }
      root.replaceAllUsesWith(replacement->getResult(0));
    }
    return success();
  }
};
} // namespace
