//===- stop_strings.h - Texts that end an answer ----------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEXT_SAMPLING_STOP_STRINGS_H
#define ANE_RUNTIME_TEXT_SAMPLING_STOP_STRINGS_H

#include <string>
#include <string_view>
#include <vector>

namespace ane::rt::text {

/// Shows an answer up to the first stop string. What could be the beginning of one
/// is held back until more is known. Where the answer is cut into tokens makes no
/// difference: the string that is complete first ends it, the longest of those that
/// end there.
class StopStrings {
public:
  /// Empty strings are left out.
  explicit StopStrings(std::vector<std::string> strings = {});

  /// More of the answer; returns what can be shown of it. Behind a stop string there
  /// is nothing to show.
  std::string add(std::string_view text);
  /// The answer has ended otherwise: what was held back.
  std::string finish();
  bool stopped() const { return found; }

private:
  std::vector<std::string> strings;
  std::string held;
  bool found = false;
};

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEXT_SAMPLING_STOP_STRINGS_H
