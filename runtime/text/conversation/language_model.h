//===- language_model.h - What answers come from ----------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEXT_CONVERSATION_LANGUAGE_MODEL_H
#define ANE_RUNTIME_TEXT_CONVERSATION_LANGUAGE_MODEL_H

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/text/piece.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ane::rt::text {

/// What devices have done, since the model was made.
struct DeviceWork {
  uint64_t evaluations = 0;
  uint64_t bytes = 0; ///< of surfaces and weights
  uint64_t moved = 0; ///< bytes of states, from device to device

  DeviceWork &operator+=(const DeviceWork &other) {
    evaluations += other.evaluations;
    bytes += other.bytes;
    moved += other.moved;
    return *this;
  }
};

/// A decoder with its state: caches of keys and values, or whatever it keeps of the
/// tokens that it has seen.
class LanguageModel {
public:
  virtual ~LanguageModel() = default;

  /// How many tokens the state has room for.
  virtual int64_t contextLength() const = 0;
  /// How many tokens one call of `prefill` takes.
  virtual int64_t maxPrefill() const = 0;
  /// How many tokens the state is of.
  virtual int64_t position() const = 0;

  /// Takes tokens behind those of the state, 1 to maxPrefill(), which must have room.
  /// Returns the logits of what follows the last; they are valid until the next call.
  /// After an error the state is that of before.
  virtual absl::StatusOr<absl::Span<const float>> prefill(absl::Span<const int32_t> tokens) = 0;
  /// The same for one token, as fast as possible.
  virtual absl::StatusOr<absl::Span<const float>> decode(int32_t token) = 0;

  /// Forgets all but the first `position` tokens. FailedPrecondition where the state
  /// does not allow that, as in recurrent models; 0 always works.
  virtual absl::Status truncate(int64_t position) = 0;

  /// The state as a file, and back; the latter with the number of its tokens.
  virtual absl::Status save(const std::string &path) const = 0;
  virtual absl::Status restore(const std::string &path, int64_t position) = 0;
  /// Another one, with the same weights and a copy of the state.
  virtual absl::StatusOr<std::unique_ptr<LanguageModel>> fork() const = 0;

  virtual DeviceWork work() const = 0;
  /// Tells apart what the model computes with besides its weights, as an adapter; empty: nothing.
  virtual std::string variant() const { return ""; }
};

/// The text of tokens as they come: UTF-8, characters appear when they are complete.
class TextStream {
public:
  virtual ~TextStream() = default;
  virtual std::string add(int32_t token) = 0;
  virtual std::string finish() = 0;
};

/// Text to tokens and back.
class Codec {
public:
  virtual ~Codec() = default;
  /// Names of special tokens stand for these where they are from the template.
  virtual absl::StatusOr<std::vector<int32_t>> encode(const std::vector<Piece> &pieces) const = 0;
  virtual std::unique_ptr<TextStream> decoder() const = 0;
};

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEXT_CONVERSATION_LANGUAGE_MODEL_H
