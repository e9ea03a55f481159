//===- json_lines.h - Texts in lines of JSON objects -------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TRAIN_DATA_JSON_LINES_H
#define ANE_RUNTIME_TRAIN_DATA_JSON_LINES_H

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"

#include <string>
#include <string_view>

namespace ane::rt::train {

/// InvalidArgument with line and byte of the first character that is none of UTF-8; `name` is the file's.
absl::Status checkUtf8(std::string_view bytes, const std::string &name);

/// Calls `take` with the members `names` of the object on each line, in their order; blank lines are none. All of them
/// are strings, and what else an object has is not kept. InvalidArgument, with file and line, for another line, and for
/// what `take` refuses; `what` tells what the members are, as "a document".
absl::Status forEachJsonLine(std::string_view bytes, const std::string &name, absl::Span<const char *const> names,
                             const char *what, absl::FunctionRef<absl::Status(absl::Span<const std::string>)> take);

} // namespace ane::rt::train
#endif // ANE_RUNTIME_TRAIN_DATA_JSON_LINES_H
