//===- cliffs.h - Values that the engine gets wrong -----------------------===//

#ifndef ANE_RUNTIME_DEVICE_EMULATOR_CLIFFS_H
#define ANE_RUNTIME_DEVICE_EMULATOR_CLIFFS_H

#include "absl/types/span.h"
#include "runtime/device/emulator/op_registry.h"
#include "runtime/format/mil/ast.h"

#include <vector>

namespace ane::rt::emulator {

/// The kernel of a statement, followed by what the engine makes of its results,
/// or of single elements of the first where the model has such a cliff for the
/// op; else the kernel itself. `arguments` and types are the statement's; a kernel
/// that `copies` only moves elements.
KernelFn withCliffs(const mil::Statement &statement, const std::vector<Argument> &arguments,
                    absl::Span<const TensorType> results, bool copies, KernelFn kernel, const NumericModel &model);

/// Values that have nothing to do with a program, the same in every run.
float garbage(size_t index);

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_CLIFFS_H
