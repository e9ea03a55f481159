//===- misuse_test.cpp - Lint and faithful mode behind the device ---------===//
//
// The same programs on devices of both modes: what lint mode says at load, and
// what the engine is documented to do instead.
//
//===----------------------------------------------------------------------===//

#include "runtime/format/blob/blob.h"
#include "runtime/test/emulator/device_fixture.h"
#include "runtime/test/lint/cases.h"
#include "runtime/test/matchers.h"
#include "runtime/test/temporary_folder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

namespace ane::rt::emulator {
namespace {

using lint::CaseProgram;
using lint::kA;
using lint::kT;
using lint::TargetSpelling;

constexpr float kInf = std::numeric_limits<float>::infinity();

ProgramDesc describe(const CaseProgram &program, std::vector<SurfaceDesc> inputs, std::vector<SurfaceDesc> outputs) {
  ProgramDesc desc;
  desc.name = "p";
  desc.milText = program.text();
  desc.procedures[0].inputs = std::move(inputs);
  desc.procedures[0].outputs = std::move(outputs);
  return desc;
}

std::string errorOf(const absl::Status &status) { return std::string(status.message()); }

/// What lint mode says about a description that must not load.
std::string lintError(const ProgramDesc &desc, const TargetSpelling &target = {}) {
  auto program = deviceOf(Mode::Lint, target)->load(desc);
  EXPECT_EQ(program.status().code(), absl::StatusCode::kInvalidArgument);
  return errorOf(program.status());
}

/// Loads and runs once on a device in faithful mode.
absl::StatusOr<Values> faithful(const ProgramDesc &desc, const Values &inputs, const TargetSpelling &target = {}) {
  auto device = deviceOf(Mode::Faithful, target);
  auto program = device->load(desc);
  if (!program.ok())
    return program.status();
  return evaluate(*device, **program, desc, inputs);
}

const std::vector<int64_t> kShape = {1, 8, 1, 64};

ProgramDesc oneOp(const std::string &statements, const std::string &opset = "ios16") {
  return describe({kA, statements, "y", opset}, {surface("a", kShape)}, {surface("y", kShape)});
}

void expectStatus(const absl::StatusOr<Values> &got, const std::string &text) {
  EXPECT_EQ(got.status().code(), absl::StatusCode::kFailedPrecondition) << got.status();
  EXPECT_PRED_FORMAT2(hasText, errorOf(got.status()), text);
}

const char kCompileError[] = "ANECCompile() FAILED: err=(InvalidMILProgram)";
const char kInference[] = "ANEProgramProcessRequestDirect() Failed with "
                          "status=0x1d : Program Inference error";

TEST(Misuse, GoodProgramsRunInEachMode) {
  ProgramDesc desc = oneOp(kT + "y = relu(x = a);");
  Values inputs = {{"a", ramp(512)}};
  for (Mode mode : {Mode::Lint, Mode::Faithful, Mode::Plain}) {
    auto device = deviceOf(mode);
    auto program = device->load(desc);
    ASSERT_TRUE(program.ok()) << program.status();
    auto got = evaluate(*device, **program, desc, inputs);
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ((*got)["y"], inputs["a"]);
  }
}

TEST(Misuse, InputsOutOfOrderAreSwapped) {
  ProgramDesc desc = describe({"tensor<fp16, [1, 8, 1, 64]> x, " + kA, kT + "y = sub(x = x, y = a);"},
                              {surface("x", kShape), surface("a", kShape)}, {surface("y", kShape)});
  EXPECT_PRED_FORMAT2(hasText, lintError(desc),
                      "violates C19 input-order on h16 (in_memory, macOS 15): "
                      "input 'a': declared after input 'x', must be before it "
                      "in the order of names");
  std::vector<float> three(512, 3), five(512, 5), minusTwo(512, -2);
  auto got = faithful(desc, {{"x", five}, {"a", three}});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ((*got)["y"], minusTwo);
}

TEST(Misuse, OutputsOutOfOrderAreSwapped) {
  ProgramDesc desc = describe({kA, kT + "q = relu(x = a);" + kT + "k = abs(x = a);", "q, k"}, {surface("a", kShape)},
                              {surface("q", kShape), surface("k", kShape)});
  EXPECT_PRED_FORMAT2(hasText, lintError(desc), "violates C03 output-order");
  std::vector<float> minus(512, -1), zero(512, 0), one(512, 1);
  auto got = faithful(desc, {{"a", minus}});
  ASSERT_TRUE(got.ok()) << got.status();
  // The host reads |a| where it expects relu(a).
  EXPECT_EQ((*got)["q"], one);
  EXPECT_EQ((*got)["k"], zero);
}

TEST(Misuse, SwappedSurfacesThatAreTooSmallFail) {
  TargetSpelling m3{"m3", "", "26", "evidence"}; // sizes may differ there
  std::vector<int64_t> large = {1, 16, 1, 64};
  ProgramDesc desc = describe({"tensor<fp16, [1, 8, 1, 64]> x, tensor<fp16, "
                               "[1, 16, 1, 64]> a",
                               kT + "y = relu(x = x);"},
                              {surface("x", kShape, 0), surface("a", large, 0)}, {surface("y", kShape, 0)});
  EXPECT_PRED_FORMAT2(hasText, lintError(desc, m3), "violates C19");
  expectStatus(faithful(desc, {{"x", ramp(512)}, {"a", ramp(1024)}}, m3), kInference);
}

TEST(Misuse, SurfacesOfTwoSizesFail) {
  const std::string two = kA + ", tensor<fp16, [1, 8, 1, 64]> b";
  ProgramDesc inputs = describe({two, kT + "y = add(x = a, y = b);"},
                                {surface("a", kShape), surface("b", kShape, 65536)}, {surface("y", kShape)});
  EXPECT_PRED_FORMAT2(hasText, lintError(inputs),
                      "violates C18 input-sizes on h16 (in_memory, macOS 15): "
                      "surface of input 'b': 65536 bytes, must be the 49152 of "
                      "input 'a'");
  Values values = {{"a", ramp(512)}, {"b", ramp(512)}};
  expectStatus(faithful(inputs, values), kInference);
  ProgramDesc outputs = describe({kA, kT + "y = relu(x = a);" + kT + "z = abs(x = a);", "y, z"}, {surface("a", kShape)},
                                 {surface("y", kShape), surface("z", kShape, 65536)});
  EXPECT_PRED_FORMAT2(hasText, lintError(outputs), "violates C02 output-sizes");
  expectStatus(faithful(outputs, values), kInference);
  // Measured to run there, and not on M4: for both the rule holds.
  EXPECT_TRUE(deviceOf(Mode::Lint, {"m3", "", "26", "evidence"})->load(outputs).ok());
  EXPECT_FALSE(deviceOf(Mode::Lint, {"h15,h16", "", "26", "evidence"})->load(outputs).ok());
}

TEST(Misuse, SmallSurfacesFail) {
  ProgramDesc desc =
      describe({kA, kT + "y = relu(x = a);"}, {surface("a", kShape, 49151)}, {surface("y", kShape, 49151)});
  EXPECT_PRED_FORMAT2(hasText, lintError(desc),
                      "violates C04 minimum-surface on h16 (in_memory, macOS "
                      "15): surface of input 'a': 49151 bytes, must be at "
                      "least 49152");
  expectStatus(faithful(desc, {{"a", ramp(512)}}), kInference);
  // Where C04 is lifted any multiple of 128 will do (C138).
  desc.procedures[0].inputs[0].bytes = desc.procedures[0].outputs[0].bytes = 49024;
  EXPECT_TRUE(deviceOf(Mode::Lint, {"m4", "", "", "evidence"})->load(desc).ok());
}

TEST(Misuse, PaddedRowsAreReadPacked) {
  std::vector<int64_t> narrow = {1, 2, 1, 48};
  CaseProgram program{"tensor<fp16, [1, 2, 1, 48]> a", "tensor<fp16, [1, 2, 1, 48]> y = relu(x = a);"};
  ProgramDesc desc = describe(program, {surface("a", narrow)}, {surface("y", narrow)});
  EXPECT_PRED_FORMAT2(hasText, lintError(desc),
                      "violates C20 packed-surfaces on h16 (in_memory, macOS "
                      "15): input 'a': rows of 96 bytes, 128 apart, must be "
                      "rows of whole 64-byte units, without gaps");
  EXPECT_PRED_FORMAT2(hasText, lintError(desc), "violates C24 row-bytes");
  // Rows of 96 bytes fail first on the in-memory route.
  expectStatus(faithful(desc, {{"a", ramp(96)}}), kInference);
  // Elsewhere the second row is read 96 bytes behind the first, where 16 bytes
  // of the first row's padding are.
  TargetSpelling e5rt{"m4", "e5rt"};
  auto got = faithful(desc, {{"a", ramp(96, 0.5f)}}, e5rt);
  ASSERT_TRUE(got.ok()) << got.status();
  std::vector<float> y = (*got)["y"];
  EXPECT_EQ(y[47], 23.5f);
  EXPECT_NE(y, ramp(96, 0.5f));
}

TEST(Misuse, FewLanesGiveZeros) {
  ProgramDesc desc = describe({kA, "tensor<fp16, [1, 8, 1, 1]> y = reduce_max(axes = tensor<int32, "
                                   "[1]>([3]), keep_dims = bool(true), x = a);"},
                              {surface("a", kShape)}, {surface("y", {1, 8, 1, 1})});
  EXPECT_PRED_FORMAT2(hasText, lintError(desc),
                      "violates C25 lanes on h16 (in_memory, macOS 15): last "
                      "axis of output 'y': 1, must be at least 32");
  auto got = faithful(desc, {{"a", ramp(512)}});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ((*got)["y"], std::vector<float>(8, 0));
}

TEST(Misuse, LonelyIdentityIsNaN) {
  ProgramDesc desc = oneOp(kT + "y = identity(x = a);");
  EXPECT_PRED_FORMAT2(hasText, lintError(desc), "violates C50 identity-output");
  auto got = faithful(desc, {{"a", ramp(512)}});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_TRUE(std::isnan((*got)["y"][7]));
}

TEST(Misuse, ReturnedAndUsedIsNaN) {
  ProgramDesc desc = describe({kA, kT + "y = relu(x = a);" + kT + "z = abs(x = y);", "y, z"}, {surface("a", kShape)},
                              {surface("y", kShape), surface("z", kShape)});
  EXPECT_PRED_FORMAT2(hasText, lintError(desc), "violates C52");
  auto got = faithful(desc, {{"a", ramp(512)}});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_TRUE(std::isnan((*got)["y"][7]));
  EXPECT_EQ((*got)["z"], ramp(512));
}

TEST(Misuse, TilePoisonsTheProcess) {
  auto device = deviceOf(Mode::Faithful);
  ProgramDesc good = oneOp(kT + "y = relu(x = a);");
  ProgramDesc tile = oneOp(kT + "y = tile(reps = tensor<int32, [4]>([1, 1, 1, 1]), x = a);");
  EXPECT_PRED_FORMAT2(hasText, lintError(tile), "violates C48 tile");
  auto first = device->load(good), second = device->load(tile);
  ASSERT_TRUE(first.ok() && second.ok()) << second.status();
  Values inputs = {{"a", ramp(512)}};
  EXPECT_TRUE(evaluate(*device, **first, good, inputs).ok());
  EXPECT_TRUE(evaluate(*device, **second, tile, inputs).ok());
  expectStatus(evaluate(*device, **first, good, inputs), kInference);
  // Another process is not hurt, nor is another route.
  EXPECT_TRUE(faithful(good, inputs).ok());
  EXPECT_TRUE(deviceOf(Mode::Lint, {"m5pro", "e5rt", "26"})->load(tile).ok());
}

TEST(Misuse, RejectedProgramsDoNotLoad) {
  ProgramDesc desc = oneOp(kT + "y = mod(x = a, y = a);");
  EXPECT_PRED_FORMAT2(hasText, lintError(desc), "violates C36 mod");
  expectStatus(faithful(desc, {{"a", ramp(512)}}), kCompileError);
  TargetSpelling h11{"h11"};
  ProgramDesc relu = oneOp(kT + "y = relu(x = a);");
  EXPECT_PRED_FORMAT2(hasText, lintError(relu, h11), "C30 no-mil-path");
  expectStatus(faithful(relu, {{"a", ramp(512)}}, h11), "the compile service died");
}

TEST(Misuse, CompilesAreCounted) {
  ProgramDesc desc = oneOp(kT + "y = relu(x = a);");
  for (Mode mode : {Mode::Lint, Mode::Faithful}) {
    auto device = deviceOf(mode);
    absl::Status status;
    int loaded = 0;
    for (; loaded < 200 && status.ok(); ++loaded) {
      desc.milText += "\n"; // another program
      status = device->load(desc).status();
    }
    EXPECT_EQ(loaded, 120);
    EXPECT_PRED_FORMAT2(hasText, errorOf(status),
                        mode == Mode::Lint ? "violates C05 compile-budget on h16 (in_memory, "
                                             "macOS 15): programs compiled by this process: 120, "
                                             "limit 119"
                                           : kCompileError);
  }
}

/// As where a budget has two programs take turns.
TEST(Misuse, ReloadsAreNoCompilationsOfLintMode) {
  ProgramDesc one = oneOp(kT + "y = relu(x = a);"), other = oneOp(kT + "y = tanh(x = a);");
  for (Mode mode : {Mode::Lint, Mode::Faithful}) {
    auto device = deviceOf(mode);
    absl::Status status;
    int loaded = 0;
    for (; loaded < 200 && status.ok(); ++loaded)
      status = device->load(loaded % 2 ? other : one).status();
    EXPECT_EQ(loaded, mode == Mode::Lint ? 200 : 120) << status;
  }
}

/// The in-memory route reaches the bound of compilations first.
TEST(Misuse, LoadedProgramsAreCounted) {
  ProgramDesc desc = oneOp(kT + "y = relu(x = a);");
  for (auto [route, limit] : {std::pair("e5rt", 128), std::pair("coreml", 127)}) {
    auto device = deviceOf(Mode::Lint, {"m4", route});
    std::vector<std::unique_ptr<DeviceProgram>> loaded;
    for (int i = 0; i < limit; ++i) {
      auto program = device->load(desc);
      ASSERT_TRUE(program.ok()) << i << program.status();
      loaded.push_back(std::move(*program));
    }
    EXPECT_PRED_FORMAT2(hasText, errorOf(device->load(desc).status()),
                        absl::StrCat("violates C139 loaded-programs on h16 (", route,
                                     ", macOS 15): loaded programs: ", limit + 1, ", limit ", limit));
    loaded.pop_back();
    EXPECT_TRUE(device->load(desc).ok());
  }
}

TEST(Misuse, AttentionLosesItsMask) {
  CaseProgram program{"tensor<fp16, [1, 1, 32, 32]> k, tensor<fp16, [1, 1, 32, 32]> m, "
                      "tensor<fp16, [1, 1, 32, 32]> q, tensor<fp16, [1, 1, 32, 32]> v",
                      "tensor<fp16, [1, 1, 32, 32]> y = scaled_dot_product_attention(attn_mask "
                      "= m, key = k, query = q, value = v);",
                      "y", "ios18"};
  std::vector<int64_t> shape = {1, 1, 32, 32};
  ProgramDesc desc =
      describe(program, {surface("k", shape), surface("m", shape), surface("q", shape), surface("v", shape)},
               {surface("y", shape)});
  EXPECT_PRED_FORMAT2(hasText, lintError(desc),
                      "violates C06 attention-mask on h16 (in_memory, macOS "
                      "15): argument 'attn_mask': is given");
  std::vector<float> zero(1024, 0), mask(1024, -30000), value(1024, 0);
  for (int i = 0; i < 32; ++i)
    mask[i * 32] = 0; // each query sees the first position
  for (int i = 0; i < 32; ++i)
    value[i] = 32;
  Values inputs = {{"k", zero}, {"q", zero}, {"m", mask}, {"v", value}};
  auto got = faithful(desc, inputs);
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ((*got)["y"][0], 1); // the mean of all positions
}

TEST(Misuse, RuntimeConvWeightsAreIgnored) {
  std::vector<int64_t> flat = {1, 1, 1, 64};
  ProgramDesc desc = describe(
      {kA + ", tensor<fp16, [1, 1, 1, 64]> w", "tensor<fp16, [8, 8, 1, 1]> k = reshape(shape = tensor<int32, [4]>([8, "
                                               "8, 1, 1]), x = w);" +
                                                   kT + "y = conv(weight = k, x = a);"},
      {surface("a", kShape), surface("w", flat)}, {surface("y", kShape)});
  EXPECT_PRED_FORMAT2(hasText, lintError(desc),
                      "violates C53 runtime-conv-weight on h16 (in_memory, "
                      "macOS 15): argument 'weight': a runtime value, must be "
                      "a constant");
  auto got = faithful(desc, {{"a", ramp(512)}, {"w", ramp(64)}});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ((*got)["y"], std::vector<float>(512, 0));
}

TEST(Misuse, ValuesFallOffCliffs) {
  auto first = [](const std::string &statements, float value, const TargetSpelling &target = {}) {
    auto got = faithful(oneOp(statements), {{"a", std::vector<float>(512, value)}}, target);
    EXPECT_TRUE(got.ok()) << got.status();
    return got.ok() ? (*got)["y"][0] : 0;
  };
  const std::string softplus = kT + "y = softplus(x = a);";
  EXPECT_EQ(first(softplus, 11), 0);
  EXPECT_NEAR(first(softplus, 9), 9, 0.01);
  // 4 % of what is small, and 3.8e-3 where it bends most.
  const std::string sigmoid = kT + "y = sigmoid(x = a);", silu = kT + "y = silu(x = a);";
  EXPECT_NEAR(first(sigmoid, -8) / 3.3535e-4f, 1.0408f, 1e-3f);
  EXPECT_NEAR(first(silu, -8) / -8 / 3.3535e-4f, 1.0408f, 1e-3f);
  EXPECT_EQ(first(sigmoid, -10), 0);
  EXPECT_EQ(first(sigmoid, 9), 1);
  const std::string round = kT + "y = round(x = a);";
  EXPECT_EQ(first(round, 1024), 1025);
  EXPECT_EQ(first(round, 1000.5f), 1000);
  const std::string log = kT + "y = log(epsilon = fp16(0x0p+0), x = a);";
  EXPECT_EQ(first(log, 6e-6f), -kInf);
  EXPECT_NEAR(first(log, 8e-6f), -11.74f, 0.01f); // the remedy's floor
  EXPECT_NEAR(first(log, 1e-3f), -6.9f, 0.01f);
  // Of H13 and H14 only, and of no part that begins at 0.
  const std::string part = "tensor<fp16, [1, 8, 1, 32]> ";
  for (const std::string &inside :
       {part + "y = slice_by_size(begin = tensor<int32, [4]>([0, 0, 0, 1]), size = tensor<int32, [4]>([1, 8, 1, 32]), "
               "x = a);",
        kT + "b = relu(x = a);" + part +
            "y = slice_by_index(begin = tensor<int32, [4]>([0, 0, 0, 1]), end = tensor<int32, [4]>([1, 8, 1, 33]), x = "
            "b);",
        part + "z, " + part + "w = split(axis = int32(3), num_splits = int32(2), x = a);" + part +
            "v = mul(x = z, y = fp16(0x0p+0));" + part + "y = add(x = v, y = w);",
        part +
            "y = crop(crop_height = tensor<int32, [2]>([0, 0]), crop_width = tensor<int32, [2]>([1, 31]), x = a);"}) {
    auto columns = [&](float value, const TargetSpelling &target) {
      auto got = faithful(describe({kA, inside}, {surface("a", kShape)}, {surface("y", {1, 8, 1, 32})}),
                          {{"a", std::vector<float>(512, value)}}, target);
      EXPECT_TRUE(got.ok()) << got.status();
      return got.ok() ? (*got)["y"][0] : 0;
    };
    for (const char *chip : {"m1", "m2"}) {
      EXPECT_EQ(columns(4094, {chip}), 4094) << inside;
      EXPECT_EQ(columns(4096, {chip}), kInf) << inside;
      EXPECT_EQ(columns(-5000, {chip}), inside.find("relu") == std::string::npos ? -kInf : 0) << inside;
    }
    EXPECT_EQ(columns(5000, {"m4"}), 5000) << inside;
  }
  // No record says so on e5rt.
  EXPECT_NEAR(first(log, 6e-6f, {"m4", "e5rt"}), -12.0f, 0.1f);
}

TEST(Misuse, ThereIsNoNaN) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (const char *chip : {"m1", "m4"})
    for (auto [op, input, expected] :
         std::vector<std::tuple<std::string, float, float>>{{"relu(x = a)", nan, kInf},
                                                            {"sqrt(x = a)", -1, 0},
                                                            {"sub(x = a, y = a)", kInf, 0},
                                                            {"mul(x = a, y = fp16(0))", kInf, 0}}) {
      ProgramDesc desc = oneOp(kT + "y = " + op + ";");
      Values inputs = {{"a", std::vector<float>(512, input)}};
      auto got = faithful(desc, inputs, {chip});
      ASSERT_TRUE(got.ok()) << got.status();
      EXPECT_EQ((*got)["y"], std::vector<float>(512, expected)) << op;
      auto device = deviceOf(Mode::Plain);
      auto program = device->load(desc);
      ASSERT_TRUE(program.ok()) << program.status();
      auto plain = evaluate(*device, **program, desc, inputs);
      ASSERT_TRUE(plain.ok()) << plain.status();
      if (op != "relu(x = a)")
        EXPECT_TRUE(std::isnan((*plain)["y"][0])) << op;
    }
}

TEST(Misuse, AccumulatorsOverflow) {
  std::vector<int64_t> square = {1, 1, 32, 32};
  ProgramDesc desc = describe({"tensor<fp16, [1, 1, 32, 32]> a",
                               "bool t = const()[val = bool(false)]; tensor<fp16, [1, 1, 32, 32]> y = "
                               "matmul(transpose_x = t, transpose_y = t, x = a, y = a);"},
                              {surface("a", square)}, {surface("y", square)});
  auto value = [&](float element) {
    auto got = faithful(desc, {{"a", std::vector<float>(1024, element)}});
    EXPECT_TRUE(got.ok()) << got.status();
    return got.ok() ? (*got)["y"][0] : 0;
  };
  EXPECT_EQ(value(31), 30752);
  EXPECT_EQ(value(32), kInf);
}

class MisuseOfFiles : public testing::Test {
protected:
  test::TemporaryFolder folder;

  /// y = a * w, where w is read from `offset`.
  ProgramDesc program(const std::string &offset) {
    ProgramDesc desc = oneOp("tensor<fp16, [1, 8, 1, 1]> w = const()[val = tensor<fp16, [1, 8, 1, "
                             "1]>(BLOBFILE(path = string(\"@model_path/w.bin\"), offset = uint64(" +
                             offset + ")))];" + kT + "y = mul(x = a, y = w);");
    desc.folder = folder.open();
    return desc;
  }
  void write(float value) {
    auto writer = blob::Writer::create(folder.path("w.bin"));
    ASSERT_TRUE(writer.ok()) << writer.status();
    std::vector<uint16_t> halves(8, floatToHalf(value));
    ASSERT_TRUE(writer->add(ElementType::Float16, 8, halves.data()).ok());
    ASSERT_TRUE(writer->finish().ok());
  }
  void patch(int64_t at, uint32_t value) {
    std::fstream file(folder.path("w.bin"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    file.write(reinterpret_cast<const char *>(&value), 4);
  }
};

TEST_F(MisuseOfFiles, OffsetsOfDataGiveGarbage) {
  write(2);
  Values ones = {{"a", std::vector<float>(512, 1)}};
  auto right = faithful(program("64"), ones);
  ASSERT_TRUE(right.ok()) << right.status();
  EXPECT_EQ((*right)["y"], std::vector<float>(512, 2));
  EXPECT_PRED_FORMAT2(hasText, lintError(program("0")),
                      "violates C08 blob-offset on h16 (in_memory, macOS 15): "
                      "weight 'w' at 0 of '@model_path/w.bin': offset 0, must "
                      "be a multiple of 64, not 0");
  EXPECT_PRED_FORMAT2(hasText, lintError(program("128")), "violates C08");
  auto wrong = faithful(program("128"), ones);
  ASSERT_TRUE(wrong.ok()) << wrong.status();
  EXPECT_NE((*wrong)["y"], (*right)["y"]);
}

TEST_F(MisuseOfFiles, RecordsThatLieAreNamed) {
  for (auto [at, value, text] :
       std::vector<std::tuple<int, uint32_t, std::string>>{{64, 0, "no record: sentinel is 0x0"},
                                                           {68, 4, "dtype is 4 (int8), expected 1 (fp16)"},
                                                           {72, 524288, "size is 524288 bytes, expected 16"},
                                                           {80, 0, "payload offset is 0, took 128"},
                                                           {4, 1, "file version is 1, expected 2"}}) {
    write(2);
    patch(at, value);
    std::string error = lintError(program("64"));
    EXPECT_PRED_FORMAT2(hasText, error, "violates C08 blob-offset");
    EXPECT_PRED_FORMAT2(hasText, error, text);
  }
  // Writers leave the count alone, and compilers do not mind.
  write(2);
  patch(0, 7);
  EXPECT_TRUE(deviceOf(Mode::Lint)->load(program("64")).ok());
}

TEST_F(MisuseOfFiles, OtherWeightsAreCompiled) {
  for (bool isReplaced : {false, true}) {
    SCOPED_TRACE(isReplaced ? "the process replaces the file" : "the file is written anew");
    auto device = deviceOf(Mode::Lint);
    absl::Status status;
    int loaded = 0;
    for (; loaded < 200 && status.ok(); ++loaded) {
      write(static_cast<float>(loaded));
      ProgramDesc desc = program("64");
      if (isReplaced) {
        Folder files = *desc.folder->again();
        files.replace("w.bin", std::make_shared<const MappedFile>(*MappedFile::open(folder.path("w.bin"))));
        desc.folder = std::make_shared<const Folder>(std::move(files));
      }
      status = device->load(desc).status();
      EXPECT_EQ(device->load(desc).status(), status); // the same again
    }
    EXPECT_EQ(loaded, 120);
    EXPECT_PRED_FORMAT2(hasText, errorOf(status), "violates C05 compile-budget");
  }
}

TEST_F(MisuseOfFiles, WeightsMustBeFinite) {
  write(kInf);
  EXPECT_PRED_FORMAT2(hasText, lintError(program("64")),
                      "violates C55 finite-constants on h16 (in_memory, macOS "
                      "15): weight 'w' at 64 of '@model_path/w.bin': inf "
                      "(element 0), must be between -65504 and 65504");
}

TEST_F(MisuseOfFiles, UnsignedWeightsAreGarbage) {
  auto writer = blob::Writer::create(folder.path("q.bin"));
  ASSERT_TRUE(writer.ok()) << writer.status();
  std::vector<uint8_t> weights(8, 2);
  ASSERT_TRUE(writer->add(ElementType::UInt8, 8, weights.data()).ok());
  ASSERT_TRUE(writer->finish().ok());
  ProgramDesc desc = oneOp("tensor<fp16, [8, 1, 1, 1]> w = constexpr_affine_dequantize()[axis = "
                           "int32(0), quantized_data = tensor<uint8, [8, 1, 1, 1]>(BLOBFILE(path = "
                           "string(\"@model_path/q.bin\"), offset = uint64(64))), scale = "
                           "fp16(0x1p+0), zero_point = uint8(0)]; int32 g = const()[val = "
                           "int32(8)]; " +
                           kT + "y = conv(groups = g, weight = w, x = a);");
  desc.folder = folder.open();
  EXPECT_PRED_FORMAT2(hasText, lintError(desc), "violates C161 unsigned-weights");
  Values ones = {{"a", std::vector<float>(512, 1)}};
  auto device = deviceOf(Mode::Plain);
  auto program = device->load(desc);
  ASSERT_TRUE(program.ok()) << program.status();
  auto right = evaluate(*device, **program, desc, ones);
  ASSERT_TRUE(right.ok()) << right.status();
  EXPECT_EQ((*right)["y"], std::vector<float>(512, 2));
  auto wrong = faithful(desc, ones);
  ASSERT_TRUE(wrong.ok()) << wrong.status();
  EXPECT_NE((*wrong)["y"], (*right)["y"]);
}

TEST_F(MisuseOfFiles, LargeActivationsOverflowBesideIntegerWeights) {
  auto writer = blob::Writer::create(folder.path("q.bin"));
  ASSERT_TRUE(writer.ok()) << writer.status();
  std::vector<int8_t> weights(64);
  for (size_t i = 0; i < 8; ++i)
    weights[i * 9] = 1;
  ASSERT_TRUE(writer->add(ElementType::Int8, 64, weights.data()).ok());
  ASSERT_TRUE(writer->finish().ok());
  ProgramDesc desc = oneOp("tensor<fp16, [8, 8, 1, 1]> w = constexpr_affine_dequantize()[axis = "
                           "int32(0), quantized_data = tensor<int8, [8, 8, 1, 1]>(BLOBFILE(path = "
                           "string(\"@model_path/q.bin\"), offset = uint64(64))), scale = "
                           "fp16(0x1p+0), zero_point = int8(0)]; " +
                           kT + "y = conv(weight = w, x = a);");
  desc.folder = folder.open();
  const TargetSpelling e5rt = {"m5", "e5rt"};
  EXPECT_PRED_FORMAT2(hasText, lintError(desc, e5rt),
                      "violates C76 quantised-range on h17 (e5rt, macOS 15): "
                      "operand 'x': values may exceed 4094");
  std::vector<float> a(512, 4090), expected = a;
  a[2] = 4096;
  expected[2] = kInf;
  auto got = faithful(desc, {{"a", a}}, e5rt);
  ASSERT_TRUE(got.ok()) << got.status();
  for (size_t i : {0, 1, 2, 63})
    EXPECT_EQ((*got)["y"][i], expected[i]) << i;
}

TEST_F(MisuseOfFiles, LoadedBytesAreCounted) {
  write(2);
  // Nothing but the record takes space on the disk.
  std::filesystem::resize_file(folder.path("w.bin"), uint64_t(15) << 28);
  auto device = deviceOf(Mode::Lint);
  auto first = device->load(program("64"));
  ASSERT_TRUE(first.ok()) << first.status();
  auto second = device->load(program("64"));
  EXPECT_PRED_FORMAT2(hasText, errorOf(second.status()),
                      "violates C140 loaded-bytes on h16 (in_memory, macOS "
                      "15): bytes of loaded programs: 4026531856, limit "
                      "3758096384");
  first->reset();
  EXPECT_TRUE(device->load(program("64")).ok());
}

TEST_F(MisuseOfFiles, ChangedFilesHaveNoEffect) {
  write(2);
  ProgramDesc desc = program("64");
  auto linted = deviceOf(Mode::Lint), device = deviceOf(Mode::Faithful);
  auto checked = linted->load(desc), loaded = device->load(desc);
  ASSERT_TRUE(checked.ok() && loaded.ok()) << checked.status();
  Values ones = {{"a", std::vector<float>(512, 1)}};
  EXPECT_TRUE(evaluate(*linted, **checked, desc, ones).ok());
  std::filesystem::last_write_time(folder.path("w.bin"),
                                   std::filesystem::last_write_time(folder.path("w.bin")) - std::chrono::hours(1));
  write(3);
  auto error = evaluate(*linted, **checked, desc, ones);
  EXPECT_PRED_FORMAT2(hasText, errorOf(error.status()),
                      "violates C07 baked-weights on h16 (in_memory, macOS "
                      "15): weight file '");
  auto stale = evaluate(*device, **loaded, desc, ones);
  ASSERT_TRUE(stale.ok()) << stale.status();
  EXPECT_EQ((*stale)["y"], std::vector<float>(512, 2));
}

} // namespace
} // namespace ane::rt::emulator
