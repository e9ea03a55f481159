//===- program_test.cpp - Loading, folding, scheduling --------------------===//

#include "runtime/test/emulator/mil_fixture.h"

namespace ane::rt::emulator {
namespace {

const char *kFour = "tensor<fp16, [4]> x";

TEST(Program, RunsRepeatedly) {
  MilProgram program(kFour,
                     "tensor<fp16, [4]> a = add(x = x, y = x)[name = "
                     "string(\"a\")];\n"
                     "tensor<fp16, [4]> y = mul(x = a, y = x)[name = "
                     "string(\"y\")];",
                     "y");
  ASSERT_TRUE(program.run({{1, 2, 3, 4}}).ok());
  EXPECT_PRED_FORMAT2(sameValues, program.result(), values(2, 8, 18, 32));
  ASSERT_TRUE(program.run({{-1, 0, 1, 0.5}}).ok());
  EXPECT_PRED_FORMAT2(sameValues, program.result(), values(2, 0, 2, 0.5));
}

TEST(Program, DropsWhatNoOutputNeeds) {
  MilProgram program("tensor<fp16, [4]> x, tensor<fp16, [4]> unused",
                     "tensor<fp16, [4]> a = exp(x = unused);\n"
                     "tensor<fp16, [4]> b = exp(x = a);\n"
                     "tensor<fp16, [4]> y = abs(x = x);",
                     "y");
  ASSERT_TRUE(program.load().ok());
  EXPECT_EQ(program.program->steps(), 1u);
  EXPECT_EQ(program.program->input(*program.program->takeMemory(), 1), nullptr);
  ASSERT_TRUE(program.run({{-1, 2, -3, 4}, {0, 0, 0, 0}}).ok());
  EXPECT_PRED_FORMAT2(sameValues, program.result(), values(1, 2, 3, 4));
}

TEST(Program, FoldsConstants) {
  MilProgram program(kFour,
                     "tensor<fp16, [4]> c = const()[val = tensor<fp16, [4]>([1, 2, 3, 4])];\n"
                     "tensor<fp16, [4]> d = mul(x = c, y = c);\n"
                     "tensor<fp16, [2, 2]> e = reshape(x = d, shape = [2, 2]);\n"
                     "tensor<fp16, [4]> f = reshape(x = e, shape = [4]);\n"
                     "tensor<fp16, [4]> y = add(x = x, y = f);",
                     "y");
  ASSERT_TRUE(program.run({{1, 1, 1, 1}}).ok());
  EXPECT_EQ(program.program->steps(), 1u);
  EXPECT_PRED_FORMAT2(sameValues, program.result(), values(2, 5, 10, 17));
}

TEST(Program, SharesMemoryBetweenValuesThatDoNotMeet) {
  std::string body;
  std::string last = "x";
  for (int i = 0; i < 20; ++i) {
    std::string name = "v" + std::to_string(i);
    body += "tensor<fp16, [64]> " + name + " = abs(x = " + last + ");\n";
    last = name;
  }
  body += "tensor<fp16, [64]> y = abs(x = " + last + ");";
  MilProgram program("tensor<fp16, [64]> x", body, "y");
  ASSERT_TRUE(program.load().ok());
  EXPECT_LE(program.program->arenaBytes(), 3 * 64 * 4);
}

TEST(Program, AliasesKeepTheirSourceAlive) {
  // `r` shows the memory of `a`, which must survive `b` and `c`.
  MilProgram program(kFour,
                     "tensor<fp16, [4]> a = add(x = x, y = x);\n"
                     "tensor<fp16, [2, 2]> r = reshape(x = a, shape = [2, "
                     "2]);\n"
                     "tensor<fp16, [4]> b = mul(x = x, y = x);\n"
                     "tensor<fp16, [4]> c = mul(x = b, y = x);\n"
                     "tensor<fp16, [2, 2]> d = reshape(x = c, shape = [2, "
                     "2]);\n"
                     "tensor<fp16, [2, 2]> y = sub(x = d, y = r);",
                     "y, r, x");
  ASSERT_TRUE(program.run({{1, 2, 3, 4}}).ok());
  EXPECT_PRED_FORMAT2(sameValues, program.result(0), values(-1, 4, 21, 56));
  EXPECT_PRED_FORMAT2(sameValues, program.result(1), values(2, 4, 6, 8));
  EXPECT_PRED_FORMAT2(sameValues, program.result(2), values(1, 2, 3, 4));
}

TEST(Program, ReturnsConstants) {
  MilProgram program(kFour, "tensor<int32, [2]> y = const()[val = tensor<int32, [2]>([5, 6])];", "y");
  ASSERT_TRUE(program.run({{0, 0, 0, 0}}).ok());
  EXPECT_PRED_FORMAT2(sameValues, program.result(), values(5, 6));
}

TEST(Program, PicksTheFunction) {
  auto tree = mil::parse("program(1.3)[buildInfo = dict<string, string>({})]{\n"
                         "func one<ios18>(tensor<fp16, [1]> x) { tensor<fp16, [1]> y = abs(x = "
                         "x); } -> (y);\n"
                         "func two<ios18>(tensor<fp16, [1]> x) { tensor<fp16, [1]> y = square(x "
                         "= x); } -> (y);\n}");
  ASSERT_TRUE(tree.ok()) << tree.status().message();
  auto two = Program::load(*tree, "two", "t.mil", {}, {});
  ASSERT_TRUE(two.ok()) << two.status().message();
  std::unique_ptr<Program::Memory> memory = (*two)->takeMemory(), other = (*two)->takeMemory();
  for (auto [each, x] : {std::pair(memory.get(), 3.f), {other.get(), 4.f}})
    static_cast<float *>((*two)->input(*each, 0))[0] = x;
  // Runs at a time have values of their own.
  ASSERT_TRUE((*two)->run(*memory).ok() && (*two)->run(*other).ok());
  EXPECT_EQ(static_cast<const float *>((*two)->output(*memory, 0))[0], 9);
  EXPECT_EQ(static_cast<const float *>((*two)->output(*other, 0))[0], 16);
  auto three = Program::load(*tree, "three", "t.mil", {}, {});
  EXPECT_EQ(three.status().code(), absl::StatusCode::kNotFound);
  EXPECT_PRED_FORMAT2(hasText, std::string(three.status().message()), "'one', 'two'");
}

TEST(ProgramErrors, NameLineColumnOpAndTypes) {
  EXPECT_EQ(loadError(kFour, "tensor<fp16, [5]> y = abs(x = x);"),
            "t.mil:5:1: op 'abs' (result 'y') gives tensor<fp16, [4]>, "
            "declared is tensor<fp16, [5]>");
  EXPECT_EQ(loadError(kFour, "tensor<fp32, [4]> y = abs(x = x);"),
            "t.mil:5:1: op 'abs' (result 'y') gives tensor<fp16, [4]>, "
            "declared is tensor<fp32, [4]>");
  EXPECT_PRED_FORMAT2(hasText, loadError(kFour, "tensor<fp16, [4]> y = abs(x = z);"),
                      "op 'abs' (result 'y'): argument 'x': 'z' is not "
                      "defined");
  EXPECT_PRED_FORMAT2(hasText, loadError(kFour, "tensor<fp16, [4]> y = abs();"), "argument 'x' is missing");
  EXPECT_PRED_FORMAT2(hasText, loadError(kFour, "tensor<fp16, [4]> y = abs(x = x, z = x);"),
                      "there is no argument 'z'");
  EXPECT_PRED_FORMAT2(hasText, loadError(kFour, "tensor<fp16, [4]> y = abs(x = x, x = x);"), "'x' is given twice");
  EXPECT_PRED_FORMAT2(hasText, loadError(kFour, "tensor<fp16, [4]> y = warp(x = x);"),
                      "op 'warp' (result 'y'): the emulator has no such op");
  EXPECT_PRED_FORMAT2(hasText, loadError(kFour, "tensor<fp16, [4]> y = softmax(x = x, axis = 1);"),
                      "argument 'axis' is 1; rank 1 has axes -1 to 0");
  EXPECT_PRED_FORMAT2(hasText, loadError("tensor<int32, [4]> x", "tensor<int32, [4]> y = exp(x = x);"),
                      "argument 'x' is tensor<int32, [4]>; its element type "
                      "must be one of: fp16, fp32");
  EXPECT_PRED_FORMAT2(
      hasText, loadError("tensor<fp16, [4]> x, tensor<int32, []> a", "tensor<fp16, [4]> y = softmax(x = x, axis = a);"),
      "argument 'axis' must be a constant");
  EXPECT_PRED_FORMAT2(hasText,
                      loadError(kFour, "tensor<fp16, [4]> y, tensor<fp16, [4]> z = abs(x = "
                                       "x);"),
                      "op 'abs' (result 'y') has 1 results, 2 are declared");
  EXPECT_PRED_FORMAT2(hasText, loadError(kFour, "tensor<fp16, [4]> z = abs(x = x);"),
                      "returns 'y', which is not defined");
}

TEST(ProgramErrors, OpsNeedTheirOpset) {
  const char *body = "tensor<fp16, [1, 2, 2]> y = scaled_dot_product_attention("
                     "query = x, key = x, value = x);";
  EXPECT_PRED_FORMAT2(hasText, loadError("tensor<fp16, [1, 2, 2]> x", body, "ios17"),
                      "the op needs ios18, the function is for ios17");
  EXPECT_PRED_FORMAT2(hasText, loadError(kFour, "", "tvos7"), "is for \"tvos7\"");
}

TEST(ProgramErrors, DynamicShapesAndStates) {
  EXPECT_PRED_FORMAT2(hasText, loadError("tensor<fp16, [?, 4]> x", ""), "shapes are static");
  EXPECT_PRED_FORMAT2(hasText, loadError("state<tensor<fp16, [4]>> x", ""), "is not a tensor");
}

TEST(ProgramErrors, WeightFiles) {
  auto blob = [](const std::string &path) {
    return "tensor<fp16, [4]> y = const()[val = tensor<fp16, "
           "[4]>(BLOBFILE(path = string(\"" +
           path + "\"), offset = uint64(64)))];";
  };
  EXPECT_PRED_FORMAT2(hasText, loadError("", blob("/etc/passwd")), "does not begin with @model_path/");
  MilProgram program("", blob("@model_path/missing.bin"), "y");
  EXPECT_EQ(program.load().code(), absl::StatusCode::kNotFound); // without a folder
  Folder folder = *Folder::open(testing::TempDir());
  program.constants.folder = &folder;
  EXPECT_EQ(program.load().code(), absl::StatusCode::kNotFound);
  MilProgram leaves("", blob("@model_path/../w.bin"), "y");
  leaves.constants.folder = &folder;
  EXPECT_PRED_FORMAT2(hasText, std::string(leaves.load().message()), "is no plain path below the folder");
}

} // namespace
} // namespace ane::rt::emulator
