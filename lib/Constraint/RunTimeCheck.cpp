//===- RunTimeCheck.cpp - what a value of a run must be -------------------===//

#include "ane/Constraint/RunTimeCheck.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::ane;

std::optional<RunTimeCheck> RunTimeCheck::of(FunctionOpInterface function, unsigned index) {
  auto attr = function.getResultAttrOfType<DictionaryAttr>(index, runTimeCheckName);
  if (!attr)
    return std::nullopt;
  RunTimeCheck check{attr.getAs<StringAttr>("subject").str(), attr.getAs<IntegerAttr>("max").getInt(), {}};
  if (auto total = attr.getAs<IntegerAttr>("total"))
    check.total = total.getInt();
  return check;
}

DictionaryAttr RunTimeCheck::toAttribute(MLIRContext *context) const {
  Builder builder(context);
  SmallVector<NamedAttribute> members{builder.getNamedAttr("max", builder.getI64IntegerAttr(max)),
                                      builder.getNamedAttr("subject", builder.getStringAttr(subject))};
  if (total)
    members.push_back(builder.getNamedAttr("total", builder.getI64IntegerAttr(*total)));
  return builder.getDictionaryAttr(members);
}
