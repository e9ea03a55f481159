//===- StateSharing.h - states of other functions --------------*- C++ -*-===//
#ifndef ANE_LIB_IMPORT_STATESHARING_H
#define ANE_LIB_IMPORT_STATESHARING_H

#include "ane/Import/LinkModels.h"

namespace mlir::ane {

/// Has functions write states that only others read: a prompt's run from nothing gives a cache that it doesn't take.
/// Fails if a state that the options name is the input of no function, or has another type than what is to be written.
LogicalResult shareStates(std::vector<NamedModel> &models);

} // namespace mlir::ane

#endif // ANE_LIB_IMPORT_STATESHARING_H
