//===- cliffs.h - Values that the engine gets wrong -----------------------===//

#ifndef ANE_RUNTIME_DEVICE_EMULATOR_CLIFFS_H
#define ANE_RUNTIME_DEVICE_EMULATOR_CLIFFS_H

#include "runtime/device/emulator/op_registry.h"

#include <string_view>
#include <vector>

namespace ane::rt::emulator {

/// The kernel of an op, followed by what the engine makes of its first result
/// or of single elements where the model has such a cliff for it; else the
/// kernel itself. `arguments` are the op's, `result` is the name of its result
/// and `count` its elements.
KernelFn withCliffs(std::string_view op, const std::vector<Argument> &arguments, const std::string &result,
                    int64_t count, KernelFn kernel, const NumericModel &model);

/// Values that have nothing to do with a program, the same in every run.
float garbage(size_t index);

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_CLIFFS_H
