//===- FunctionAttrs.cpp - attributes of arguments and results ------------===//

#include "ane/IR/FunctionAttrs.h"

using namespace mlir;

/// The dictionary of each argument or result, with `values` under `name`.
template <typename Get>
static SmallVector<DictionaryAttr> added(MLIRContext *context, StringRef name, ArrayRef<Attribute> values, Get get) {
  SmallVector<DictionaryAttr> all;
  for (auto [i, value] : llvm::enumerate(values)) {
    NamedAttrList attributes(get(i));
    if (value)
      attributes.set(name, value);
    else
      attributes.erase(name);
    all.push_back(attributes.getDictionary(context));
  }
  return all;
}

void mlir::ane::setArgAttrs(FunctionOpInterface function, StringRef name, ArrayRef<Attribute> values) {
  function.setAllArgAttrs(
      added(function.getContext(), name, values, [&](unsigned i) { return function.getArgAttrs(i); }));
}

void mlir::ane::setResultAttrs(FunctionOpInterface function, StringRef name, ArrayRef<Attribute> values) {
  function.setAllResultAttrs(
      added(function.getContext(), name, values, [&](unsigned i) { return function.getResultAttrs(i); }));
}
