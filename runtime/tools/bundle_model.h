//===- bundle_model.h - The language model of a bundle ----------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_BUNDLE_MODEL_H
#define ANE_RUNTIME_TOOLS_BUNDLE_MODEL_H

#include "runtime/core/executor.h"
#include "runtime/text/conversation/language_model.h"

namespace ane::rt::tools {

/// The functions that the manifest's record names: one takes a token, each of the others a
/// prompt of up to as many as its `input_ids` have; they share all states. Inputs: `input_ids` [1, T]; `position` [1],
/// how many tokens stand before these; of prompts `length` [1], how many of the T there are. Output: `logits`, behind
/// the last of them. Of prompts, those are not used whose CPU code takes much memory of its own. Entries of states
/// behind `position` are not read, so that going back is nothing but a smaller position. Prompts may run elsewhere:
/// states go there, as far as they are not there yet, and come back.
class BundleModel : public text::LanguageModel {
public:
  /// InvalidArgument, naming what is missing, for a bundle that is no decoder.
  /// `forPrompts`: the same model, opened on the device that prompts run on; null: `bundle`.
  static absl::StatusOr<std::unique_ptr<BundleModel>> create(std::shared_ptr<Bundle> bundle,
                                                             std::shared_ptr<Bundle> forPrompts = nullptr);

  /// Runs end before their next step, with Cancelled, while the flag is set.
  void useCancelFlag(std::shared_ptr<std::atomic<bool>> flag);
  /// Of the function that takes a token: its states are those of the model.
  const Executor &executor() const { return *single.executor; }
  /// Of all functions that have run, those for prompts first.
  std::vector<const Executor *> executors() const;
  /// Executor::traceTo() of what runs.
  void traceTo(std::vector<Span> *trace);
  /// Programs that did not run where they were meant to, since the last call.
  std::vector<Event> takeEvents();

  int64_t contextLength() const override { return context; }
  int64_t maxPrefill() const override { return prompts.empty() ? 1 : prompts.back().tokens; }
  int64_t position() const override { return held; }
  absl::StatusOr<absl::Span<const float>> prefill(absl::Span<const int32_t> tokens) override;
  absl::StatusOr<absl::Span<const float>> decode(int32_t token) override;
  absl::Status truncate(int64_t position) override;
  absl::Status save(const std::string &path) const override;
  absl::Status restore(const std::string &path, int64_t position) override;
  absl::StatusOr<std::unique_ptr<LanguageModel>> fork() const override;
  text::DeviceWork work() const override;
  std::string variant() const override;
  /// Computes with the adapter in a folder from now on; empty: with none. Forgets all tokens.
  absl::Status setAdapter(const std::string &folder);

private:
  /// A function that takes so many tokens.
  struct Sized {
    std::string name;
    int64_t tokens;
    size_t inputIds, position, length, logits; ///< ports
    std::shared_ptr<Executor> executor;        ///< null until it is needed
    size_t told = 0;                           ///< of its events
  };

  BundleModel() = default;
  static absl::StatusOr<Sized> describe(const Bundle &bundle, const std::string &name, bool isPrompt);
  absl::StatusOr<std::unique_ptr<BundleModel>> copied() const;
  absl::Status load(Sized &function);
  absl::Status run(Sized &function, absl::Span<const int32_t> tokens, int64_t at);
  Sized *promptFor(int64_t tokens, int64_t at);
  absl::Status takeStates(BundleModel &from, int64_t tokens);
  absl::StatusOr<absl::Span<const float>> prefillElsewhere(absl::Span<const int32_t> tokens);

  int64_t context = 0, held = 0;
  uint64_t moved = 0;                     ///< bytes of states, here
  std::unique_ptr<BundleModel> elsewhere; ///< for prompts; its tokens are the first of these
  Sized single;
  std::vector<Sized> prompts; ///< ascending
  std::vector<float> logits;
  std::vector<Span> *spans = nullptr;
  std::shared_ptr<std::atomic<bool>> cancelled;
};

} // namespace ane::rt::tools

#endif // ANE_RUNTIME_TOOLS_BUNDLE_MODEL_H
