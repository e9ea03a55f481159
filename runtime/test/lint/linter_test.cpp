//===- linter_test.cpp - The linter's messages ----------------------------===//

#include "runtime/lint/linter.h"
#include "runtime/test/matchers.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ane::rt::lint {
namespace {

const char *kTile = R"(program(1.0)
[buildInfo = dict<string, string>({})]
{
  func main<ios16>(tensor<fp16, [1, 8, 1, 64]> a) {
    tensor<int32, [4]> r = const()[name = string("r"), val = tensor<int32, [4]>([1, 2, 1, 1])];
    tensor<fp16, [1, 16, 1, 64]> y = tile(reps = r, x = a)[name = string("y")];
  } -> (y);
}
)";

LintReport lintTile(const TargetSpelling &target, bool json = false) {
  auto report = lintSource(kTile, "t.mil", "", target, json);
  EXPECT_TRUE(report.ok()) << report.status();
  return report.ok() ? *report : LintReport{};
}

TEST(Lint, SaysWhichOfSeveralFunctions) {
  auto report = lintSource(R"(program(1.0)
[buildInfo = dict<tensor<string, []>, tensor<string, []>>({})]
{
  func first<ios16>(tensor<fp16, [1, 8, 1, 64]> a) {
    tensor<fp16, [1, 8, 1, 64]> b = relu(x = a);
  } -> (b);
  func second<ios16>(tensor<fp16, [1, 8, 1, 64]> c, tensor<fp16, [1, 8, 1, 64]> b) {
    tensor<fp16, [1, 8, 1, 64]> d = pow(x = c, y = b);
    tensor<int32, [4]> reps = const()[name = tensor<string, []>("reps"), val = tensor<int32, [4]>([1, 1, 1, 1])];
    tensor<fp16, [1, 8, 1, 64]> e = tile(reps = reps, x = d);
  } -> (e);
})",
                           "t.mil", "", {"m4", "in_memory", "15", ""}, false);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_PRED_FORMAT2(hasText, report->text, "'tile' of 'second' violates C48 tile");
  EXPECT_PRED_FORMAT2(hasText, report->text,
                      "'second' violates C142 procedure-symbols on h16 (in_memory, macOS 15): input 'b': a name of "
                      "procedure 'first', too");
}

/// Records of two procedures stand in one file.
TEST(Lint, SeesRecordsOfAllProcedures) {
  auto text = [](int second) {
    auto function = [](const std::string &name, int offset) {
      const std::string type = "tensor<fp16, [1, 8, 1, 1]>";
      return "  func " + name + "<ios16>(tensor<fp16, [1, 8, 1, 64]> " + name + "_a) {\n    " + type + " " + name +
             "_w = const()[name = string(\"" + name + "_w\"), val = " + type +
             "(BLOBFILE(path = string(\"@model_path/w.bin\"), offset = uint64(" + std::to_string(offset) +
             ")))];\n    tensor<fp16, [1, 8, 1, 64]> " + name + "_y = mul(x = " + name + "_a, y = " + name +
             "_w);\n  } -> (" + name + "_y);\n";
    };
    return "program(1.0)\n[buildInfo = dict<string, string>({})]\n{\n" + function("first", 64) +
           function("second", second) + "}\n";
  };
  auto report = lintSource(text(128), "t.mil", "", {"m4", "in_memory", "15", ""}, false);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_PRED_FORMAT2(hasText, report->text, "violates C08 blob-offset");
  EXPECT_PRED_FORMAT2(hasText, report->text,
                      "weight 'first_w' at 64 of '@model_path/w.bin': ends at 144, must be at most 128, where the next "
                      "record is");
  report = lintSource(text(192), "t.mil", "", {"m4", "in_memory", "15", ""}, false);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->text.find("C08"), std::string::npos) << report->text;
}

TEST(Lint, NamesPlaceRecordRemedy) {
  LintReport report = lintTile({"m4", "", "", ""});
  EXPECT_TRUE(report.failed);
  EXPECT_PRED_FORMAT2(hasText, report.text,
                      "t.mil:6:38: error: 'tile' violates C48 tile on h16 (in_memory, macOS "
                      "15): tile has no form on the engine\n"
                      "      tensor<fp16, [1, 16, 1, 64]> y = tile(reps = r, x = a)[name = "
                      "string(\"y\")...\n"
                      "                                       ^\n"
                      "  note: a program with tile makes programs that worked fail until the "
                      "process ends; the program loads and its evaluation fails\n"
                      "  note: remedy: a product with ones broadcasts; integers are copied on "
                      "the CPU\n"
                      "  note: see 'ane-compile --explain=C48'\n");
}

TEST(Lint, FollowsTheRoute) {
  LintReport report = lintTile({"Apple M5 Pro", "e5rt", "26", "evidence"});
  EXPECT_FALSE(report.failed) << report.text;
}

TEST(Lint, AdvisesOnAllocationsThatItDoesNotSee) {
  LintReport report = lintTile({"", "", "", ""});
  EXPECT_PRED_FORMAT2(hasText, report.text,
                      "t.mil:4:20: warning: 'main' meets C04 minimum-surface "
                      "on h16 (in_memory, macOS 15): surface of input 'a': "
                      "1024 bytes unless it is padded, must be at least 49152");
}

TEST(Lint, PrintsJson) {
  LintReport report = lintTile({"m4", "", "", ""}, true);
  auto json = nlohmann::json::parse(report.text);
  EXPECT_EQ(json["file"], "t.mil");
  EXPECT_EQ(json["errors"], 1);
  const auto &last = json["diagnostics"].back();
  auto tile = std::find_if(json["diagnostics"].begin(), json["diagnostics"].end(),
                           [](const auto &d) { return d["id"] == "C48"; });
  ASSERT_NE(tile, json["diagnostics"].end()) << last;
  EXPECT_EQ((*tile)["severity"], "error");
  EXPECT_EQ((*tile)["line"], 6);
  EXPECT_EQ((*tile)["column"], 38);
  EXPECT_EQ((*tile)["op"], "tile");
  EXPECT_EQ((*tile)["evidence"].size(), 3u);
}

TEST(Lint, TakesSetsOfChips) {
  auto name = [](const std::string &chips) {
    auto target = Target::parse({chips, "", "", ""});
    return target.ok() ? target->str() : std::string(target.status().message());
  };
  EXPECT_EQ(name("M4, h13,m1,Apple M4"), "h13, h16 (in_memory, macOS 15)");
  EXPECT_EQ(name("any-m"), "h13 ... h18g, 13 chips (in_memory, macOS 15)");
  EXPECT_EQ(name("m1,any-m"), name("any_M"));
  EXPECT_PRED_FORMAT2(hasText, name("m1,"), "unknown target ''");
}

TEST(Lint, RefusesUnknownTargets) {
  for (auto [target, text] : std::vector<std::pair<TargetSpelling, std::string>>{
           {{"m77", "", "", ""}, "unknown target 'm77' (known: h11, a12, "},
           {{"", "fax", "", ""}, "unknown route 'fax' (known: in_memory, coreml, e5rt, netlist)"},
           {{"", "", "19", ""}, "no macOS '19'"},
           {{"", "", "", "lax"}, "unknown strictness 'lax' (known: catalog, evidence)"}})
    EXPECT_PRED_FORMAT2(hasText, std::string(lintSource(kTile, "t", "", target, false).status().message()), text);
  EXPECT_PRED_FORMAT2(hasText, std::string(lintSource("program(1.0", "t.mil", "", {}, false).status().message()),
                      "t.mil:1:12: error: ");
}

} // namespace
} // namespace ane::rt::lint
