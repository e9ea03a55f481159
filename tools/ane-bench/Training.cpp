//===- Training.cpp - steps of training beside peers ----------------------===//

#include "Training.h"
#include "Machine.h"
#include "Options.h"
#include "Peer.h"
#include "TrainingSession.h"
#include "Turns.h"
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <unistd.h>

using namespace ane::bench;

static const char usage[] =
    "usage: ane-bench train [options] MODEL...\n"
    "MODEL is a language model in Hugging Face's files. A step is a forward pass, gradients of the\n"
    "mean cross-entropy, their norm clipped to 1, and AdamW (rate 3e-4, decay 0.1 of matrices).\n"
    "  --peer=COMMAND          another program that takes the same steps, such as\n"
    "                          '.venv-models/bin/python scripts/bench/torch_train_peer.py';\n"
    "                          may be given several times\n"
    "  --threads=N             of all sides (default 2)\n"
    "  --rounds=N              turns that each side gets (default 5)\n"
    "  --steps=N               of a turn (default 2)\n"
    "  --batch=N               examples of a step (default 1)\n"
    "  --sequence=N            tokens of an example (default 256)\n"
    "  --compiler=COMMAND      default ane-compile\n"
    "  --json                  print an object, and an error as an object on stderr\n";

std::string TrainingOptions::take(const std::string &argument) {
  return TurnOptions::take(argument, {{"--steps", &steps}, {"--batch", &batch}, {"--sequence", &sequence}},
                           {{"--peer", [&](const std::string &value) { peers.push_back(value); }}});
}

namespace {

/// Steps of one model, here and by the peers.
class Steps {
public:
  Steps(const TrainingOptions &options, const std::string &model) : options(options), model(model) {}
  /// Returns what went wrong, or nothing.
  std::string run();
  Json record() const;

private:
  struct Other {
    Peer peer;
    std::unique_ptr<AnonymousPeak> memory;
    Times times;
    double loss = 0;
  };
  std::string open();
  std::string turn();
  std::string turnOf(Other &other);
  Json figures(const Times &times, const AnonymousPeak &memory, double loss) const;

  const TrainingOptions &options;
  std::string model;
  Folder folder;
  TrainingSession session;
  AnonymousPeak memory{getpid()};
  Times times, backward, update;
  std::vector<std::unique_ptr<Other>> others;
};

} // namespace

std::string Steps::open() {
  if (folder.path.empty())
    return "can't make a folder for the bundle";
  std::string bundle = folder.path + "/model.anebundle";
  std::string command = options.compiler + " " + shellWord(model) + " -o " + shellWord(bundle) +
                        " --quiet --train --tokenizer=none --batch=" + std::to_string(options.batch) +
                        " --sequence=" + std::to_string(options.sequence) +
                        (options.isJSON ? " --diagnostics=json" : "");
  if (std::system(command.c_str()) != 0)
    return "the compiler failed on " + model;
  if (std::string error = session.open(bundle, options.threads); !error.empty())
    return error;
  for (const std::string &peer : options.peers) {
    Other &other = *others.emplace_back(std::make_unique<Other>());
    // In place of the shell, so that its memory is known.
    std::string error =
        other.peer.start("exec " + peer + " " + shellWord(model) + " " + std::to_string(options.threads) + " " +
                         std::to_string(options.batch) + " " + std::to_string(options.sequence));
    if (!error.empty())
      return error;
    other.memory = std::make_unique<AnonymousPeak>(other.peer.process());
  }
  return "";
}

std::string Steps::turn() {
  AnonymousPeak::Watch watch(memory);
  double gradients = 0, rest = 0;
  for (int i = 0; i < options.steps; ++i) {
    double first, second;
    if (std::string error = session.step(first, second); !error.empty())
      return error;
    gradients += first;
    rest += second;
  }
  times.ns.push_back((gradients + rest) / options.steps);
  backward.ns.push_back(gradients / options.steps);
  update.ns.push_back(rest / options.steps);
  return "";
}

std::string Steps::turnOf(Other &other) {
  AnonymousPeak::Watch watch(*other.memory);
  double total = 0;
  for (int i = 0; i < options.steps; ++i) {
    double ns;
    if (std::string error = other.peer.run(ns, 's'); !error.empty())
      return error;
    total += ns;
  }
  other.times.ns.push_back(total / options.steps);
  return other.peer.run(other.loss, 'l');
}

std::string Steps::run() {
  std::string error = open();
  // In turns, so that a busy minute of the machine meets all. The first round warms up and counts for nothing.
  for (int round = 0; round <= options.rounds && error.empty(); ++round) {
    if (round == 1) {
      for (Times *each : {&times, &backward, &update})
        each->ns.clear();
      for (auto &other : others)
        other->times.ns.clear();
    }
    std::this_thread::sleep_for(pauseBetween);
    error = turn();
    for (auto &other : others)
      if (error.empty()) {
        std::this_thread::sleep_for(pauseBetween);
        error = turnOf(*other);
      }
  }
  return error;
}

Json Steps::figures(const Times &times, const AnonymousPeak &memory, double loss) const {
  return {{"step_ms", times.median() * 1e-6},
          {"tokens_per_s", double(options.batch) * options.sequence / times.median() * 1e9},
          {"peak_bytes", memory.bytes()},
          {"loss", loss}};
}

Json Steps::record() const {
  Json result = {{"model", std::filesystem::path(model).filename().string()}, {"parameters", session.parameters()}};
  result.update(figures(times, memory, session.lastLoss()));
  result["backward_ms"] = backward.median() * 1e-6;
  result["update_ms"] = update.median() * 1e-6;
  Json &peers = result["peers"] = Json::array();
  for (const auto &other : others) {
    Json peer = {{"peer", other->peer.description()}};
    peer.update(figures(other->times, *other->memory, other->loss));
    peer["ratio"] = times.median() / other->times.median();
    peer["memory_ratio"] = double(memory.bytes()) / double(other->memory->bytes());
    peers.push_back(peer);
  }
  return result;
}

static void printTable(const Json &result) {
  printMachine(result);
  std::cout << "\n"
            << result["threads"] << " threads, batch " << result["batch"] << ", sequence " << result["sequence"]
            << ", medians of " << result["rounds"] << " rounds of " << result["steps"] << " steps\n\n";
  char line[256];
  auto print = [&](const std::string &name, const Json &side, const char *time, const char *memory) {
    std::snprintf(line, sizeof line, "%-40.40s %9.1f %9.1f %8s %9.0f %8s %8.4f\n", name.c_str(),
                  side["step_ms"].get<double>(), side["tokens_per_s"].get<double>(), time,
                  side["peak_bytes"].get<double>() * 1e-6, memory, side["loss"].get<double>());
    std::cout << line;
  };
  std::snprintf(line, sizeof line, "%-40s %9s %9s %8s %9s %8s %8s\n", "model and peers", "ms a step", "tokens/s",
                "ratio", "MB", "ratio", "loss");
  std::cout << line;
  for (const Json &model : result["models"]) {
    print(model["model"], model, "", "");
    for (const Json &peer : model["peers"]) {
      char ratio[16], memory[16];
      std::snprintf(ratio, sizeof ratio, "%.2f", peer["ratio"].get<double>());
      std::snprintf(memory, sizeof memory, "%.2f", peer["memory_ratio"].get<double>());
      print("  " + peer["peer"].get<std::string>(), peer, ratio, memory);
    }
  }
}

int ane::bench::runTraining(int argc, char **argv) {
  TrainingOptions options;
  auto take = [&](const std::string &argument) { return options.take(argument); };
  auto check = [&] { return std::string(options.models.empty() ? "nothing to measure: give a language model" : ""); };
  if (std::optional<int> ended = parseTurns(argc, argv, usage, take, check))
    return *ended;
  Json result = describeMachine();
  result.update({{"threads", options.threads}, {"rounds", options.rounds}, {"steps", options.steps}});
  result.update({{"batch", options.batch}, {"sequence", options.sequence}});
  result["models"] = Json::array();
  for (const std::string &model : options.models) {
    Steps steps(options, model);
    if (std::string error = steps.run(); !error.empty()) {
      printError(error, options.isJSON);
      return 1;
    }
    result["models"].push_back(steps.record());
  }
  if (options.isJSON)
    std::cout << result.dump(2) << "\n";
  else
    printTable(result);
  return 0;
}
