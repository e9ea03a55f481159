//===- Language.cpp - language models beside a peer -----------------------===//

#include "Language.h"
#include "LanguageSession.h"
#include "Machine.h"
#include "Options.h"
#include "Peer.h"
#include "Turns.h"
#include "runtime/format/gguf/gguf.h"
#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>

using namespace ane::bench;

static const char usage[] = "usage: ane-bench llm [options] MODEL.gguf...\n"
                            "  --peer=COMMAND          another program that runs the same file, such as\n"
                            "                          '.venv-bench/bin/python scripts/bench/llama_peer.py'\n"
                            "  --threads=N             of both sides (default 2)\n"
                            "  --rounds=N              turns that each side gets (default 5)\n"
                            "  --prefill=N             tokens of the prompt (default 256)\n"
                            "  --decode=N              tokens behind it (default 64)\n"
                            "  --context=N             tokens that there is room for (default 512)\n"
                            "  --parallel=N            also N sequences that decode together, beside one\n"
                            "  --activations=KIND      exact or int8, of ane-compile (default exact)\n"
                            "  --kv-cache=TYPE         fp32 or fp16, of ane-compile (default fp32)\n"
                            "  --compiler=COMMAND      default ane-compile\n"
                            "  --json                  print an object, and an error as an object on stderr\n";

std::string LanguageOptions::take(const std::string &argument) {
  return TurnOptions::take(
      argument, {{"--prefill", &prefill}, {"--decode", &decode}, {"--context", &context}, {"--parallel", &parallel}},
      {{"--peer", [&](const std::string &value) { peer = value; }},
       {"--activations", [&](const std::string &value) { activations = value; }},
       {"--kv-cache", [&](const std::string &value) { cacheType = value; }}});
}

namespace {

std::string addRun(const Side &side, Times &times) {
  times.ns.push_back(0);
  return side(times.ns.back());
}

/// Weights that a token's step reads, by form. Embeddings count where they are the head, too.
struct Weights {
  std::map<std::string, uint64_t> bytesOf;
  uint64_t total = 0;

  std::string read(const std::string &path) {
    absl::StatusOr<ane::rt::gguf::File> file = ane::rt::gguf::File::open(path);
    if (!file.ok())
      return std::string(file.status().message());
    for (const ane::rt::gguf::Tensor &tensor : file->tensors()) {
      if (tensor.shape.size() != 2 || (tensor.name == "token_embd.weight" && file->tensor("output.weight")))
        continue;
      bytesOf[std::string(tensor.block.name)] += tensor.bytes;
      total += tensor.bytes;
    }
    return "";
  }
};

class Comparison {
public:
  Comparison(const LanguageOptions &options, const std::string &model) : options(options), model(model) {}
  /// Returns what went wrong, or nothing.
  std::string run();
  Json record() const;
  const Peer &thePeer() const { return peer; }

private:
  std::string open();
  Json phase(int tokens, const Times &own, const Times &other) const;

  const LanguageOptions &options;
  std::string model;
  Folder folder;
  Weights weights;
  LanguageSession session;
  Peer peer;
  Times prefill, decode, together, peerPrefill, peerDecode, reading;
};

} // namespace

std::string Comparison::open() {
  if (std::string error = weights.read(model); !error.empty())
    return error;
  if (folder.path.empty())
    return "can't make a folder for the bundle";
  std::string bundle = folder.path + "/model.anebundle", prompt = std::to_string(options.prefill);
  std::string command = options.compiler + " " + shellWord(model) + " -o " + shellWord(bundle) +
                        " --quiet --activations=" + shellWord(options.activations) +
                        " --kv-cache=" + shellWord(options.cacheType) + " --prefill=" + prompt +
                        " --context=" + std::to_string(options.context) +
                        (options.isJSON ? " --diagnostics=json" : "") +
                        (options.parallel ? " --parallel=" + std::to_string(options.parallel) : "");
  if (std::system(command.c_str()) != 0)
    return "the compiler failed on " + model;
  if (std::string error = session.open(bundle, options.prefill, options.parallel, options.threads); !error.empty())
    return error;
  if (options.peer.empty())
    return "";
  return peer.start(options.peer + " " + shellWord(model) + " " + std::to_string(options.threads) + " " +
                    std::to_string(options.context) + " " + prompt + " " + std::to_string(options.decode));
}

std::string Comparison::run() {
  std::string error = open();
  Reading memory(weights.total, options.threads);
  // In turns, so that a busy minute of the machine meets all. The first round warms caches and counts for nothing.
  for (int round = 0; round <= options.rounds && error.empty(); ++round) {
    if (round == 1)
      for (Times *times : {&prefill, &decode, &together, &peerPrefill, &peerDecode, &reading})
        times->ns.clear();
    auto turn = [&](const Side &side, Times &times) {
      if (error.empty())
        error = addRun(side, times);
    };
    std::this_thread::sleep_for(pauseBetween);
    turn([&](double &ns) { return session.prefill(ns); }, prefill);
    turn([&](double &ns) { return session.decode(options.decode, ns); }, decode);
    if (options.parallel)
      turn([&](double &ns) { return session.together(options.decode, ns); }, together);
    std::this_thread::sleep_for(pauseBetween);
    if (!options.peer.empty()) {
      turn([&](double &ns) { return peer.run(ns, 'p'); }, peerPrefill);
      turn([&](double &ns) { return peer.run(ns, 'd'); }, peerDecode);
      std::this_thread::sleep_for(pauseBetween);
    }
    turn([&](double &ns) { return ns = memory.run(), ""; }, reading);
  }
  return error;
}

Json Comparison::phase(int tokens, const Times &own, const Times &other) const {
  Json result = {{"tokens_per_s", tokens / own.median() * 1e9}};
  if (!other.ns.empty()) {
    result["peer_tokens_per_s"] = tokens / other.median() * 1e9;
    result["ratio"] = other.median() / own.median();
  }
  return result;
}

Json Comparison::record() const {
  Json result = {{"model", std::filesystem::path(model).filename().string()}, {"weight_bytes", weights.bytesOf}};
  result["read_bytes_per_s"] = double(weights.total) / reading.median() * 1e9;
  result["prefill"] = phase(options.prefill, prefill, peerPrefill);
  Json &step = result["decode"] = phase(options.decode, decode, peerDecode);
  step["bound_tokens_per_s"] = 1e9 / reading.median();
  step["of_bound"] = options.decode * reading.median() / decode.median();
  if (options.parallel) {
    result["together"] = phase(options.decode * options.parallel, together, Times());
    result["together"]["of_one"] = options.parallel * decode.median() / together.median();
  }
  return result;
}

/// Completes what describeMachine() has begun.
static void describe(Json &result, const LanguageOptions &options, const std::string &peer) {
  if (!peer.empty())
    result["peer"] = peer;
  result.update({{"threads", options.threads}, {"rounds", options.rounds}, {"context", options.context}});
  result.update({{"prefill", options.prefill}, {"decode", options.decode}, {"parallel", options.parallel}});
  result["activations"] = options.activations;
  result["kv_cache"] = options.cacheType;
}

static void printTable(const Json &result) {
  printMachine(result);
  if (result.contains("peer"))
    std::cout << "; " << result["peer"].get<std::string>();
  std::cout << "\n"
            << result["threads"] << " threads, context " << result["context"] << ", medians of " << result["rounds"]
            << " rounds, activations " << result["activations"].get<std::string>() << ", caches in "
            << result["kv_cache"].get<std::string>() << "\n\n";
  char line[256];
  std::snprintf(line, sizeof line, "%-28s %-12s %9s %9s %6s %9s %9s %7s\n", "model", "phase", "tokens/s", "peer's",
                "ratio", "bound", "of bound", "of one");
  std::cout << line;
  for (const Json &model : result["models"])
    for (auto [phase, count] : {std::pair("prefill", "prefill"), {"decode", "decode"}, {"together", "parallel"}}) {
      if (!model.contains(phase))
        continue;
      auto number = [&model = model[phase]](const char *key, int digits) -> std::string {
        if (!model.contains(key))
          return "-";
        char text[32];
        std::snprintf(text, sizeof text, "%.*f", digits, model[key].get<double>());
        return text;
      };
      std::snprintf(line, sizeof line, "%-28s %-12s %9s %9s %6s %9s %9s %7s\n",
                    model["model"].get_ref<const std::string &>().c_str(),
                    (phase + std::to_string(result[count].get<int>())).c_str(), number("tokens_per_s", 1).c_str(),
                    number("peer_tokens_per_s", 1).c_str(), number("ratio", 2).c_str(),
                    number("bound_tokens_per_s", 0).c_str(), number("of_bound", 2).c_str(),
                    number("of_one", 2).c_str());
      std::cout << line;
    }
}

int ane::bench::runLanguageModels(int argc, char **argv) {
  LanguageOptions options;
  auto take = [&](const std::string &argument) { return options.take(argument); };
  auto check = [&]() -> std::string {
    if (options.models.empty())
      return "nothing to measure: give a GGUF file";
    if (options.prefill + options.decode > options.context)
      return "--context: is " + std::to_string(options.context) + ", expected at least --prefill + --decode, " +
             std::to_string(options.prefill + options.decode);
    return "";
  };
  if (std::optional<int> ended = parseTurns(argc, argv, usage, take, check))
    return *ended;
  Json result = describeMachine();
  std::string peer;
  Json models = Json::array();
  for (const std::string &model : options.models) {
    Comparison comparison(options, model);
    if (std::string error = comparison.run(); !error.empty()) {
      printError(error, options.isJSON);
      return 1;
    }
    models.push_back(comparison.record());
    peer = comparison.thePeer().description();
  }
  describe(result, options, peer);
  result["models"] = models;
  if (options.isJSON)
    std::cout << result.dump(2) << "\n";
  else
    printTable(result);
  return 0;
}
