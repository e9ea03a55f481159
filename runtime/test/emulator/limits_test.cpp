//===- limits_test.cpp - What hostile text cannot ask for -----------------===//
//
// Single cases with their messages; hostile_test.cpp tries them all.
//
//===----------------------------------------------------------------------===//

#include "runtime/lint/linter.h"
#include "runtime/test/emulator/device_fixture.h"
#include "runtime/test/emulator/mil_fixture.h"
#include "runtime/test/temporary_folder.h"

#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>

namespace ane::rt::emulator {
namespace {

TEST(EmptyAxis, NoValueHasOne) {
  const char *expected = "has an axis without elements";
  for (const char *shape : {"[5, 0]", "[0, 1048576, 1048576]", "[1, 4611686018427387904, 0, 4]"}) {
    std::string x = std::string("tensor<fp16, ") + shape + "> ";
    EXPECT_PRED_FORMAT2(hasText, loadError(x + "x", x + "y = relu(x = x);"), expected);
  }
  // A result is refused before its op multiplies sizes.
  EXPECT_PRED_FORMAT2(hasText,
                      loadError("tensor<fp16, [1, 2, 4, 4]> x",
                                "tensor<fp16, [1, 2, 0, 4]> y = resize_nearest_neighbor(x = x, target_size_height = 0, "
                                "target_size_width = 4);"),
                      expected);
  EXPECT_PRED_FORMAT2(hasText,
                      loadError("tensor<fp16, [0]> x", "tensor<fp16, [4]> y = pad(x = x, pad = [2, 2], mode = "
                                                       "\"replicate\");"),
                      "parameter 'x': type tensor<fp16, [0]> has no elements");
}

TEST(EmptyAxis, ListsAreParametersOnly) {
  EXPECT_EQ(
      runMilText("tensor<fp16, [1]> x", "tensor<fp16, []> y = reshape(x = x, shape = tensor<int32, [0]>([]));", {{3}}),
      std::vector<float>{3});
  // Slices of them would write one element into the place of none.
  EXPECT_PRED_FORMAT2(hasText,
                      loadError("", "tensor<int32, []> y = slice_by_index(x = tensor<int32, [0]>([]), begin = [0], end "
                                    "= [1], squeeze_mask = [true]);"),
                      "argument 'x' is tensor<int32, [0]>, which has no elements");
  EXPECT_PRED_FORMAT2(hasText,
                      loadError("tensor<fp16, [1]> u",
                                "tensor<fp16, [1]> y = slice_update(x = tensor<fp16, [0]>([]), update = u, begin = "
                                "[0], end = [1], squeeze_mask = [true]);"),
                      "argument 'x' is tensor<fp16, [0]>, which has no elements");
  EXPECT_PRED_FORMAT2(hasText,
                      loadError("", "tensor<fp16, []> y = reduce_max(x = tensor<fp16, [0]>([]), axes = [0], keep_dims "
                                    "= false);"),
                      "which has no elements");
}

TEST(Ranges, NumbersThatAreNoSizes) {
  EXPECT_PRED_FORMAT2(hasText,
                      loadError("tensor<fp16, [4]> x",
                                "tensor<fp16, [2]> y, tensor<fp16, [2]> z = split(x = x, num_splits = 2147483647, axis "
                                "= 0);"),
                      "has 2147483647 results, 2 are declared");
  EXPECT_PRED_FORMAT2(hasText,
                      loadError("tensor<fp16, [4, 5]> x, tensor<int32, [2]> b",
                                "tensor<fp16, []> y = slice_by_size(x = x, begin = b, size = [-1, -1]);"),
                      "the result is tensor<fp16, []>; 'x' has rank 2");
  EXPECT_PRED_FORMAT2(hasText,
                      loadError("",
                                "tensor<fp16, [2]> y = constexpr_lut_to_dense(indices = tensor<int4, [2]>([-1, 7]), "
                                "lut = tensor<fp16, [1, 16, 1]>([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, "
                                "15]));"),
                      "argument 'indices' is tensor<int4, [2]>; its element type must be one of: uint1, uint2");
  EXPECT_PRED_FORMAT2(hasText,
                      loadError("tensor<fp16, [4]> x",
                                "tensor<fp16, [4]> y = expand_dims(x = x, axes = [1, 2, 3, 4, 5, "
                                "6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);"),
                      "the result would have 17 axes; the limit is 16");
  EXPECT_PRED_FORMAT2(hasText,
                      loadError("tensor<fp16, [4]> x", "tensor<fp16, [4]> y = add(x = x, y = "
                                                       "int64(4611686018427387904));"),
                      "element 0 is 4611686018427387904");
}

TEST(Ranges, LiteralsOfAnotherKind) {
  EXPECT_PRED_FORMAT2(hasText,
                      loadError("", "tensor<int32, [2]> c = const()[val = [1.5, 2.5]];\n"
                                    "tensor<int32, [2]> y = add(x = c, y = c);"),
                      "type tensor<int32, [2]> needs 2 elements, the literal has 0");
}

TEST(Ranges, NumbersThatNoIntegerHolds) {
  EXPECT_EQ(runMilText("tensor<int32, [3]> x",
                       "tensor<int32, [1]> y = reduce_prod(x = x, axes = [0], keep_dims = true);", {{2e9, 2e9, 2e9}}),
            std::vector<float>{2147483647.0f});
  EXPECT_EQ(runMilText("tensor<int32, [2]> x", "tensor<int32, [2]> y = threshold(x = x, alpha = 1e30);", {{1, 2}}),
            std::vector<float>(2, 2147483647.0f));
  EXPECT_PRED_FORMAT2(hasText,
                      loadError("tensor<fp16, [1, 1, 2, 2]> x",
                                "tensor<fp16, [1, 1, 2, 2]> y = upsample_nearest_neighbor(x = x, scale_factor_height = "
                                "1e38);"),
                      "gives tensor<fp16, [1, 1, 9223372036854775807, 2]>");
}

/// The message with small limits.
std::string limitedError(const std::string &parameters, const std::string &statements) {
  MilProgram program(parameters, statements, "y");
  program.limits = {int64_t(1) << 20, int64_t(1) << 20};
  absl::Status status = program.load();
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  return std::string(status.message());
}

TEST(Bounds, OfOneValue) {
  EXPECT_PRED_FORMAT2(hasText,
                      limitedError("tensor<fp16, [1024, 257]> x", "tensor<fp16, [1024, 257]> y = relu(x = x);"),
                      "parameter 'x': type tensor<fp16, [1024, 257]> has 263168 elements; the limit is 262144");
  EXPECT_PRED_FORMAT2(hasText,
                      loadError("tensor<fp16, [1, 1, 64]> x, tensor<fp16, [1, 1, 64]> w",
                                "tensor<fp16, [1, 1, 1073741888]> y = conv_transpose(x = x, weight = w, strides = "
                                "[17043522]);"),
                      "op 'conv_transpose' (result 'y'): type tensor<fp16, [1, 1, 1073741888]> has");
}

TEST(Bounds, OfWorkAndScratch) {
  EXPECT_PRED_FORMAT2(hasText,
                      limitedError("tensor<fp16, [1, 1, 64]> x",
                                   "tensor<fp16, [1, 1, 64]> y = max_pool(x = x, kernel_sizes = [65537], pad_type = "
                                   "\"custom\", pad = [32768, 32768]);"),
                      "op 'max_pool' (result 'y'): the op visits 6291684 elements; the limit is 1048576");
  // Kernels as wide as a number allows: the product of three is no 64-bit integer.
  EXPECT_PRED_FORMAT2(hasText,
                      loadError("tensor<fp16, [1, 1, 1, 1, 1]> x",
                                "tensor<fp16, [1, 1, 1, 1, 1]> y = avg_pool(x = x, kernel_sizes = [2147483647, "
                                "2147483647, 2147483647], pad_type = \"custom\", pad = [1073741823, 1073741823, "
                                "1073741823, 1073741823, 1073741823, 1073741823]);"),
                      "the op visits 9223372036854775807 elements");
  EXPECT_PRED_FORMAT2(hasText,
                      limitedError("tensor<fp16, [512, 512]> x", "tensor<fp16, [512, 512]> y = matmul(x = x, y = x);"),
                      "op 'matmul' (result 'y'): the op visits 2883584 elements; the limit is 1048576");
  // The result fits, what lies between the axes does not.
  EXPECT_PRED_FORMAT2(hasText,
                      limitedError("tensor<fp16, [1, 1, 4, 1024]> x",
                                   "tensor<fp16, [1, 1, 400, 1]> y = resize_bilinear(x = x, target_size_height = 400, "
                                   "target_size_width = 1);"),
                      "op 'resize_bilinear' (result 'y'): the op needs room for");
}

TEST(Bounds, OfWhatIsComputedAtLoad) {
  std::string body = "tensor<fp16, [131072]> v0 = fill(shape = [131072], value = fp16(1));\n";
  for (int i = 1; i < 8; ++i)
    body += "tensor<fp16, [131072]> v" + std::to_string(i) + " = abs(x = v" + std::to_string(i - 1) + ");\n";
  EXPECT_PRED_FORMAT2(hasText, limitedError("", body + "tensor<fp16, [131072]> y = abs(x = v7);"),
                      "what is known at load takes");
}

TEST(Bounds, OfAllValuesTogether) {
  std::string body;
  for (int i = 0; i < 4; ++i)
    body += "tensor<fp16, [65536]> v" + std::to_string(i) + " = abs(x = x);\n";
  EXPECT_PRED_FORMAT2(hasText,
                      limitedError("tensor<fp16, [65536]> x",
                                   body + "tensor<fp16, [262144]> y = concat(values = (v0, v1, v2, v3), axis = 0);"),
                      "t.mil: function 'main' needs 2097152 bytes for its values; the limit is 1048576");
}

TEST(Bounds, OfSurfaces) {
  // Rows of one element take 64 bytes each.
  EmulatorOptions options;
  options.mode = Mode::Plain;
  options.limits.bytes = 1 << 20;
  std::unique_ptr<Device> device = makeEmulatorDevice(options);
  ProgramDesc desc;
  desc.name = "p";
  desc.milText = MilProgram("tensor<fp16, [16384, 1]> x", "tensor<fp16, [16384, 1]> y = relu(x = x);", "y").text;
  desc.procedures[0].inputs = {surface("x", {16384, 1})};
  desc.procedures[0].outputs = {surface("y", {16384, 1})};
  absl::Status status = device->load(desc).status();
  EXPECT_TRUE(absl::IsResourceExhausted(status));
  EXPECT_PRED_FORMAT2(
      hasText, std::string(status.message()),
      "program 'p' needs 131072 bytes for its values and 2097152 for its surfaces; the limit is 1048576");
}

/// Of the processor: other processes do not make it slow.
double secondsOf(const std::function<void()> &body) {
  std::clock_t start = std::clock();
  body();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

/// What takes minutes when it is quadratic takes a second.
constexpr double kQuick = 10;

TEST(Growth, NamesOfOneStatement) {
  std::string arguments = "x = x";
  for (int i = 0; i < 200000; ++i)
    arguments += ", argument" + std::to_string(i) + " = x";
  EXPECT_LT(secondsOf([&] {
              EXPECT_PRED_FORMAT2(hasText,
                                  loadError("tensor<fp16, [1]> x", "tensor<fp16, [1]> y = relu(" + arguments + ");"),
                                  "there is no argument 'argument0'");
            }),
            kQuick);
}

TEST(Growth, Functions) {
  std::string text = "program(1.0) {";
  for (int i = 0; i < 200000; ++i)
    text += "func f" + std::to_string(i) + "<ios18>() {} -> (y);";
  EXPECT_LT(secondsOf([&] { EXPECT_TRUE(mil::parse(text + "}").ok()); }), kQuick);
}

TEST(Growth, FoldedAndLiveValues) {
  std::string body, values = "x";
  for (int i = 0; i < 40000; ++i) {
    std::string n = std::to_string(i);
    body += "tensor<fp16, [1]> c" + n + " = fill(shape = [1], value = fp16(1));\n";
    body += "tensor<fp16, [1]> v" + n + " = add(x = x, y = c" + n + ");\n";
    values += ", v" + n;
  }
  MilProgram program("tensor<fp16, [1]> x",
                     body + "tensor<fp16, [40001]> y = concat(values = (" + values + "), axis = 0);", "y");
  EXPECT_LT(secondsOf([&] {
              absl::Status status = program.run({{1}});
              EXPECT_TRUE(status.ok()) << status;
            }),
            kQuick);
}

TEST(WeightFiles, StayInTheFolder) {
  test::TemporaryFolder files;
  std::filesystem::create_directories(files.path("model/weights"));
  for (const char *name : {"secret.bin", "model/weights/w.bin"})
    std::ofstream(files.path(name)) << "bytes";
  std::filesystem::create_symlink("../secret.bin", files.path("model/link.bin"));
  std::filesystem::create_directory_symlink("..", files.path("model/up"));
  std::string model = files.path("model");
  Folder folder = *Folder::open(model);
  for (auto [bad, says] : {std::pair("@model_path/link.bin", "is a symbolic link"),
                           {"@model_path/up/secret.bin", "is a symbolic link"},
                           {"@model_path/../secret.bin", "is no plain path below the folder"}}) {
    // The linter and the loader both ask.
    MilProgram program("tensor<fp16, [1]> x",
                       std::string("tensor<fp16, [1]> y = add(x = x, y = tensor<fp16, [1]>(BLOBFILE(path = string(\"") +
                           bad + "\"), offset = uint64(64))));",
                       "y");
    program.constants.folder = &folder;
    EXPECT_PRED_FORMAT2(hasText, std::string(program.load().message()), says);
    auto report = lint::lintSource(program.text, "t.mil", model, {"m1", "in_memory", "27", ""}, false);
    ASSERT_TRUE(report.ok());
    EXPECT_PRED_FORMAT2(hasText, report->text, says);
  }
}

} // namespace
} // namespace ane::rt::emulator
