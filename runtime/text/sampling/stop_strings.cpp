//===- stop_strings.cpp - Texts that end an answer ------------------------===//
#include "runtime/text/sampling/stop_strings.h"

#include <algorithm>

namespace ane::rt::text {
namespace {

/// How much of the end of `text` is the beginning of `string`, at most all of it.
size_t overlap(std::string_view text, std::string_view string) {
  for (size_t size = std::min(text.size(), string.size()); size > 0; --size)
    if (text.substr(text.size() - size) == string.substr(0, size))
      return size;
  return 0;
}

} // namespace

StopStrings::StopStrings(std::vector<std::string> given) : strings(std::move(given)) {
  strings.erase(std::remove(strings.begin(), strings.end(), ""), strings.end());
}

std::string StopStrings::add(std::string_view text) {
  std::string shown;
  for (size_t i = 0; i < text.size() && !found; ++i) {
    held += text[i];
    size_t kept = 0, stop = 0;
    for (const std::string &string : strings) {
      size_t size = overlap(held, string);
      kept = std::max(kept, size);
      if (size == string.size())
        stop = std::max(stop, size);
    }
    found = stop > 0;
    shown.append(held, 0, held.size() - (found ? stop : kept));
    held.erase(0, held.size() - kept);
  }
  return shown;
}

std::string StopStrings::finish() {
  std::string shown = found ? "" : std::move(held);
  held.clear();
  return shown;
}

} // namespace ane::rt::text
