//===- expect_status.h - What calls of the C API return ----------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEST_API_EXPECT_STATUS_H
#define ANE_RUNTIME_TEST_API_EXPECT_STATUS_H

#include "ane/runtime/ane.h"
#include <gtest/gtest.h>
#include <string>

namespace ane::rt::test {

inline void expectOk(ane_status *status) {
  EXPECT_EQ(status, nullptr) << ane_status_message(status);
  ane_status_free(status);
}

inline void expectError(ane_status *status, ane_code code, const std::string &words) {
  ASSERT_NE(status, nullptr);
  EXPECT_EQ(ane_status_code(status), code);
  EXPECT_NE(std::string(ane_status_message(status)).find(words), std::string::npos)
      << words << " not in: " << ane_status_message(status);
  ane_status_free(status);
}

} // namespace ane::rt::test
#endif // ANE_RUNTIME_TEST_API_EXPECT_STATUS_H
