//===- checks.h - What values of a run must be -------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_CORE_CHECKS_H
#define ANE_RUNTIME_CORE_CHECKS_H

#include "runtime/format/manifest/manifest.h"

namespace ane::rt {

/// InvalidArgument for an input with an element that is no index.
absl::Status checkIndices(const manifest::Port &port, const manifest::TensorType &type, const void *data);

/// InvalidArgument, with the elements and the limit, for a value that is not what the check says.
absl::Status checkValue(const manifest::Check &check, const manifest::TensorType &type, const void *data);

} // namespace ane::rt

#endif // ANE_RUNTIME_CORE_CHECKS_H
