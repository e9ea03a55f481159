//===- mutations.h - An emitted program, damaged --------------------------===//
//
// data/emitted.mil is what the compiler writes for a dense layer; a test of the
// compiler holds it to that. Each mutation breaks one record in it.
//
//===----------------------------------------------------------------------===//

#ifndef ANE_RUNTIME_TEST_LINT_MUTATIONS_H
#define ANE_RUNTIME_TEST_LINT_MUTATIONS_H

#include "runtime/device/device.h"
#include "runtime/lint/linter.h"

#include <functional>
#include <string>
#include <vector>

namespace ane::rt::lint {

struct Mutation {
  std::string id; ///< of the record
  TargetSpelling target;
  std::string text;
  /// What is done to the surfaces; null: nothing.
  std::function<void(ProgramDesc &)> bind;
};

/// The emitted program.
std::string emittedText();

/// Damage that is particular to a record, by hand.
std::vector<Mutation> handMadeMutations();

/// Damage by the statements of the record's cases (cases.h), between the
/// program's last two operations.
std::vector<Mutation> mutationsOf(const Record &record);

} // namespace ane::rt::lint

#endif // ANE_RUNTIME_TEST_LINT_MUTATIONS_H
