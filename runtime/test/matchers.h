//===- matchers.h - Comparisons of values and texts -----------------------===//

#ifndef ANE_RUNTIME_TEST_MATCHERS_H
#define ANE_RUNTIME_TEST_MATCHERS_H

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace ane::rt {

template <typename... T>
std::vector<float> values(T... items) {
  return {static_cast<float>(items)...};
}

/// Equal up to a few units of the last place of fp32; infinities exactly.
inline testing::AssertionResult sameValues(const char *, const char *, const std::vector<float> &got,
                                           const std::vector<float> &want) {
  bool same = got.size() == want.size();
  for (size_t i = 0; same && i < got.size(); ++i)
    same = got[i] == want[i] || (std::isfinite(want[i]) && std::fabs(got[i] - want[i]) <= 3e-7f * std::fabs(want[i]));
  if (same)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << "got " << testing::PrintToString(got) << "\nwant "
                                     << testing::PrintToString(want);
}

inline testing::AssertionResult hasText(const char *, const char *, const std::string &text, const std::string &part) {
  if (text.find(part) != std::string::npos)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << "\"" << text << "\"\nlacks\n\"" << part << "\"";
}

} // namespace ane::rt

#endif // ANE_RUNTIME_TEST_MATCHERS_H
