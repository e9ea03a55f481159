//===- AssignBlobs.cpp - records in weight files for large constants ------===//

#include "ane/Constraint/Constraints.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/Support/RegionHash.h"
#include "ane/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"
#include <unordered_map>

namespace mlir::ane {
#define GEN_PASS_DEF_ASSIGNBLOBS
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
/// The records of one weight file. Blobs that compute the same share one.
class BlobFile {
public:
  BlobFile(StringRef name, int64_t alignment) : name(name), alignment(alignment), end(alignment) {}

  /// Gives the blob the offset of its record's descriptor.
  void assign(BlobOp blob) {
    SmallVector<BlobOp, 1> &alike = blobs[hashRegion(blob.getBody())];
    auto same = llvm::find_if(alike, [&](BlobOp other) {
      return OperationEquivalence::isRegionEquivalentTo(&blob.getBody(), &other.getBody(),
                                                        OperationEquivalence::IgnoreLocations);
    });
    if (same != alike.end()) {
      blob.setOffset(same->getOffset());
      return;
    }
    int64_t record = llvm::alignTo(end, alignment);
    auto type = cast<RankedTensorType>(blob.getType());
    end = record + alignment + type.getNumElements() * elementBytes(type.getElementType()); // descriptor, then data
    blob.setOffset(record);
    alike.push_back(blob);
    ++count;
  }

  int64_t numRecords() const { return count; }

  std::string name;

private:
  int64_t alignment, end, count = 0;
  std::unordered_map<size_t, SmallVector<BlobOp, 1>> blobs; // by the hash of what they compute
};

struct AssignBlobs : ane::impl::AssignBlobsBase<AssignBlobs> {
  using AssignBlobsBase::AssignBlobsBase;
  void runOnOperation() override {
    TargetEnv env = lookupTargetEnv(getOperation());
    for (auto program : getOperation().getOps<ProgramOp>()) {
      BlobFile file(("weights/" + program.getName() + ".bin").str(), env.limit(Limit::BlobAlignment));
      for (auto function : program.getBody().getOps<func::FuncOp>())
        if (failed(assign(function, file)))
          return signalPassFailure();
      // Where files of several records are in doubt, few constants get a file each.
      if (mayHold(ConstraintID::EarlyBlobs, env) && file.numRecords() <= env.limit(Limit::WeightFiles))
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
  LogicalResult assign(func::FuncOp function, BlobFile &file) {
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
        replacement = makeBlob(builder, root, file);
      }
      root.replaceAllUsesWith(replacement->getResult(0));
    }
    // What only blobs used is dead now.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.front())))
      if (op.use_empty() && isConstantExpr(&op))
        op.erase();
    return success();
  }

  BlobOp makeBlob(OpBuilder &builder, Value root, BlobFile &file) {
    auto type = cast<RankedTensorType>(root.getType());
    auto blob = builder.create<BlobOp>(root.getLoc(), type, file.name, alignmentPlaceholder);
    OpBuilder body = OpBuilder::atBlockEnd(&blob.getBody().emplaceBlock());
    IRMapping mapping;
    Value value = cloneConstantExpr(body, root, mapping);
    body.create<YieldOp>(root.getLoc(), value);
    file.assign(blob);
    return blob;
  }

  static constexpr int64_t alignmentPlaceholder = 64;
};
} // namespace
