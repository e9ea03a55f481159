#include "runtime/device/cpu/trust.h"
#include <gtest/gtest.h>

using namespace ane::rt;

namespace {

std::string refused(uid_t owner, mode_t mode, uid_t user) {
  struct stat file = {};
  file.st_uid = owner;
  file.st_mode = S_IFREG | mode;
  return std::string(checkOwner(file, user, "m.anebundle/host/x.so").message());
}

TEST(Trust, OfTheOwner) {
  constexpr uid_t us = 1000, others = 1001, administrator = 0;
  EXPECT_EQ(refused(us, 0644, us), "");
  EXPECT_EQ(refused(us, 0664, us), "");
  EXPECT_EQ(refused(administrator, 0644, us), "");
  EXPECT_EQ(refused(others, 0644, administrator), "");
  EXPECT_EQ(
      refused(others, 0644, us),
      "m.anebundle/host/x.so: belongs to user 1001, and this process is of user 1000, so that its native code may "
      "be anybody's; remedy: chown and chmod o-w, or trust anyone (--trust=anyone, ANE_TRUST_ANYONE) if you know "
      "where the bundle is from");
  for (uid_t user : {us, administrator})
    EXPECT_EQ(refused(user, 0646, user).find("m.anebundle/host/x.so: can be written by every user (its mode is 0646)"),
              0u);
}

TEST(Trust, HasNames) {
  EXPECT_EQ(*trustFrom("owner"), Trust::Owner);
  EXPECT_EQ(*trustFrom("anyone"), Trust::Anyone);
  EXPECT_EQ(*trustFrom("nobody"), Trust::Nobody);
  EXPECT_EQ(trustFrom("me").status().message(), "is \"me\", expected owner, anyone or nobody");
}

} // namespace
