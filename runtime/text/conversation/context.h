//===- context.h - Which tokens a model's state is of -----------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEXT_CONVERSATION_CONTEXT_H
#define ANE_RUNTIME_TEXT_CONVERSATION_CONTEXT_H

#include "runtime/text/conversation/statistics.h"

#include <atomic>

namespace ane::rt::text {

/// A model and the tokens that its state is of, so that a text that begins as the one
/// before it costs only what is new.
class Context {
public:
  explicit Context(std::unique_ptr<LanguageModel> model) : owned(std::move(model)) {}

  /// Makes the state that of `tokens`, at least one and at most contextLength(), and
  /// returns the logits of what follows. Cancelled when `cancel` is set, which is
  /// looked at between calls of the model: what was taken by then stays.
  absl::StatusOr<absl::Span<const float>> set(absl::Span<const int32_t> tokens, const std::atomic<bool> &cancel,
                                              Statistics &statistics);
  /// The same for one token more.
  absl::StatusOr<absl::Span<const float>> add(int32_t token, Statistics &statistics);

  bool isFull() const { return owned->position() >= owned->contextLength(); }
  const std::vector<int32_t> &tokens() const { return held; }
  const LanguageModel &model() const { return *owned; }

  absl::Status save(const std::string &path) const { return owned->save(path); }
  absl::Status restore(const std::string &path, std::vector<int32_t> tokens);
  /// As if there had been no tokens.
  absl::Status forget();
  absl::StatusOr<Context> fork() const;

private:
  std::unique_ptr<LanguageModel> owned;
  std::vector<int32_t> held;
};

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEXT_CONVERSATION_CONTEXT_H
