//===- memory_budget_test.cpp - what a machine has left ---------*- C++ -*-===//
#include "runtime/support/memory_budget.h"

#include <cstring>
#include <gtest/gtest.h>
#include <unistd.h>

namespace ane::rt {
namespace {

int code = 0;
unsigned int given = 38;

unsigned int hostSelf() { return 77; }

/// More pages are free than a signed number holds.
int statistics64(unsigned int host, int flavour, int32_t *words, unsigned int *count) {
  EXPECT_EQ(host, 77u);
  EXPECT_EQ(flavour, 4);
  EXPECT_GE(*count, 24u) << "systems refuse fewer";
  const uint32_t pages[] = {3'000'000'000u, 5, 20, 7};
  std::memcpy(words, pages, sizeof pages);
  *count = given;
  return code;
}

void *symbolOf(const char *name) {
  if (std::strcmp(name, "mach_host_self") == 0)
    return reinterpret_cast<void *>(hostSelf);
  return std::strcmp(name, "host_statistics64") == 0 ? reinterpret_cast<void *>(statistics64) : nullptr;
}

TEST(MachMemory, FreeAndInactivePages) {
  EXPECT_EQ(machMemory(symbolOf), 3'000'000'020 * sysconf(_SC_PAGESIZE));
  code = 5;
  EXPECT_FALSE(machMemory(symbolOf)) << "a call that failed";
  code = 0;
  given = 1;
  EXPECT_FALSE(machMemory(symbolOf)) << "not all that was asked for";
  given = 38;
  EXPECT_FALSE(machMemory([](const char *) -> void * { return nullptr; })) << "another system";
}

TEST(UsableMemory, IsNoMoreThanTheMachineHas) {
  EXPECT_GT(usableMemory(), 0);
  EXPECT_LE(usableMemory(), static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE));
}

} // namespace
} // namespace ane::rt
