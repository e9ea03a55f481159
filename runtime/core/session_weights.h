//===- session_weights.h - Weights that a session has changed ---*- C++ -*-===//
#ifndef ANE_RUNTIME_CORE_SESSION_WEIGHTS_H
#define ANE_RUNTIME_CORE_SESSION_WEIGHTS_H

#include "runtime/core/bundle.h"
#include "runtime/format/manifest/weights.h"
#include <map>
#include <set>

namespace ane::rt {

/// The weight files of a bundle as one session sees them: mapped once more, with
/// each changed weight written over the old one. Other sessions and the disk keep
/// theirs; pages without a change stay shared. `bundle` outlives it.
class SessionWeights {
public:
  static absl::StatusOr<std::unique_ptr<SessionWeights>> make(const Bundle &bundle);

  /// What of a form that programs read has other bytes than before.
  struct Change {
    const manifest::StoredWeight *stored;
    int64_t offset, bytes; ///< in its file
  };

  /// Writes a value, row-major in the model's type, wherever the bundle has the
  /// weight and it is not there already. InvalidArgument for another size,
  /// Unimplemented, with the reason, for a weight or a value that the bundle's form
  /// of it can't show; nothing is written then. Of a value that `stays` as it is until
  /// the weight is set again, forms that no reader has are not written yet.
  absl::StatusOr<std::vector<Change>> set(const manifest::Weight &weight, const void *data, int64_t bytes,
                                          bool stays = false);
  /// A CPU function that runs from now on, and finds the weights that it reads.
  absl::Status addReader(const std::string &hostFunction);
  /// Readers know of these changes. Without it, the next set() gives all of the weight.
  void told(const manifest::Weight &weight) { untold.erase(&weight); }
  /// The same weights, for another session.
  absl::StatusOr<std::unique_ptr<SessionWeights>> copy() const;

  const std::set<const manifest::Weight *> &changed() const { return changedWeights; }
  /// For programs.
  std::shared_ptr<const Folder> files() const { return folder; }
  /// For native code, as Bundle::weights().
  const void *const *hostBases() const { return bases.data(); }

private:
  explicit SessionWeights(const Bundle &bundle) : bundle(bundle) {}
  /// A form, and the file of the session that has it.
  struct Place {
    const manifest::StoredWeight *stored;
    MappedFile *file;
    /// To write the form as a whole, if it `isFirst`.
    uint8_t *memory(bool isFirst) const;
  };
  struct Part;
  struct Form;
  bool hasReader(const manifest::StoredWeight &stored) const;
  const uint8_t *unwritten(const manifest::StoredWeight &stored) const;
  static std::vector<Part> partsOf(const manifest::StoredWeight &stored);
  void write(const manifest::Weight &weight, Form &form, const uint8_t *value, bool isFirst);
  /// Of all forms that are read here.
  absl::StatusOr<std::vector<Place>> placesOf(const manifest::Weight &weight);
  absl::StatusOr<MappedFile *> open(const std::string &path);

  const Bundle &bundle;
  std::shared_ptr<Folder> folder;
  std::unordered_map<std::string, std::shared_ptr<MappedFile>> mapped; ///< by path
  std::vector<const void *> bases;
  std::set<const manifest::Weight *> changedWeights;
  std::set<const manifest::Weight *> untold; ///< see told()
  std::set<std::string> readers;             ///< CPU functions
  /// Values of forms that were not written; null: it has been since.
  std::map<const manifest::StoredWeight *, const uint8_t *> values;
  std::vector<uint8_t> scratch;
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_SESSION_WEIGHTS_H
