//===- memory_budget.cpp - Memory that a stranger's sizes may take --------===//
#include "runtime/support/memory_budget.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <dlfcn.h>
#include <fstream>
#include <limits>
#include <sys/resource.h>
#include <unistd.h>

namespace ane::rt {

namespace {

/// What Linux or macOS could give without swapping; elsewhere the largest number.
int64_t availableMemory() {
  if (auto mach = machMemory([](const char *name) { return dlsym(RTLD_DEFAULT, name); }))
    return *mach;
  std::ifstream info("/proc/meminfo");
  std::string key, rest;
  for (int64_t kilobytes = 0; info >> key >> kilobytes; std::getline(info, rest))
    if (key == "MemAvailable:")
      return kilobytes * 1024;
  return std::numeric_limits<int64_t>::max();
}

constexpr char kRemedy[] = "; remedy: run it where there is more, compile it for smaller sizes, or raise the limit "
                           "(ane-run --memory-limit, ane_options.memory_limit)";

} // namespace

std::optional<int64_t> machMemory(void *(*symbol)(const char *name)) {
  // As mach/host_info.h and mach/vm_statistics.h declare them: HOST_VM_INFO64 gives words, of which the first counts
  // pages that are free and the third those that are inactive.
  constexpr int kFlavour = 4;
  constexpr unsigned int kWords = 38; // of its revision 1; systems give no more than is asked for
  auto *host = reinterpret_cast<unsigned int (*)()>(symbol("mach_host_self"));
  auto *statistics =
      reinterpret_cast<int (*)(unsigned int, int, int32_t *, unsigned int *)>(symbol("host_statistics64"));
  if (!host || !statistics)
    return std::nullopt;
  static const unsigned int self = host(); // each call gives a right that were to be given back
  int32_t words[kWords] = {};
  unsigned int count = kWords;
  const long page = sysconf(_SC_PAGESIZE);
  if (page <= 0 || statistics(self, kFlavour, words, &count) != 0 || count < 3)
    return std::nullopt;
  return (static_cast<int64_t>(static_cast<uint32_t>(words[0])) + static_cast<uint32_t>(words[2])) * page;
}

int64_t usableMemory() {
  int64_t least = availableMemory();
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0)
    least = std::min(least, int64_t(pages) * page);
  struct rlimit space;
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
    least = std::min(least, static_cast<int64_t>(std::min<uint64_t>(space.rlim_cur, INT64_MAX)));
  // Not there outside of Linux, and "max" outside of containers.
  std::ifstream group("/sys/fs/cgroup/memory.max");
  if (int64_t bytes = 0; group >> bytes)
    least = std::min(least, bytes);
  return least;
}

absl::Status MemoryBudget::has(int64_t bytes, const std::string &why) const {
  if (bytes <= limit - used)
    return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat(why, " of memory, ", limit - used, " of ", limit, " bytes are left to this process", kRemedy));
}

absl::Status MemoryBudget::take(int64_t bytes, const std::string &what) {
  if (bytes > limit - used)
    return absl::ResourceExhaustedError(absl::StrCat(what, ": needs ", bytes, " bytes, ", limit - used, " of ", limit,
                                                     " are left to this process", kRemedy));
  used += bytes;
  return absl::OkStatus();
}

} // namespace ane::rt
