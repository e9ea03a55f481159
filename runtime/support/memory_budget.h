//===- memory_budget.h - Memory that a stranger's sizes may take -*- C++ -*-===//
#ifndef ANE_RUNTIME_SUPPORT_MEMORY_BUDGET_H
#define ANE_RUNTIME_SUPPORT_MEMORY_BUDGET_H

#include "absl/status/status.h"

#include <cstdint>
#include <string>

namespace ane::rt {

/// Bytes that this process can have at most: of the machine, the control group
/// and the limit of the address space, the least.
int64_t usableMemory();

/// Counts what is allocated on behalf of a file. Systems promise more memory
/// than there is and end the process when it is touched, so that an absurd size
/// must be refused before.
class MemoryBudget {
public:
  explicit MemoryBudget(int64_t limit = usableMemory()) : limit(limit) {}

  /// ResourceExhausted, saying what does not fit. Takes nothing then.
  absl::Status take(int64_t bytes, const std::string &what);

private:
  int64_t limit, used = 0;
};

} // namespace ane::rt

#endif // ANE_RUNTIME_SUPPORT_MEMORY_BUDGET_H
