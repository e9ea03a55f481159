//===- store.h - Folders that appear when they are whole ---------*- C++ -*-===//
#ifndef ANE_RUNTIME_TRAIN_CHECKPOINT_STORE_H
#define ANE_RUNTIME_TRAIN_CHECKPOINT_STORE_H

#include "absl/status/statusor.h"
#include "runtime/support/folder.h"

#include <string>
#include <vector>

namespace ane::rt::train {

/// A folder under a temporary name beside `place`, until commit(). Without commit it is removed, and what was at
/// `place` stays.
class UnfinishedFolder {
public:
  static absl::StatusOr<UnfinishedFolder> create(const std::string &place);
  UnfinishedFolder(UnfinishedFolder &&other) noexcept
      : place(std::move(other.place)), temporary(std::exchange(other.temporary, {})), lock(std::move(other.lock)) {}
  UnfinishedFolder &operator=(UnfinishedFolder &&) = delete;
  ~UnfinishedFolder();

  /// Where its files are written.
  const std::string &name() const { return temporary; }
  /// Waits until files and folder are on disk, and gives the folder its name; an older one of the name goes away.
  absl::Status commit();

private:
  UnfinishedFolder() = default;
  std::string place, temporary;
  Descriptor lock; ///< of the folder, as long as it is unfinished (support/unfinished.h)
};

/// Removes it with all that is in it. A kill in between leaves nothing of this name: what is left is unfinished.
void removeFolder(const std::string &place);

/// Names in a folder; none if it can't be read.
std::vector<std::string> namesIn(const std::string &folder);

} // namespace ane::rt::train
#endif // ANE_RUNTIME_TRAIN_CHECKPOINT_STORE_H
