// language_model_tool BUNDLE DEVICE[,DEVICE-OF-PROMPTS] COMMANDS: the file has a command a line. {"set": [tokens]}
// makes the model's state that of a text, {"add": token} adds to it: prints {"logits": [...], "reused": N, "prefill":
// N, "decode": N, "evaluations": N, "moved": bytes}. {"save": path}, {"restore": path} (of the text that was saved
// last); {"fork": true} goes on with a copy. An error is {"error": message}.
#include "absl/strings/str_split.h"
#include "runtime/text/conversation/context.h"
#include "runtime/tools/bundle_model.h"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

using namespace ane::rt;
using nlohmann::json;

static json answer(std::optional<text::Context> &context, std::vector<int32_t> &saved, const json &command) {
  text::Statistics statistics;
  std::atomic<bool> cancel{false};
  absl::Status status;
  absl::StatusOr<absl::Span<const float>> logits = absl::Span<const float>();
  if (command.contains("set")) {
    logits = context->set(command["set"].get<std::vector<int32_t>>(), cancel, statistics);
  } else if (command.contains("add")) {
    logits = context->add(command["add"].get<int32_t>(), statistics);
  } else if (command.contains("save")) {
    saved = context->tokens();
    status = context->save(command["save"]);
  } else if (command.contains("restore")) {
    status = context->restore(command["restore"], saved);
  } else {
    absl::StatusOr<text::Context> fork = context->fork();
    status = fork.status();
    if (fork.ok())
      context.emplace(*std::move(fork));
  }
  status.Update(logits.status());
  if (!status.ok())
    return {{"error", std::string(status.message())}};
  return {{"logits", std::vector<float>(logits->begin(), logits->end())},
          {"reused", statistics.reused},
          {"prefill", statistics.prefill.tokens},
          {"decode", statistics.decode.tokens},
          {"evaluations", statistics.prefill.work.evaluations + statistics.decode.work.evaluations},
          {"moved", statistics.prefill.work.moved + statistics.decode.work.moved}};
}

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: language_model_tool BUNDLE DEVICE COMMANDS\n");
    return 2;
  }
  std::vector<std::shared_ptr<Bundle>> places;
  for (absl::string_view device : absl::StrSplit(argv[2], ',')) {
    BundleOptions options;
    options.device = std::string(device);
    auto bundle = Bundle::open(argv[1], options);
    if (!bundle.ok()) {
      std::fprintf(stderr, "error: %s\n", std::string(bundle.status().message()).c_str());
      return 1;
    }
    places.push_back(*std::move(bundle));
  }
  absl::StatusOr<std::unique_ptr<tools::BundleModel>> model =
      tools::BundleModel::create(places.front(), places.size() > 1 ? places.back() : nullptr);
  if (!model.ok()) {
    std::fprintf(stderr, "error: %s\n", std::string(model.status().message()).c_str());
    return 1;
  }
  std::optional<text::Context> context(text::Context(*std::move(model)));
  std::vector<int32_t> saved;
  std::ifstream commands(argv[3]);
  for (std::string line; std::getline(commands, line);)
    std::cout << answer(context, saved, json::parse(line)).dump() << "\n";
}
