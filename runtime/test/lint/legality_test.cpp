//===- legality_test.cpp - Operations that a chip does not run ------------===//

#include "runtime/format/mil/parser.h"
#include "runtime/test/lint/cases.h"

#include <gtest/gtest.h>

namespace ane::rt::lint {
namespace {

/// Messages about a program of one operation on an m4.
std::vector<std::string> messages(const std::string &call, const std::string &route, bool measuredOnly = false) {
  CaseProgram program{kA, kT + "y = " + call + ";"};
  auto tree = mil::parse(program.text());
  auto target = Target::parse({"m4", route, "", ""});
  EXPECT_TRUE(tree.ok() && target.ok());
  LintOptions options;
  options.measuredOnly = measuredOnly;
  std::vector<std::string> result;
  for (const Diagnostic &diagnostic : lint(*tree, *target, options))
    if (!diagnostic.op.empty()) // not those about surfaces
      result.push_back(diagnostic.message(*target));
  return result;
}

using Messages = std::vector<std::string>;

TEST(LintLegality, OfWhatWasSeen) {
  Messages expected{"'identity' violates C68 op-legality on h16 (e5rt, macOS "
                    "15): identity: rejected (ANEForge, M5 Pro: rejected by the compiler)"};
  EXPECT_EQ(messages("identity(x = a)", "e5rt"), expected);
  EXPECT_EQ(messages("identity(x = a)", "e5rt", /*measuredOnly=*/true), expected);
}

TEST(LintLegality, OfWhatIsInheritedWhichFaithfulModeDoesNot) {
  EXPECT_EQ(messages("identity(x = a)", "coreml"), Messages{"'identity' violates C68 op-legality on h16 (coreml, "
                                                            "macOS 15): identity: native by the tables, and no MIL "
                                                            "program was seen to reach it, inherited"});
  EXPECT_EQ(messages("identity(x = a)", "coreml", /*measuredOnly=*/true), Messages{});
}

TEST(LintLegality, OfAnUnknownOperation) {
  EXPECT_EQ(messages("frobnicate(x = a)", "e5rt"), Messages{"'frobnicate' violates C68 op-legality on h16 (e5rt, "
                                                            "macOS 15): frobnicate: nothing is known, taken for "
                                                            "rejected"});
}

TEST(LintLegality, LeavesAnOpToTheRecordThatSaysMore) {
  Messages found = messages("tan(x = a)", "e5rt");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found.front().find("C43"), std::string::npos);
}

} // namespace
} // namespace ane::rt::lint
