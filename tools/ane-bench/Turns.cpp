//===- Turns.cpp - what comparisons in turns share ------------------------===//

#include "Turns.h"
#include "Machine.h"
#include "Options.h"
#include "ane/runtime/ane.h"
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <unistd.h>

using namespace ane::bench;

std::string TurnOptions::take(const std::string &argument, Numbers numbers, Texts texts) {
  if (argument.empty() || argument[0] != '-') {
    models.push_back(argument);
    return "";
  }
  if (argument == "--json") {
    isJSON = true;
    return "";
  }
  const size_t equals = argument.find('=');
  const std::string key = argument.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
  numbers.insert(numbers.end(), {{"--threads", &threads}, {"--rounds", &rounds}});
  for (auto &[name, number] : numbers)
    if (key == name)
      return readNumber(key, value, *number);
  texts.push_back({"--compiler", [&](const std::string &given) { compiler = given; }});
  for (auto &[name, set] : texts)
    if (key == name && !value.empty()) {
      set(value);
      return "";
    } else if (key == name) {
      return key + " needs a value: " + key + "=...";
    }
  return "unknown argument '" + argument + "'";
}

std::optional<int> ane::bench::parseTurns(int argc, char **argv, const char *usage,
                                          const std::function<std::string(const std::string &)> &take,
                                          const std::function<std::string()> &check) {
  std::string wrong;
  for (int i = 2; i < argc && wrong.empty(); ++i) {
    if (argv[i] == std::string("--help")) {
      std::cout << usage;
      return 0;
    }
    wrong = take(argv[i]);
  }
  if (wrong.empty())
    wrong = check();
  if (wrong.empty())
    return std::nullopt;
  // Behind the argument that was wrong, too.
  const bool isJSON = std::find(argv + 2, argv + argc, std::string("--json")) != argv + argc;
  printError(wrong + "; see ane-bench " + argv[1] + " --help", isJSON);
  return 2;
}

double Times::minimum() const { return *std::min_element(ns.begin(), ns.end()); }

double Times::median() const {
  std::vector<double> sorted = ns;
  std::sort(sorted.begin(), sorted.end());
  size_t half = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

Folder::Folder() {
  std::string pattern = std::filesystem::temp_directory_path() / "ane-bench-XXXXXX";
  if (mkdtemp(pattern.data()))
    path = pattern;
}

Folder::~Folder() {
  std::error_code ignored;
  if (!path.empty())
    std::filesystem::remove_all(path, ignored);
}

std::string ane::bench::shellWord(const std::string &text) {
  std::string result = "'";
  for (char c : text)
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

Json ane::bench::describeMachine() {
  Machine machine = Machine::describe();
  return {{"processor", machine.processor},
          {"processors", machine.processors},
          {"features", machine.features},
          {"load", machine.load},
          {"version", "Anemone " ANE_VERSION ", LLVM " ANE_LLVM_VERSION}};
}

void ane::bench::printMachine(const Json &result) {
  std::cout << result["processor"].get<std::string>() << ", " << result["processors"] << " processors (";
  for (size_t i = 0; i < result["features"].size(); ++i)
    std::cout << (i ? " " : "") << result["features"][i].get<std::string>();
  std::cout << "), load " << result["load"] << "; " << result["version"].get<std::string>();
}

void ane::bench::printError(const std::string &message, bool isJSON) {
  if (isJSON)
    std::cerr << Json{{"severity", "error"}, {"message", message}}.dump(-1, ' ', false, Json::error_handler_t::replace)
              << "\n";
  else
    std::cerr << "ane-bench: error: " << message << "\n";
}
