//===- ANEDialect.cpp - the ane dialect -----------------------------------===//

#include "ane/IR/ANE.h"
#include "ane/IR/ConstantFold.h"
#include "ane/IR/WeightFacts.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ane;

#include "ane/IR/ANEDialect.cpp.inc"
#include "ane/IR/ANEEnums.cpp.inc"
#include "ane/IR/ANEOpInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ane/IR/ANEAttrs.cpp.inc"

namespace mlir::ane {
/// Generated with the op definitions (lib/IR/OpsShard*.cpp).
void registerANEDialectOperations(ANEDialect *dialect);
} // namespace mlir::ane

void ANEDialect::initialize() {
  weights = std::make_shared<WeightTable>();
  registerAttributes();
  registerANEDialectOperations(this);
  addInterface(createFoldInterface(this));
  addInterface(createWeightFactsTable(this));
}

void ANEDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ane/IR/ANEAttrs.cpp.inc"
      >();
}

Operation *ANEDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  auto typed = dyn_cast<TypedAttr>(value);
  if (!typed || typed.getType() != type || !isa<RankedTensorType>(type))
    return nullptr;
  return builder.create<ConstOp>(loc, typed);
}

//===-- attributes --------------------------------------------------------===//

LogicalResult WeightAttr::verify(function_ref<InFlightDiagnostic()> emitError, RankedTensorType type, StringRef file,
                                 uint64_t offset, uint64_t bytes, StringAttr sha256) {
  if (!type || !type.hasStaticShape())
    return emitError() << "#ane.weight needs a static tensor type";
  unsigned bits = type.getElementType().isIntOrFloat() ? type.getElementTypeBitWidth() : 0;
  if (bits == 0)
    return emitError() << "#ane.weight can't hold elements of type " << type.getElementType();
  // A bool takes a byte, everything else as many bits as it has.
  bool isBool = type.getElementType().isSignlessInteger(1);
  uint64_t expected = isBool ? type.getNumElements() : (uint64_t(type.getNumElements()) * bits + 7) / 8;
  if (expected != bytes)
    return emitError() << "#ane.weight of type " << type << " holds " << expected << " bytes, but names " << bytes;
  if (file.empty())
    return emitError() << "#ane.weight needs a file name";
  if (sha256 && sha256.getValue().size() != 64)
    return emitError() << "#ane.weight: a sha256 has 64 hex digits, got " << sha256.getValue().size();
  return success();
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> expand,
                                 ArrayRef<int64_t> perm) {
  if (expand.size() != perm.size())
    return emitError() << "#ane.layout: expand has " << expand.size() << " dimensions, perm " << perm.size();
  if (llvm::any_of(expand, [](int64_t size) { return size < 0; }))
    return emitError() << "#ane.layout: expand has a negative size";
  SmallVector<bool> seen(perm.size());
  for (int64_t p : perm) {
    if (p < 0 || p >= int64_t(perm.size()) || seen[p])
      return emitError() << "#ane.layout: perm is not a permutation of 0.." << int64_t(perm.size()) - 1;
    seen[p] = true;
  }
  return success();
}
