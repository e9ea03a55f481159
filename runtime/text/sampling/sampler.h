//===- sampler.h - From logits to the next token ----------------*- C++ -*-===//
//
// The steps, each of which is left out at its default, are those of Hugging Face's
// transformers, in its order:
//
//   1. logit bias       what is given for a token is added to its logit
//   2. penalties        of tokens in the window: repetition divides a positive logit and
//                       multiplies a negative one; presence is subtracted once, frequency
//                       for each time (as llama.cpp and OpenAI's API have them)
//   3. temperature      divides all logits; 0 takes the largest, and nothing below applies
//   4. top-k            keeps those that are not below the k-th largest
//   5. top-p            keeps the most likely, until they have at least that probability
//   6. min-p            keeps those with at least this share of the largest probability
//   7. draw             one of what is kept, by its probability
//
// (llama.cpp's default divides by the temperature last.) The same logits and seed
// give the same tokens on every platform: probabilities are integers, shares of
// 2^43 for the most likely token, computed by additions, multiplications and
// divisions of doubles alone. A token with less than 2^-43 of the largest
// probability is never drawn.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_TEXT_SAMPLING_SAMPLER_H
#define ANE_RUNTIME_TEXT_SAMPLING_SAMPLER_H

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ane::rt::text {

struct SamplingOptions {
  double temperature = 0;
  int64_t topK = 0; ///< 0: all
  double topP = 1, minP = 0;
  double repetitionPenalty = 1, presencePenalty = 0, frequencyPenalty = 0;
  int64_t penaltyWindow = 0; ///< that many tokens back; 0: all, the prompt's too
  /// Token and what is added; minus infinity bans it.
  std::vector<std::pair<int32_t, float>> logitBias;
  uint64_t seed = 0;
};

/// A token that may be drawn, and its share.
struct Candidate {
  int32_t token;
  uint64_t weight;
};

class Sampler {
public:
  /// InvalidArgument with the option and its range.
  static absl::StatusOr<Sampler> create(SamplingOptions options);

  /// What may follow `tokens`, most likely first. InvalidArgument for logits that are not
  /// finite, and where everything is banned. At most 2^20 logits.
  absl::StatusOr<std::vector<Candidate>> candidates(absl::Span<const float> logits,
                                                    absl::Span<const int32_t> tokens) const;
  /// One of them. The number that decides is that of the seed with index `draws`, which is then
  /// one more.
  absl::StatusOr<int32_t> sample(absl::Span<const float> logits, absl::Span<const int32_t> tokens);

  const SamplingOptions &options() const { return chosen; }
  uint64_t draws = 0;

private:
  absl::StatusOr<std::vector<double>> scores(absl::Span<const float> logits, absl::Span<const int32_t> tokens) const;
  SamplingOptions chosen;
};

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEXT_SAMPLING_SAMPLER_H
