//===- quote.h - Text of a file in a message --------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_SUPPORT_QUOTE_H
#define ANE_RUNTIME_SUPPORT_QUOTE_H

#include <string>
#include <string_view>

namespace ane::rt {

/// A string of a file as it may appear in a message: quoted, control characters
/// and excess length replaced.
std::string quote(std::string_view text);

} // namespace ane::rt

#endif // ANE_RUNTIME_SUPPORT_QUOTE_H
