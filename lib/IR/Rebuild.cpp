//===- Rebuild.cpp - rebuilding ops on other operands ---------------------===//

#include "ane/IR/Rebuild.h"

using namespace mlir;
using namespace mlir::ane;

Operation *mlir::ane::rebuild(OpBuilder &builder, Operation *op, ValueRange operands,
                              ArrayRef<NamedAttribute> changed) {
  auto infer = dyn_cast<InferTypeOpInterface>(op);
  if (!infer)
    return nullptr;
  NamedAttrList attributes(op->getAttrDictionary());
  for (NamedAttribute attribute : changed)
    attributes.set(attribute.getName(), attribute.getValue());
  Operation *copy = Operation::create(op->getLoc(), op->getName(), op->getResultTypes(), operands,
                                      std::move(attributes), nullptr, BlockRange(), 0);
  SmallVector<Type> types;
  // Without a location a failing inference is silent, which is what a trial wants.
  if (failed(infer.inferReturnTypes(op->getContext(), std::nullopt, operands, copy->getRawDictionaryAttrs(),
                                    copy->getPropertiesStorage(), copy->getRegions(), types))) {
    copy->destroy();
    return nullptr;
  }
  for (auto [result, type] : llvm::zip_equal(copy->getResults(), types))
    result.setType(type);
  return builder.insert(copy);
}
