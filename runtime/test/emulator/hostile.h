//===- hostile.h - Wrong programs made from right ones --------------------===//
//
// Takes a valid function (data/every_op.mil) and changes what a hostile text
// could: each axis, number, word, element type and argument. Deterministic, so
// that a failure can be repeated.
//
//===----------------------------------------------------------------------===//

#ifndef ANE_RUNTIME_TEST_EMULATOR_HOSTILE_H
#define ANE_RUNTIME_TEST_EMULATOR_HOSTILE_H

#include "runtime/format/mil/ast.h"

#include <functional>
#include <random>
#include <string>
#include <vector>

namespace ane::rt::emulator {

class HostilePrograms {
public:
  /// Sizes and numbers that replace others.
  HostilePrograms(const mil::Function &valid, std::vector<int64_t> numbers);

  /// Every change by itself.
  size_t singles() const { return changes.size(); }
  mil::Function single(size_t index) const;
  /// Two to four changes together.
  mil::Function several(std::mt19937 &random) const;

private:
  using Change = std::function<void(mil::Function &)>;

  void changeType(const std::function<mil::Type *(mil::Function &)> &find, const mil::Type &now);
  void changeLiteral(const std::function<mil::Value *(mil::Function &)> &find, const mil::Value &now);
  void changeArguments(size_t statement, bool attributes, const std::vector<mil::NamedValue> &now);
  void changeEqualAxes();

  mil::Function valid;
  std::vector<int64_t> numbers;
  std::vector<Change> changes;
};

/// Declares the result that the loader says an op gives ("... gives T, declared
/// is U"), so that the op's own checks and kernel are reached; false for any
/// other message.
bool declareAsGiven(mil::Function &function, const std::string &message);

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_TEST_EMULATOR_HOSTILE_H
