// The MIL parser never crashes, what it accepts survives print and parse, and
// the linter has an answer for it.
#include "runtime/format/mil/parser.h"
#include "runtime/format/mil/printer.h"
#include "runtime/lint/linter.h"

#include <cstdio>
#include <cstdlib>

using namespace ane::rt::mil;

namespace {

void roundTrip(const Program &program) {
  std::string text = print(program);
  absl::StatusOr<Program> again = parse(text);
  if (again.ok() && *again == program && print(*again) == text)
    return;
  std::fprintf(stderr, "no fixpoint:\n%s\n%s\n", text.c_str(), std::string(again.status().message()).c_str());
  std::abort();
}

void lintForAll(const Program &program, std::string_view text) {
  namespace lint = ane::rt::lint;
  for (const char *chip : {"m1", "m5"})
    for (const char *route : {"in_memory", "coreml", "e5rt"}) {
      lint::LintOptions options;
      options.source = text;
      auto target = lint::Target::parse({chip, route, "27", ""});
      auto found = lint::lint(program, *target, options);
      lint::printText(found, *target, "fuzz.mil", text);
      lint::printJson(found, *target, "fuzz.mil");
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  absl::StatusOr<Program> program = parse(text);
  if (!program.ok())
    return 0;
  lintForAll(*program, text);
  roundTrip(*program);
  for (Spelling spelling : {Spelling::Long, Spelling::Short}) {
    respell(*program, spelling);
    roundTrip(*program);
  }
  return 0;
}
