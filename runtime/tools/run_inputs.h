//===- run_inputs.h - Values for the inputs of a run ------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_RUN_INPUTS_H
#define ANE_RUNTIME_TOOLS_RUN_INPUTS_H

#include "runtime/tools/run_options.h"
#include "runtime/tools/run_session.h"

namespace ane::rt::tools {

/// Gives every input a value: from its file, or drawn as
/// runHelp() describes. InvalidArgument names the input and what is wrong.
absl::Status setInputs(RunSession &session, const RunOptions &options);

/// Draws the elements of one input.
void drawInput(const std::string &name, const manifest::TensorType &type, int64_t seed, void *data);

} // namespace ane::rt::tools
#endif // ANE_RUNTIME_TOOLS_RUN_INPUTS_H
