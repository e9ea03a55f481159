//===- Turns.h - what comparisons in turns share ---------------*- C++ -*-===//
#ifndef ANE_TOOLS_BENCH_TURNS_H
#define ANE_TOOLS_BENCH_TURNS_H

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ane::bench {

using Json = nlohmann::ordered_json;

/// Nanoseconds of each round.
struct Times {
  std::vector<double> ns;
  double median() const;
};

/// A folder of its own that goes with the object; no path if it can't be made.
class Folder {
public:
  Folder();
  ~Folder();
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;
  std::string path;
};

/// As one word of a shell command.
std::string shellWord(const std::string &text);

/// Processor, load and version, as they are now.
Json describeMachine();
/// The same as a line, of an object that begins with it.
void printMachine(const Json &result);
/// To standard error, as text or as an object.
void printError(const std::string &message, bool isJSON);

} // namespace ane::bench

#endif // ANE_TOOLS_BENCH_TURNS_H
