//===- literal.h - Numbers of MIL text --------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_FORMAT_MIL_LITERAL_H
#define ANE_RUNTIME_FORMAT_MIL_LITERAL_H

#include "runtime/format/mil/ast.h"

#include <string>
#include <string_view>

namespace ane::rt::mil {

/// Converts a number token. Both return an empty string or what is wrong.
std::string parseFloat(std::string_view text, ElementType dtype, double &value);
std::string parseInteger(std::string_view text, ElementType dtype, int64_t &value);

/// Whether a bare number token is a float (`1.0`, `1e-5`, `0x1p-3`, `-inf`).
bool looksLikeFloat(std::string_view text);

/// Exact and without decimal exponent, which the engine's compiler refuses
/// (ane-op-chip-matrix.md Q40): "0x1.8p+1", "-0x0p+0", "inf".
std::string formatFloat(double value);
std::string formatInteger(int64_t value, ElementType dtype);

} // namespace ane::rt::mil

#endif // ANE_RUNTIME_FORMAT_MIL_LITERAL_H
