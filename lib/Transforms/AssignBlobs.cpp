//===- AssignBlobs.cpp - records in weight files for large constants ------===//

#include "ane/Constraint/Constraints.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ane {
#define GEN_PASS_DEF_ASSIGNBLOBS
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
/// The records of one weight file.
class BlobFile {
public:
  BlobFile(StringRef name, int64_t alignment) : name(name), alignment(alignment), end(alignment) {}

  /// The descriptor's offset of a record with `bytes` of data.
  int64_t append(int64_t bytes) {
    int64_t record = llvm::alignTo(end, alignment);
    end = record + alignment + bytes; // descriptor, then data
    return record;
  }

  std::string name;

private:
  int64_t alignment, end;
};

struct AssignBlobs : ane::impl::AssignBlobsBase<AssignBlobs> {
  using AssignBlobsBase::AssignBlobsBase;
  void runOnOperation() override {
    TargetEnv env = lookupTargetEnv(getOperation());
    for (auto program : getOperation().getOps<ProgramOp>()) {
      BlobFile file(("weights/" + program.getName() + ".bin").str(), env.limit(Limit::BlobAlignment));
      llvm::StringMap<int64_t> records; // by the text of the expression
      for (auto function : program.getBody().getOps<func::FuncOp>())
        if (failed(assign(function, file, records)))
          return signalPassFailure();
      // Where files of several records are in doubt, few constants get a file each.
      if (mayHold(ConstraintID::EarlyBlobs, env) && int64_t(records.size()) <= env.limit(Limit::WeightFiles))
        separate(program, env.limit(Limit::BlobAlignment));
    }
  }

  static void separate(ProgramOp program, int64_t alignment) {
    llvm::MapVector<int64_t, std::string> names; // by the place of a record
    program.walk([&](BlobOp blob) {
      std::string &name = names[blob.getOffset()];
      if (name.empty())
        name = ("weights/" + program.getName() + "_" + Twine(names.size() - 1) + ".bin").str();
      blob.setFile(name);
      blob.setOffset(alignment);
    });
  }

  /// Constant expressions that an op uses which is none itself.
  LogicalResult assign(func::FuncOp function, BlobFile &file, llvm::StringMap<int64_t> &records) {
    llvm::SmallSetVector<Value, 16> roots;
    for (Operation &op : function.front())
      if (!isConstantExpr(&op))
        for (Value operand : op.getOperands())
          if (isConstantExpr(operand) && !operand.getDefiningOp<BlobOp>())
            roots.insert(operand);
    for (Value root : roots) {
      OpBuilder builder(root.getContext());
      builder.setInsertionPointAfterValue(root);
      auto type = cast<RankedTensorType>(root.getType());
      Operation *replacement;
      if (type.getNumElements() < inlineElements) {
        if (root.getDefiningOp<ConstOp>() && isa<DenseElementsAttr>(root.getDefiningOp<ConstOp>().getValue()))
          continue;
        FailureOr<DenseElementsAttr> value = evaluateToAttribute(root);
        if (failed(value))
          return failure();
        replacement = builder.create<ConstOp>(root.getLoc(), *value);
      } else {
        replacement = makeBlob(builder, root, file, records);
      }
      root.replaceAllUsesWith(replacement->getResult(0));
    }
    // What only blobs used is dead now.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.front())))
      if (op.use_empty() && isConstantExpr(&op))
        op.erase();
    return success();
  }

  BlobOp makeBlob(OpBuilder &builder, Value root, BlobFile &file, llvm::StringMap<int64_t> &records) {
    auto type = cast<RankedTensorType>(root.getType());
    auto blob = builder.create<BlobOp>(root.getLoc(), type, file.name, alignmentPlaceholder);
    OpBuilder body = OpBuilder::atBlockEnd(&blob.getBody().emplaceBlock());
    IRMapping mapping;
    Value value = cloneConstantExpr(body, root, mapping);
    body.create<YieldOp>(root.getLoc(), value);
    std::string text;
    llvm::raw_string_ostream stream(text);
    blob->print(stream, OpPrintingFlags().useLocalScope());
    auto [record, inserted] = records.try_emplace(text, 0);
    if (inserted)
      record->second = file.append(type.getNumElements() * elementBytes(type.getElementType()));
    blob.setOffset(record->second);
    return blob;
  }

  static constexpr int64_t alignmentPlaceholder = 64;
};
} // namespace
