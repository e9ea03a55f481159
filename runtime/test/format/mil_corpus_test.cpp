// Programs that other projects' generators wrote: all of them parse, and
// print to an equal tree. The folder is not part of the repository.
#include "runtime/format/mil/parser.h"
#include "runtime/format/mil/printer.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace ane::rt::mil;

namespace {

std::filesystem::path corpusFolder() {
  if (const char *folder = std::getenv("ANE_MIL_CORPUS"))
    return folder;
  return std::filesystem::path(ANE_SOURCE_ROOT) / ".." / "shared" / "mil-corpus";
}

TEST(MILCorpus, ParsesAndRoundTrips) {
  std::ifstream index(corpusFolder() / "index.tsv");
  if (!index)
    GTEST_SKIP() << "no corpus at " << corpusFolder() << "; set ANE_MIL_CORPUS to run this test";
  std::string line;
  std::getline(index, line); // heading: program, size, expect, ...
  size_t programs = 0;
  while (std::getline(index, line)) {
    std::istringstream fields(line);
    std::string name, size, expect;
    std::getline(fields, name, '\t');
    std::getline(fields, size, '\t');
    std::getline(fields, expect, '\t');
    SCOPED_TRACE(name + " (" + expect + ")");
    ++programs;
    absl::StatusOr<Program> program = parseFile((corpusFolder() / name / "model.mil").string());
    if (expect.rfind("reject", 0) == 0) {
      ASSERT_FALSE(program.ok());
      EXPECT_NE(program.status().message().find(": error: "), std::string::npos);
      continue;
    }
    ASSERT_TRUE(program.ok()) << program.status().message();
    for (const Function &function : program->functions)
      EXPECT_FALSE(function.statements.empty());
    for (Spelling spelling : {Spelling::Long, Spelling::Short}) {
      respell(*program, spelling);
      absl::StatusOr<Program> again = parse(print(*program));
      ASSERT_TRUE(again.ok()) << again.status().message();
      EXPECT_EQ(*again, *program);
    }
  }
  EXPECT_GE(programs, 400u);
}

} // namespace
