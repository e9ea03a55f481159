//===- memory_budget.h - Memory that a stranger's sizes may take -*- C++ -*-===//
#ifndef ANE_RUNTIME_SUPPORT_MEMORY_BUDGET_H
#define ANE_RUNTIME_SUPPORT_MEMORY_BUDGET_H

#include "absl/status/status.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ane::rt {

/// Bytes that this process can have: those that the machine has left, or that the
/// control group or the limit of the address space allows, whatever is least.
int64_t usableMemory();

/// Bytes that macOS could give without swapping: free ones, and those that nobody has used of late. Nothing where it
/// does not tell. `symbol` finds functions of libSystem.
std::optional<int64_t> machMemory(void *(*symbol)(const char *name));

/// Counts what is allocated on behalf of a file. Systems promise more memory
/// than there is and end the process when it is touched, so that an absurd size
/// must be refused before.
class MemoryBudget {
public:
  explicit MemoryBudget(int64_t limit = usableMemory()) : limit(limit) {}

  /// ResourceExhausted if there are not that many bytes left. `why` begins the message.
  absl::Status has(int64_t bytes, const std::string &why) const;
  /// ResourceExhausted, saying what does not fit. Takes nothing then.
  absl::Status take(int64_t bytes, const std::string &what);

private:
  int64_t limit, used = 0;
};

} // namespace ane::rt

#endif // ANE_RUNTIME_SUPPORT_MEMORY_BUDGET_H
