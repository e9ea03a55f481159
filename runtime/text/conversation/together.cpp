//===- together.cpp - Answers to several prompts at once ------------------===//
#include "runtime/text/conversation/together.h"
#include "absl/strings/str_cat.h"
#include "runtime/text/conversation/draft.h"

#include <algorithm>
#include <map>

namespace ane::rt::text {
namespace {

class Group {
public:
  Group(Context &single, ParallelModel &parallel, const Codec &codec, const Sampler &sampler,
        const std::vector<std::vector<int32_t>> &prompts, const GenerateOptions &options,
        const TogetherListeners &listeners, const std::atomic<bool> &cancel)
      : single(single), parallel(parallel), codec(codec), sampler(sampler), prompts(prompts), options(options),
        listeners(listeners), cancel(cancel), running(static_cast<size_t>(parallel.sequences())) {}

  absl::StatusOr<Statistics> run() {
    if (options.overflow == Overflow::Shift)
      return absl::InvalidArgumentError(
          "sequences that decode together have no room to shift: answers end where the context is full");
    for (;;) {
      for (size_t i = 0; i < running.size(); ++i)
        while (!running[i] && next < prompts.size() && !cancel)
          if (absl::Status status = begin(i); !status.ok())
            return status;
      if (cancel || std::none_of(running.begin(), running.end(), [](auto &sequence) { return sequence != nullptr; }))
        break;
      if (absl::Status status = step(); absl::IsCancelled(status))
        break;
      else if (!status.ok())
        return status;
    }
    for (auto &sequence : running)
      if (sequence) {
        sequence->draft.stop(End::Cancelled);
        end(sequence);
      }
    return total;
  }

private:
  struct Sequence {
    Sequence(size_t prompt, const Codec &codec, const Sampler &sampler, const GenerateOptions &options,
             const TogetherListeners &listeners, std::vector<int32_t> text)
        : prompt(prompt), sampler(sampler), text(std::move(text)),
          draft(codec, this->sampler, options, this->listener) {
      if (listeners.token)
        listener = [prompt, &listeners](const TokenEvent &event) { listeners.token(prompt, event); };
    }
    Sequence(const Sequence &) = delete;
    Sequence &operator=(const Sequence &) = delete;

    size_t prompt;
    Sampler sampler;
    Listener listener;
    std::vector<int32_t> text; ///< the prompt and what was said
    Draft draft;
  };

  /// The next prompt goes through the model, and its state to place `i`; unless its answer has one token only.
  absl::Status begin(size_t i) {
    const std::vector<int32_t> &prompt = prompts[next];
    auto sequence = std::make_unique<Sequence>(next++, codec, sampler, options, listeners, prompt);
    if (absl::Status status = fits(*sequence); !status.ok())
      return status;
    absl::StatusOr<absl::Span<const float>> logits = single.set(prompt, cancel, sequence->draft.statistics());
    bool goesOn = false;
    absl::Status status = logits.status();
    if (logits.ok()) {
      absl::StatusOr<bool> taken = sequence->draft.take(*logits, sequence->text);
      status = taken.status();
      goesOn = taken.ok() && *taken && hasRoom(*sequence);
    } else if (absl::IsCancelled(status)) {
      sequence->draft.stop(End::Cancelled);
      status = absl::OkStatus();
    }
    if (!status.ok())
      return named(*sequence, status);
    const Statistics &cost = sequence->draft.statistics();
    if (total.prefill.tokens == 0)
      total.firstTokenSeconds = cost.firstTokenSeconds;
    total.reused += cost.reused;
    add(total.prefill, cost.prefill);
    if (!goesOn) {
      end(sequence);
      return absl::OkStatus();
    }
    running[i] = std::move(sequence);
    return parallel.take(static_cast<int64_t>(i));
  }

  /// A token more of each.
  absl::Status step() {
    std::vector<int32_t> tokens(running.size(), -1);
    for (size_t i = 0; i < running.size(); ++i)
      if (running[i])
        tokens[i] = running[i]->text.back();
    DeviceWork before = parallel.work();
    auto start = std::chrono::steady_clock::now();
    if (absl::Status status = parallel.decode(tokens); !status.ok())
      return status;
    Phase cost;
    cost.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    DeviceWork after = parallel.work();
    cost.work = {after.evaluations - before.evaluations, after.bytes - before.bytes};
    cost.tokens = static_cast<int64_t>(tokens.size()) - std::count(tokens.begin(), tokens.end(), -1);
    add(total.decode, cost);
    for (size_t i = 0; i < running.size(); ++i) {
      if (!running[i])
        continue;
      Sequence &sequence = *running[i];
      absl::StatusOr<bool> goesOn = sequence.draft.take(parallel.logits(static_cast<int64_t>(i)), sequence.text);
      if (!goesOn.ok())
        return named(sequence, goesOn.status());
      if (!*goesOn || !hasRoom(sequence))
        end(running[i]);
    }
    return absl::OkStatus();
  }

  absl::Status fits(const Sequence &sequence) const {
    int64_t room = single.model().contextLength(), size = static_cast<int64_t>(sequence.text.size());
    return size <= room ? absl::OkStatus()
                        : named(sequence, absl::ResourceExhaustedError(absl::StrCat(
                                              "has ", size, " tokens, and the model's context takes ", room,
                                              "; make it shorter, or compile the model with a larger --context")));
  }

  /// For the last token, which the model has not seen.
  bool hasRoom(Sequence &sequence) const {
    return static_cast<int64_t>(sequence.text.size()) <= single.model().contextLength() ||
           sequence.draft.stop(End::Context);
  }

  static absl::Status named(const Sequence &sequence, const absl::Status &status) {
    return absl::Status(status.code(), absl::StrCat("prompt ", sequence.prompt + 1, ": ", status.message()));
  }

  static void add(Phase &sum, const Phase &cost) {
    sum.tokens += cost.tokens;
    sum.seconds += cost.seconds;
    sum.work += cost.work;
  }

  /// Tells of the answer once those before it were told.
  void end(std::unique_ptr<Sequence> &sequence) {
    ended.emplace(sequence->prompt, sequence->draft.finish());
    sequence.reset();
    while (!ended.empty() && ended.begin()->first == told) {
      if (listeners.answer)
        listeners.answer(told, ended.begin()->second);
      ended.erase(ended.begin());
      ++told;
    }
  }

  Context &single;
  ParallelModel &parallel;
  const Codec &codec;
  const Sampler &sampler;
  const std::vector<std::vector<int32_t>> &prompts;
  const GenerateOptions &options;
  const TogetherListeners &listeners;
  const std::atomic<bool> &cancel;
  std::vector<std::unique_ptr<Sequence>> running; ///< by place in the model; null: free
  std::map<size_t, Answer> ended;                 ///< not told yet
  size_t next = 0, told = 0;                      ///< prompts
  Statistics total;
};

} // namespace

absl::StatusOr<Statistics> generateTogether(Context &single, ParallelModel &parallel, const Codec &codec,
                                            const Sampler &sampler, const std::vector<std::vector<int32_t>> &prompts,
                                            const GenerateOptions &options, const TogetherListeners &listeners,
                                            const std::atomic<bool> &cancel) {
  return Group(single, parallel, codec, sampler, prompts, options, listeners, cancel).run();
}

} // namespace ane::rt::text
