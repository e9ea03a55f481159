//===- Machine.h - what the measurements run on ----------------*- C++ -*-===//
#ifndef ANE_TOOLS_BENCH_MACHINE_H
#define ANE_TOOLS_BENCH_MACHINE_H

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <sys/types.h>
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

/// The most anonymous memory of a process (RssAnon of /proc: heap, stacks and arenas, no files) while it was watched;
/// it is asked every few milliseconds.
class AnonymousPeak {
public:
  explicit AnonymousPeak(pid_t process);
  ~AnonymousPeak();
  AnonymousPeak(const AnonymousPeak &) = delete;
  AnonymousPeak &operator=(const AnonymousPeak &) = delete;
  uint64_t bytes() const { return most; }
  void look();
  /// Watches only while there is one of these.
  class Watch {
  public:
    explicit Watch(AnonymousPeak &peak) : peak(peak) { peak.isWatching = true; }
    ~Watch() {
      peak.isWatching = false;
      peak.look();
    }

  private:
    AnonymousPeak &peak;
  };

private:
  pid_t process;
  std::mutex looking;
  std::atomic<bool> isWatching = false, isOver = false;
  std::atomic<uint64_t> most = 0;
  std::thread watcher;
};

} // namespace ane::bench

#endif // ANE_TOOLS_BENCH_MACHINE_H
