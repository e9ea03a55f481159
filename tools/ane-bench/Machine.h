//===- Machine.h - what the measurements run on ----------------*- C++ -*-===//
#ifndef ANE_TOOLS_BENCH_MACHINE_H
#define ANE_TOOLS_BENCH_MACHINE_H

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace ane::bench {

struct Machine {
  std::string processor; ///< as the kernel names it
  unsigned processors;
  std::vector<std::string> features; ///< instructions that products are made of: avx2, avx512_vnni, asimddp, ...
  double load;                       ///< average of a minute

  /// Reads /proc; what is not there is empty or 0.
  static Machine describe();
};

/// Memory that threads read as fast as they can: the bound on what reads each weight once.
class Reading {
public:
  explicit Reading(uint64_t bytes, int threads) : words((bytes + 7) / 8, 1), threads(threads) {}
  /// Nanoseconds in which all bytes are read once.
  double run() const;

private:
  std::vector<uint64_t> words;
  int threads;
};

} // namespace ane::bench

#endif // ANE_TOOLS_BENCH_MACHINE_H
