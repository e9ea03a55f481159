//===- FunctionAttrs.h - attributes of arguments and results ---*- C++ -*-===//
#ifndef ANE_IR_FUNCTIONATTRS_H
#define ANE_IR_FUNCTIONATTRS_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::ane {

/// Set attribute `name` of each argument or result: one value for each of them, null for none. Setting one at a time
/// builds the list of all attributes anew each time, and MLIR keeps every list: a function of 50,000 results would take
/// gigabytes.
void setArgAttrs(FunctionOpInterface function, StringRef name, ArrayRef<Attribute> values);
void setResultAttrs(FunctionOpInterface function, StringRef name, ArrayRef<Attribute> values);

} // namespace mlir::ane

#endif // ANE_IR_FUNCTIONATTRS_H
