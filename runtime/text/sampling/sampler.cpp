//===- sampler.cpp - From logits to the next token ------------------------===//
#include "runtime/text/sampling/sampler.h"
#include "absl/strings/str_cat.h"
#include "runtime/support/philox.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace ane::rt::text {
namespace {

constexpr int kWeightBits = 43;
constexpr size_t kMaxLogits = size_t(1) << 20; // their weights add up below 2^64

/// 2^43 * exp(-distance), rounded down, for a distance that is not negative. Each
/// operation is rounded as IEEE 754 says, everywhere (see CMakeLists.txt); the exp of
/// C libraries differs in the last bit.
uint64_t weightAt(double distance) {
  constexpr double kLn2 = 0.69314718055994530942;
  constexpr int kTerms = 18; // ln(2)^18 / 18! < 2^-60
  double halvings = distance / kLn2;
  if (!(halvings < kWeightBits + 1))
    return 0;
  double whole = std::floor(halvings);
  // exp(-rest) = 1 - rest / 1 * (1 - rest / 2 * (...))
  double rest = (halvings - whole) * kLn2, sum = 1;
  for (int term = kTerms; term > 0; --term)
    sum = 1 - rest * sum / term;
  return static_cast<uint64_t>(sum * static_cast<double>(uint64_t(1) << kWeightBits)) >> static_cast<int>(whole);
}

struct Scored {
  double score;
  int32_t token;
};

/// Larger scores first, then smaller ids: a total order, so that what is sorted by it is the same everywhere.
bool isBefore(const Scored &a, const Scored &b) { return a.score != b.score ? a.score > b.score : a.token < b.token; }

absl::Status outOfRange(const char *name, double value, const char *range) {
  return absl::InvalidArgumentError(absl::StrCat(name, " is ", value, "; it must be ", range));
}

uint64_t sumOf(const std::vector<Candidate> &candidates) {
  uint64_t sum = 0;
  for (const Candidate &candidate : candidates)
    sum += candidate.weight;
  return sum;
}

} // namespace

absl::StatusOr<Sampler> Sampler::create(SamplingOptions options) {
  auto isBetween = [](double value, double low, double high) { return value >= low && value <= high; };
  if (!isBetween(options.temperature, 0, 1000) || (options.temperature > 0 && options.temperature < 1e-3))
    return outOfRange("the temperature", options.temperature, "0, for the most likely token, or 0.001 to 1000");
  if (options.topK < 0)
    return outOfRange("top-k", static_cast<double>(options.topK), "0, for all tokens, or the number that is kept");
  if (!isBetween(options.topP, 0, 1) || options.topP == 0)
    return outOfRange("top-p", options.topP, "above 0 and at most 1");
  if (!isBetween(options.minP, 0, 1))
    return outOfRange("min-p", options.minP, "0 to 1");
  if (!isBetween(options.repetitionPenalty, 0.01, 100))
    return outOfRange("the repetition penalty", options.repetitionPenalty, "0.01 to 100, 1 for none");
  if (!isBetween(options.presencePenalty, -100, 100))
    return outOfRange("the presence penalty", options.presencePenalty, "-100 to 100, 0 for none");
  if (!isBetween(options.frequencyPenalty, -100, 100))
    return outOfRange("the frequency penalty", options.frequencyPenalty, "-100 to 100, 0 for none");
  if (options.penaltyWindow < 0)
    return outOfRange("the window of penalties", static_cast<double>(options.penaltyWindow),
                      "0, for all tokens, or their number");
  for (const auto &[token, bias] : options.logitBias)
    if (token < 0 || std::isnan(bias) || bias == std::numeric_limits<float>::infinity())
      return absl::InvalidArgumentError(absl::StrCat("the bias of token ", token, " is ", bias,
                                                     "; tokens are not negative, and biases finite or minus infinity"));
  Sampler sampler;
  sampler.chosen = std::move(options);
  return sampler;
}

absl::StatusOr<std::vector<double>> Sampler::scores(absl::Span<const float> logits,
                                                    absl::Span<const int32_t> tokens) const {
  if (logits.empty() || logits.size() > kMaxLogits)
    return absl::InvalidArgumentError(
        absl::StrCat("the model gives ", logits.size(), " logits; 1 to ", kMaxLogits, " are supported"));
  for (size_t i = 0; i < logits.size(); ++i)
    if (!std::isfinite(logits[i]))
      return absl::InvalidArgumentError(absl::StrCat("the logit of token ", i, " is ", logits[i],
                                                     "; the model's weights or its numbers in fp16 are broken"));
  std::vector<double> out(logits.begin(), logits.end());
  for (const auto &[token, bias] : chosen.logitBias) {
    if (static_cast<size_t>(token) >= out.size())
      return absl::InvalidArgumentError(
          absl::StrCat("there is a bias for token ", token, ", but the model has ", out.size(), " tokens"));
    out[static_cast<size_t>(token)] += static_cast<double>(bias);
  }
  if (chosen.repetitionPenalty == 1 && chosen.presencePenalty == 0 && chosen.frequencyPenalty == 0)
    return out;
  if (chosen.penaltyWindow > 0 && tokens.size() > static_cast<size_t>(chosen.penaltyWindow))
    tokens = tokens.last(static_cast<size_t>(chosen.penaltyWindow));
  std::unordered_map<int32_t, int64_t> counts;
  for (int32_t token : tokens)
    ++counts[token];
  for (const auto &[token, count] : counts) {
    if (token < 0 || static_cast<size_t>(token) >= out.size())
      return absl::InvalidArgumentError(
          absl::StrCat("token ", token, " of the text is none of the model's ", out.size()));
    double &score = out[static_cast<size_t>(token)];
    score = score > 0 ? score / chosen.repetitionPenalty : score * chosen.repetitionPenalty;
    score -= static_cast<double>(count) * chosen.frequencyPenalty;
    score -= chosen.presencePenalty;
  }
  return out;
}

absl::StatusOr<std::vector<Candidate>> Sampler::candidates(absl::Span<const float> logits,
                                                           absl::Span<const int32_t> tokens) const {
  absl::StatusOr<std::vector<double>> all = scores(logits, tokens);
  if (!all.ok())
    return all.status();
  double largest = *std::max_element(all->begin(), all->end());
  if (largest == -std::numeric_limits<double>::infinity())
    return absl::InvalidArgumentError("every token is banned by its bias; nothing can follow");
  if (chosen.temperature == 0) {
    auto first = std::find(all->begin(), all->end(), largest);
    return std::vector<Candidate>{{static_cast<int32_t>(first - all->begin()), uint64_t(1) << kWeightBits}};
  }
  std::vector<Scored> kept;
  for (size_t i = 0; i < all->size(); ++i)
    if (weightAt((largest - (*all)[i]) / chosen.temperature) > 0)
      kept.push_back({(*all)[i], static_cast<int32_t>(i)});
  if (chosen.topK > 0 && static_cast<size_t>(chosen.topK) < kept.size()) {
    auto last = kept.begin() + (chosen.topK - 1);
    std::nth_element(kept.begin(), last, kept.end(), isBefore);
    double least = last->score;
    kept.erase(std::remove_if(last, kept.end(), [&](const Scored &s) { return s.score < least; }), kept.end());
  }
  std::sort(kept.begin(), kept.end(), isBefore);
  std::vector<Candidate> out;
  for (const Scored &scored : kept)
    out.push_back({scored.token, weightAt((largest - scored.score) / chosen.temperature)});
  if (chosen.topP < 1) {
    double enough = chosen.topP * static_cast<double>(sumOf(out));
    uint64_t sum = 0;
    size_t count = 0;
    while (count < out.size() && static_cast<double>(sum) < enough)
      sum += out[count++].weight;
    out.resize(std::max<size_t>(count, 1));
  }
  if (chosen.minP > 0) {
    double least = chosen.minP * static_cast<double>(out.front().weight);
    while (out.size() > 1 && static_cast<double>(out.back().weight) < least)
      out.pop_back();
  }
  return out;
}

absl::StatusOr<int32_t> Sampler::sample(absl::Span<const float> logits, absl::Span<const int32_t> tokens) {
  absl::StatusOr<std::vector<Candidate>> from = candidates(logits, tokens);
  if (!from.ok())
    return from.status();
  if (chosen.temperature == 0)
    return from->front().token;
  uint64_t number = randomBelow(chosen.seed, draws++, sumOf(*from));
  for (const Candidate &candidate : *from) {
    if (number < candidate.weight)
      return candidate.token;
    number -= candidate.weight;
  }
  return from->back().token; // not reached: the number is below the sum
}

} // namespace ane::rt::text
