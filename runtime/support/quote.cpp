//===- quote.cpp - Text of a file in a message ----------------------------===//
#include "runtime/support/quote.h"

namespace ane::rt {

std::string quote(std::string_view text) {
  constexpr size_t kShown = 120;
  std::string out = "\"";
  for (char c : text.substr(0, kShown))
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return out + (text.size() > kShown ? "...\"" : "\"");
}

} // namespace ane::rt
