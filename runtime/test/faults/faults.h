//===- faults.h - Calls that fail on purpose --------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEST_FAULTS_FAULTS_H
#define ANE_RUNTIME_TEST_FAULTS_FAULTS_H

#include <cstdint>

namespace ane::rt::test {

/// What can be made to fail: operator new, aligned_alloc() of buffers, the start
/// of a thread, and calls about files.
enum class Fault {
  New,
  Buffer,
  Thread,
  Open,
  OpenAt,
  Stat,
  Map,
  Read,
  Write,
  Close,
  Sync,
  Rename,
  MakeFolder,
  Library
};

/// The n-th call from now on fails, counted from 1, and no other.
void failCall(Fault fault, int n);
/// Nothing fails any more. Whether the call that was to fail has happened.
bool stopFailing();

/// Objects from operator new that are not deleted yet.
int64_t liveObjects();

} // namespace ane::rt::test

#endif // ANE_RUNTIME_TEST_FAULTS_FAULTS_H
