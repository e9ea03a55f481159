//===- Turns.h - what comparisons in turns share ---------------*- C++ -*-===//
#ifndef ANE_TOOLS_BENCH_TURNS_H
#define ANE_TOOLS_BENCH_TURNS_H

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ane::bench {

using Json = nlohmann::ordered_json;

/// What every comparison is told.
struct TurnOptions {
  int threads = 2;
  /// Turns that each side gets.
  int rounds = 5;
  bool isJSON = false;
  std::string compiler = "ane-compile";
  std::vector<std::string> models;

protected:
  using Numbers = std::vector<std::pair<std::string, int *>>;
  using Texts = std::vector<std::pair<std::string, std::function<void(const std::string &)>>>;
  /// Takes one argument: a model, one of the options above, or one of `numbers` or `texts`. Returns what is wrong with
  /// it, or "".
  std::string take(const std::string &argument, Numbers numbers, Texts texts);
};

/// Reads the arguments from argv[2] on: each goes to `take`, and `check` has the last word; both return what is wrong,
/// or "". The exit code of a tool that is not to go on: after --help, or an error, which is told.
std::optional<int> parseTurns(int argc, char **argv, const char *usage,
                              const std::function<std::string(const std::string &)> &take,
                              const std::function<std::string()> &check);

/// One side of a comparison: runs once and tells the time, or returns what went wrong.
using Side = std::function<std::string(double &ns)>;

/// Nanoseconds of each round, of which there is at least one.
struct Times {
  std::vector<double> ns;
  double minimum() const;
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
