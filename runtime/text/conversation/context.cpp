//===- context.cpp - Which tokens a model's state is of -------------------===//
#include "runtime/text/conversation/context.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <chrono>

namespace ane::rt::text {
namespace {

/// Adds what a step takes to its phase.
class Measure {
public:
  Measure(const LanguageModel &model, Phase &phase)
      : model(model), phase(phase), before(model.work()), start(std::chrono::steady_clock::now()) {}

  void count(size_t tokens) {
    std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    DeviceWork after = model.work();
    phase.tokens += static_cast<int64_t>(tokens);
    phase.seconds += time.count();
    phase.work.evaluations += after.evaluations - before.evaluations;
    phase.work.bytes += after.bytes - before.bytes;
    phase.work.moved += after.moved - before.moved;
  }

private:
  const LanguageModel &model;
  Phase &phase;
  DeviceWork before;
  std::chrono::steady_clock::time_point start;
};

} // namespace

absl::StatusOr<absl::Span<const float>> Context::set(absl::Span<const int32_t> tokens, const std::atomic<bool> &cancel,
                                                     Statistics &statistics) {
  size_t room = static_cast<size_t>(owned->contextLength());
  if (tokens.empty() || tokens.size() > room)
    return absl::InvalidArgumentError(
        absl::StrCat("the prompt has ", tokens.size(), " tokens; 1 to ", room, " are what the model's context takes"));
  // The last one goes through the model in any case, for its logits.
  size_t most = std::min(held.size(), tokens.size() - 1);
  size_t same = static_cast<size_t>(
      std::mismatch(held.begin(), held.begin() + static_cast<ptrdiff_t>(most), tokens.begin()).first - held.begin());
  if (same < held.size()) {
    absl::Status status = owned->truncate(static_cast<int64_t>(same));
    if (absl::IsFailedPrecondition(status)) {
      same = 0;
      status = owned->truncate(0);
    }
    if (!status.ok())
      return status;
    held.resize(same);
  }
  statistics.reused += static_cast<int64_t>(same);
  absl::StatusOr<absl::Span<const float>> logits = absl::InternalError("no tokens");
  for (size_t at = same; at < tokens.size(); at = held.size()) {
    if (cancel)
      return absl::CancelledError("cancelled");
    auto part = tokens.subspan(at, static_cast<size_t>(owned->maxPrefill()));
    Measure measure(*owned, statistics.prefill);
    logits = part.size() == 1 ? owned->decode(part[0]) : owned->prefill(part);
    if (!logits.ok())
      return logits;
    measure.count(part.size());
    held.insert(held.end(), part.begin(), part.end());
  }
  return logits;
}

absl::StatusOr<absl::Span<const float>> Context::add(int32_t token, Statistics &statistics) {
  Measure measure(*owned, statistics.decode);
  absl::StatusOr<absl::Span<const float>> logits = owned->decode(token);
  if (logits.ok()) {
    measure.count(1);
    held.push_back(token);
  }
  return logits;
}

absl::Status Context::restore(const std::string &path, std::vector<int32_t> tokens) {
  if (tokens.size() > static_cast<size_t>(owned->contextLength()))
    return absl::InvalidArgumentError(absl::StrCat(
        "the saved state is of ", tokens.size(), " tokens, more than the model's context of ", owned->contextLength()));
  absl::Status status = owned->restore(path, static_cast<int64_t>(tokens.size()));
  if (status.ok())
    held = std::move(tokens);
  return status;
}

absl::Status Context::forget() {
  held.clear();
  return owned->truncate(0);
}

absl::StatusOr<Context> Context::fork() const {
  absl::StatusOr<std::unique_ptr<LanguageModel>> model = owned->fork();
  if (!model.ok())
    return model.status();
  Context context(*std::move(model));
  context.held = held;
  return context;
}

} // namespace ane::rt::text
