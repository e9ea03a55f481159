//===- arena.cpp - Memory of all parameters -------------------------------===//
#include "runtime/train/arena.h"
#include "absl/strings/str_cat.h"
#include <cerrno>
#include <cstring>
#include <sys/mman.h>

namespace ane::rt::train {

absl::StatusOr<Arena> Arena::map(int64_t floats, const std::string &what) {
  Arena arena;
  if (floats == 0)
    return arena;
  size_t bytes = static_cast<size_t>(floats) * sizeof(float);
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return absl::ResourceExhaustedError(
        absl::StrCat(what, ": the system has no ", bytes, " bytes (", std::strerror(errno), ")"));
  arena.begin = static_cast<float *>(memory);
  arena.count = floats;
  return arena;
}

Arena::~Arena() {
  if (begin)
    munmap(begin, static_cast<size_t>(count) * sizeof(float));
}

} // namespace ane::rt::train
