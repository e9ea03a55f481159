#include "runtime/core/devices.h"
#include <gtest/gtest.h>

using namespace ane::rt;

namespace {

TEST(Devices, OfOneChoiceAreOne) {
  const DeviceChoice choice = {"emulator", "plain", {"h16g", "in-memory", "macos-15", "ios18", "catalog"}};
  DeviceChoice other = choice;
  other.target.chip = "h14g";
  auto first = Devices::process()->get(choice);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(*first, *Devices::process()->get(choice));
  EXPECT_NE(*first, *Devices::process()->get(other));
  // An emulator that nobody uses is gone, with what it has counted.
  (*first)->compilations = 7;
  first->reset();
  EXPECT_EQ((*Devices::process()->get(choice))->compilations, 0);
}

TEST(Devices, TheCpuIsNone) {
  EXPECT_EQ(*Devices::process()->get({"cpu", "", {}}), nullptr);
  EXPECT_EQ(*makeDevice({"cpu", "", {}}), nullptr);
}

TEST(Devices, OtherNamesAreRefused) {
  for (const char *name : {"", "toaster", "ane:", "Emulator"})
    EXPECT_EQ(makeDevice({name, "", {}}).status().message(),
              "device: is \"" + std::string(name) + "\", expected auto, ane, emulator or cpu");
}

} // namespace
