// The MIL parser never crashes, and what it accepts survives print and parse.
#include "runtime/format/mil/parser.h"
#include "runtime/format/mil/printer.h"

#include <cstdio>
#include <cstdlib>

using namespace ane::rt::mil;

namespace {

void roundTrip(const Program &program) {
  std::string text = print(program);
  absl::StatusOr<Program> again = parse(text);
  if (again.ok() && *again == program && print(*again) == text)
    return;
  std::fprintf(stderr, "no fixpoint:\n%s\n%s\n", text.c_str(),
               std::string(again.status().message()).c_str());
  std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  absl::StatusOr<Program> program =
      parse({reinterpret_cast<const char *>(data), size});
  if (!program.ok())
    return 0;
  roundTrip(*program);
  for (Spelling spelling : {Spelling::Long, Spelling::Short}) {
    respell(*program, spelling);
    roundTrip(*program);
  }
  return 0;
}
