//===- ports.h - Inputs and outputs by name and as numbers ------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_PORTS_H
#define ANE_RUNTIME_TOOLS_PORTS_H

#include "runtime/core/executor.h"
#include "runtime/text/conversation/language_model.h"

#include <algorithm>

namespace ane::rt::tools {

/// The place of a manifest's or an executor's port; their number if there is none.
template <typename Port>
size_t portOf(const std::vector<Port> &ports, std::string_view name) {
  auto found = std::find_if(ports.begin(), ports.end(), [&](const Port &port) { return port.name == name; });
  return static_cast<size_t>(found - ports.begin());
}

/// The input is of 32 or 64 bits, and of as many elements.
absl::Status setIntegers(Executor &executor, size_t port, absl::Span<const int32_t> values);

/// An output of floats, valid until the next run; `scratch` holds what was widened.
absl::Span<const float> floatsOf(const Port &port, std::vector<float> &scratch);

/// What devices have done for it since it was made.
text::DeviceWork workOf(const Executor &executor);

} // namespace ane::rt::tools

#endif // ANE_RUNTIME_TOOLS_PORTS_H
