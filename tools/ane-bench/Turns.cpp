//===- Turns.cpp - what comparisons in turns share ------------------------===//

#include "Turns.h"
#include "Machine.h"
#include "ane/runtime/ane.h"
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <unistd.h>

using namespace ane::bench;

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
