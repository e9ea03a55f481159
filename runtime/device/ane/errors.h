//===- errors.h - What the framework's errors mean --------------*- C++ -*-===//
#ifndef ANE_RUNTIME_DEVICE_ANE_ERRORS_H
#define ANE_RUNTIME_DEVICE_ANE_ERRORS_H

#include "runtime/device/refusal.h"

#include <string>

namespace ane::rt::engine {

/// The refusal that an NSError is. `subject` is the program and what was asked of it; `text` is the error's
/// description, `code` its code in `domain`, which the message tells. Unknown errors
/// are Transient: tried once more, then refused.
absl::Status statusOf(const std::string &subject, const std::string &text, int64_t code,
                      const std::string &domain = "");

} // namespace ane::rt::engine
#endif // ANE_RUNTIME_DEVICE_ANE_ERRORS_H
