// sampler_tool CASES: the file has an object a line, {"temperature": ..., ..., "bias": [[token, bias], ...], "logits":
// [...], "tokens": [...], "draws": N}. Prints a line for each: {"tokens": [...], "weights": [...], "drawn": [N
// tokens]}.
#include "runtime/text/sampling/sampler.h"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

using namespace ane::rt::text;
using nlohmann::json;

static json answer(const json &request) {
  SamplingOptions options;
  options.temperature = request.value("temperature", 1.0);
  options.topK = request.value("top_k", int64_t(0));
  options.topP = request.value("top_p", 1.0);
  options.minP = request.value("min_p", 0.0);
  options.repetitionPenalty = request.value("repetition_penalty", 1.0);
  options.presencePenalty = request.value("presence_penalty", 0.0);
  options.frequencyPenalty = request.value("frequency_penalty", 0.0);
  options.logitBias = request.value("bias", options.logitBias);
  options.seed = request.value("seed", uint64_t(0));
  auto logits = request["logits"].get<std::vector<float>>();
  auto tokens = request["tokens"].get<std::vector<int32_t>>();
  absl::StatusOr<Sampler> sampler = Sampler::create(options);
  if (!sampler.ok())
    return {{"error", std::string(sampler.status().message())}};
  absl::StatusOr<std::vector<Candidate>> candidates = sampler->candidates(logits, tokens);
  if (!candidates.ok())
    return {{"error", std::string(candidates.status().message())}};
  json out = {{"tokens", json::array()}, {"weights", json::array()}, {"drawn", json::array()}};
  for (const Candidate &candidate : *candidates) {
    out["tokens"].push_back(candidate.token);
    out["weights"].push_back(candidate.weight);
  }
  for (int64_t i = 0; i < request.value("draws", int64_t(0)); ++i)
    out["drawn"].push_back(*sampler->sample(logits, tokens));
  return out;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: sampler_tool CASES\n");
    return 2;
  }
  std::ifstream cases(argv[1]);
  for (std::string line; std::getline(cases, line);)
    std::cout << answer(json::parse(line)).dump() << "\n";
}
