//===- together.h - Answers to several prompts at once ----------*- C++ -*-===//
//
// What a decoder's step costs is mostly the weights that it reads: read once for several sequences, they give as many
// tokens.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_TEXT_CONVERSATION_TOGETHER_H
#define ANE_RUNTIME_TEXT_CONVERSATION_TOGETHER_H

#include "runtime/text/conversation/generate.h"

namespace ane::rt::text {

/// A decoder of several sequences, each with a state of its own.
class ParallelModel {
public:
  virtual ~ParallelModel() = default;

  virtual int64_t sequences() const = 0;
  /// The state of a sequence becomes that of a model of the same kind, the one that this was made beside.
  virtual absl::Status take(int64_t sequence) = 0;
  /// Gives each sequence a token behind those of its state, which must have room; -1: none. After an error the states
  /// are those of before.
  virtual absl::Status decode(absl::Span<const int32_t> tokens) = 0;
  /// Of what follows the last token of a sequence; valid until the next call of `decode`.
  virtual absl::Span<const float> logits(int64_t sequence) const = 0;
  virtual DeviceWork work() const = 0;
};

struct TogetherListeners {
  /// A token of the answer to a prompt, by the prompt's place.
  std::function<void(size_t, const TokenEvent &)> token;
  /// An answer that has ended; in the order of the prompts.
  std::function<void(size_t, const Answer &)> answer;
};

/// Answers prompts, each as `generate` would without the others: the tokens are drawn by a copy of `sampler`. `single`
/// is the model that `parallel` was made beside; it takes the prompts. When an answer ends the next prompt
/// takes its place. Overflow::Shift is InvalidArgument. Returns what all of it has cost; the time to the first token is
/// that of the first prompt. Errors name the prompt.
absl::StatusOr<Statistics> generateTogether(Context &single, ParallelModel &parallel, const Codec &codec,
                                            const Sampler &sampler, const std::vector<std::vector<int32_t>> &prompts,
                                            const GenerateOptions &options, const TogetherListeners &listeners,
                                            const std::atomic<bool> &cancel);

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEXT_CONVERSATION_TOGETHER_H
