//===- session_weights.h - Weights that a session has changed ---*- C++ -*-===//
#ifndef ANE_RUNTIME_CORE_SESSION_WEIGHTS_H
#define ANE_RUNTIME_CORE_SESSION_WEIGHTS_H

#include "runtime/core/bundle.h"
#include "runtime/format/manifest/weights.h"
#include <set>

namespace ane::rt {

/// The weight files of a bundle as one session sees them: mapped once more, with
/// each changed weight written over the old one. Other sessions and the disk keep
/// theirs; pages without a change stay shared. `bundle` outlives it.
class SessionWeights {
public:
  static absl::StatusOr<std::unique_ptr<SessionWeights>> make(const Bundle &bundle);

  /// Writes a value, row-major in the model's type, wherever the bundle has the
  /// weight. InvalidArgument for another size, Unimplemented, with the reason, for
  /// a weight or a value that the bundle's form of it can't show; nothing is
  /// written then.
  absl::Status set(const manifest::Weight &weight, const void *data, int64_t bytes);
  /// The same weights, for another session.
  absl::StatusOr<std::unique_ptr<SessionWeights>> copy() const;

  const std::set<const manifest::Weight *> &changed() const { return changedWeights; }
  /// For programs.
  std::shared_ptr<const Folder> files() const { return folder; }
  /// For native code, as Bundle::weights().
  const void *const *hostBases() const { return bases.data(); }

private:
  explicit SessionWeights(const Bundle &bundle) : bundle(bundle) {}
  /// Calls `write` with each form that is read here and the memory of the session
  /// behind it.
  template <typename Write>
  absl::Status update(const manifest::Weight &weight, Write &&write);
  absl::StatusOr<MappedFile *> open(const std::string &path);

  const Bundle &bundle;
  std::shared_ptr<Folder> folder;
  std::unordered_map<std::string, std::shared_ptr<MappedFile>> mapped; ///< by path
  std::vector<const void *> bases;
  std::set<const manifest::Weight *> changedWeights;
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_SESSION_WEIGHTS_H
