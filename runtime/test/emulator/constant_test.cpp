//===- constant_test.cpp - Literals, weight files, compressed constants ---===//

#include "runtime/test/emulator/mil_fixture.h"

#include "runtime/format/blob/blob.h"
#include "runtime/support/half.h"

namespace ane::rt::emulator {
namespace {

std::string constant(const std::string &type, const std::string &name, const std::string &literal) {
  return type + " " + name + " = const()[val = " + type + "(" + literal + ")];\n";
}

TEST(Literal, IsRoundedToItsType) {
  EXPECT_PRED_FORMAT2(sameValues, runMilText("", constant("tensor<fp16, [2]>", "y", "[2049, 0.1]")),
                      values(2048, 0.0999755859375f));
  EXPECT_PRED_FORMAT2(sameValues, runMilText("", constant("tensor<fp32, [1]>", "y", "[0.1]")), values(0.1f));
  EXPECT_PRED_FORMAT2(sameValues, runMilText("", constant("tensor<fp16, [1]>", "y", "[0x1p-3]")), values(0.125f));
  EXPECT_PRED_FORMAT2(sameValues, runMilText("", constant("tensor<bool, [2]>", "y", "[true, false]")), values(1, 0));
}

TEST(Literal, MayLackItsType) {
  EXPECT_PRED_FORMAT2(sameValues, runMilText("", "tensor<fp16, [1]> y = const()[val = [1]];"), values(1));
}

TEST(Literal, LastDefinitionHolds) {
  EXPECT_PRED_FORMAT2(
      sameValues, runMilText("", constant("tensor<fp16, [1]>", "y", "[1]") + constant("tensor<fp16, [1]>", "y", "[2]")),
      values(2));
}

/// A file with an fp16 and a uint4 blob; positions of their records.
struct WeightFile {
  std::string directory = testing::TempDir();
  Folder folder = *Folder::open(directory);
  uint64_t half = 0, nibbles = 0;

  WeightFile() {
    auto writer = blob::Writer::create(directory + "/emulator_weights.bin");
    EXPECT_TRUE(writer.ok());
    uint16_t values[4];
    for (int i = 0; i < 4; ++i)
      values[i] = floatToHalf(static_cast<float>(i) + 0.5f);
    half = *writer->add(ElementType::Float16, 4, values);
    std::vector<uint8_t> packed = blob::pack(ElementType::UInt4, {1, 2, 15, 0, 7});
    nibbles = *writer->add(ElementType::UInt4, 5, packed.data());
    EXPECT_TRUE(writer->finish().ok());
  }

  std::string reference(uint64_t position) const {
    return "BLOBFILE(path = string(\"@model_path/emulator_weights.bin\"), "
           "offset = uint64(" +
           std::to_string(position) + "))";
  }
};

TEST(Blob, DecodesElements) {
  WeightFile file;
  MilProgram program("",
                     constant("tensor<fp16, [2, 2]>", "y", file.reference(file.half)) +
                         constant("tensor<uint4, [5]>", "z", file.reference(file.nibbles)),
                     "y, z");
  program.constants.folder = &file.folder;
  absl::Status status = program.run();
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_PRED_FORMAT2(sameValues, program.result(0), values(0.5, 1.5, 2.5, 3.5));
  EXPECT_PRED_FORMAT2(sameValues, program.result(1), values(1, 2, 15, 0, 7));
}

TEST(Blob, ContradictionsAreRefusedWhenStrict) {
  WeightFile file;
  for (bool strict : {true, false}) {
    MilProgram program("", constant("tensor<fp16, [3]>", "y", file.reference(file.half)), "y");
    program.constants.folder = &file.folder;
    program.constants.strictBlobs = strict;
    absl::Status status = program.run();
    if (strict) {
      EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
      EXPECT_PRED_FORMAT2(hasText, std::string(status.message()), "is not the tensor<fp16, [3]> of the text");
    } else {
      ASSERT_TRUE(status.ok()) << status.message();
      EXPECT_PRED_FORMAT2(sameValues, program.result(), values(0.5, 1.5, 2.5));
    }
  }
}

TEST(Blob, LargeConstantsStayInTheFile) {
  WeightFile file;
  std::string body = constant("tensor<fp16, [2, 2]>", "w", file.reference(file.half)) +
                     "tensor<fp16, [2, 2]> p = matmul(x = x, y = w);\n"
                     "tensor<fp16, [4]> r = reshape(x = w, shape = [4]);\n"
                     "tensor<fp16, [4]> f = reshape(x = p, shape = [4]);\n"
                     "tensor<fp16, [4]> y = add(x = f, y = r);";
  for (int64_t limit : {int64_t(1) << 20, int64_t(0)}) {
    MilProgram program("tensor<fp16, [2, 2]> x", body, "y, w");
    program.constants.folder = &file.folder;
    program.constants.wideBytes = limit;
    absl::Status status = program.run({{1, 0, 0, 2}});
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_PRED_FORMAT2(sameValues, program.result(0), values(1, 3, 7.5, 10.5));
    EXPECT_PRED_FORMAT2(sameValues, program.result(1), values(0.5, 1.5, 2.5, 3.5));
  }
}

/// The file's halves, each plus 10.
std::shared_ptr<Folder> withOtherHalves(const WeightFile &file, int64_t &offset) {
  const std::string name = "emulator_weights.bin";
  auto opened = file.folder.openFile(name);
  EXPECT_TRUE(opened.ok());
  auto mapped = std::make_shared<MappedFile>(*MappedFile::mapCopy(opened->descriptor.get(), name));
  offset = static_cast<int64_t>(blob::Reader::fromBytes(mapped->data(), mapped->size(), name)->read(file.half)->offset);
  for (int i = 0; i < 4; ++i) {
    uint16_t half = floatToHalf(static_cast<float>(i) + 10.5f);
    std::memcpy(mapped->mutableData() + offset + i * 2, &half, 2);
  }
  auto folder = std::make_shared<Folder>(*file.folder.again());
  folder->replace(name, mapped);
  return folder;
}

TEST(Blob, OtherWeightsWithoutLoading) {
  WeightFile file;
  int64_t offset = 0;
  std::shared_ptr<Folder> others = withOtherHalves(file, offset);
  for (int64_t limit : {int64_t(1) << 20, int64_t(0)}) {
    MilProgram program("tensor<fp16, [2, 2]> x",
                       constant("tensor<fp16, [2, 2]>", "w", file.reference(file.half)) +
                           "tensor<fp16, [2, 2]> p = matmul(x = x, y = w);\n"
                           "tensor<fp16, [2, 2]> y = add(x = p, y = w);",
                       "y");
    program.constants.folder = &file.folder;
    program.constants.wideBytes = limit;
    ASSERT_TRUE(program.run({{1, 0, 0, 2}}).ok());
    EXPECT_PRED_FORMAT2(sameValues, program.result(), values(1, 3, 7.5, 10.5));
    ConstantOptions constants = program.constants;
    constants.folder = others.get();
    auto other = program.program->withWeights({{"emulator_weights.bin", offset + 6, 2}}, constants, {});
    ASSERT_TRUE(other.ok()) << other.status();
    // Both run, in any order, and the other one without the first.
    MilProgram second("", "", "y");
    second.program = *std::move(other);
    ASSERT_TRUE(second.run({{1, 0, 0, 2}}).ok());
    EXPECT_PRED_FORMAT2(sameValues, second.result(), values(21, 23, 37.5, 40.5));
    ASSERT_TRUE(program.run({{1, 0, 0, 2}}).ok());
    EXPECT_PRED_FORMAT2(sameValues, program.result(), values(1, 3, 7.5, 10.5));
    program.program.reset();
    ASSERT_TRUE(second.run({{0, 0, 0, 2}}).ok());
    EXPECT_PRED_FORMAT2(sameValues, second.result(), values(10.5, 11.5, 37.5, 40.5));
    // One that ends gives its memory, also where another has changed with it.
    auto last =
        second.program->withWeights({{"emulator_weights.bin", offset, 8}}, program.constants, {}, /*ends=*/true);
    ASSERT_TRUE(last.ok()) << last.status();
    second.program = *std::move(last);
    ASSERT_TRUE(second.run({{0, 0, 0, 2}}).ok());
    EXPECT_PRED_FORMAT2(sameValues, second.result(), values(0.5, 1.5, 7.5, 10.5));
    auto back = second.program->withWeights({{"emulator_weights.bin", offset, 8}}, constants, {});
    ASSERT_TRUE(back.ok()) << back.status();
    second.program = *std::move(back);
    // Beside it nothing changes.
    for (const WeightRange &range :
         {WeightRange{"emulator_weights.bin", offset + 8, 100}, WeightRange{"emulator_weights.bin", offset - 8, 8},
          WeightRange{"other", offset, 8}}) {
      constants.folder = &file.folder; // which has the former bytes
      auto same = second.program->withWeights({range}, constants, {});
      ASSERT_TRUE(same.ok()) << same.status();
      MilProgram third("", "", "y");
      third.program = *std::move(same);
      ASSERT_TRUE(third.run({{0, 0, 0, 2}}).ok());
      EXPECT_PRED_FORMAT2(sameValues, third.result(), values(10.5, 11.5, 37.5, 40.5));
    }
    // Nor in what others share with one that ends.
    auto shares = second.program->withWeights({}, constants, {});
    auto ended = second.program->withWeights({{"emulator_weights.bin", offset, 8}}, constants, {}, /*ends=*/true);
    ASSERT_TRUE(shares.ok() && ended.ok()) << ended.status();
    MilProgram third("", "", "y");
    third.program = *std::move(shares);
    second.program = *std::move(ended);
    ASSERT_TRUE(third.run({{0, 0, 0, 2}}).ok() && second.run({{0, 0, 0, 2}}).ok());
    EXPECT_PRED_FORMAT2(sameValues, third.result(), values(10.5, 11.5, 37.5, 40.5));
    EXPECT_PRED_FORMAT2(sameValues, second.result(), values(0.5, 1.5, 7.5, 10.5));
  }
}

TEST(Blob, WeightsThatOpsHaveUsedNeedALoad) {
  WeightFile file;
  int64_t offset = 0;
  std::shared_ptr<Folder> others = withOtherHalves(file, offset);
  const std::string w = constant("tensor<fp16, [4]>", "w", file.reference(file.half));
  for (const std::string &body : {w + "tensor<fp16, [2, 2]> r = reshape(x = w, shape = [2, 2]);\n"
                                      "tensor<fp16, [2, 2]> y = add(x = x, y = r);",
                                  w + "tensor<fp16, [4]> d = mul(x = w, y = w);\n"
                                      "tensor<fp16, [2, 2]> r = reshape(x = d, shape = [2, 2]);\n"
                                      "tensor<fp16, [2, 2]> y = add(x = x, y = r);"}) {
    MilProgram program("tensor<fp16, [2, 2]> x", body, "y");
    program.constants.folder = &file.folder;
    ASSERT_TRUE(program.load().ok());
    ConstantOptions constants = program.constants;
    constants.folder = others.get();
    absl::Status status = program.program->withWeights({{"emulator_weights.bin", offset, 8}}, constants, {}).status();
    EXPECT_TRUE(absl::IsUnimplemented(status)) << status;
  }
}

TEST(Compressed, AffineDequantizeInBrackets) {
  // The accepted spelling has its operands among the attributes
  // (ane-programming.md 3.7).
  EXPECT_PRED_FORMAT2(sameValues,
                      runMilText("", "tensor<fp16, [2, 2]> y = constexpr_affine_dequantize()["
                                     "axis = int32(0), name = string(\"y\"), quantized_data = "
                                     "tensor<int8, [2, 2]>([1, 2, 3, 4]), scale = tensor<fp16, "
                                     "[2]>([0x1p-1, 2]), zero_point = int8(1)];"),
                      values(0, 0.5, 4, 6));
}

TEST(Compressed, BlockwiseShiftScale) {
  EXPECT_PRED_FORMAT2(sameValues,
                      runMilText("", constant("tensor<int4, [2, 4]>", "d", "[1, 2, 3, 4, -8, 7, 0, -1]") +
                                         constant("tensor<fp16, [2, 2]>", "s", "[1, 10, 2, 4]") +
                                         constant("tensor<int4, [2, 2]>", "o", "[1, 0, 0, -1]") +
                                         "tensor<fp16, [2, 4]> y = "
                                         "constexpr_blockwise_shift_scale(data = d, scale = s, "
                                         "offset = o);"),
                      values(0, 1, 30, 40, -16, 14, 4, 0));
}

TEST(Compressed, PackedPalette) {
  // Two bits per index, least significant first: 1, 2, 3, 0 | 3.
  EXPECT_PRED_FORMAT2(sameValues,
                      runMilText("",
                                 "tensor<fp16, [5]> y = constexpr_lut_to_dense()[indices = "
                                 "tensor<uint8, [2]>([57, 3]), lut = tensor<fp16, [4]>([0.5, "
                                 "1, 2, 4]), shape = tensor<uint32, [1]>([5])];",
                                 {}, "ios16"),
                      values(1, 2, 4, 0.5, 4));
}

TEST(Compressed, GroupedPalette) {
  // Example 1 of coremltools' description of the op.
  EXPECT_PRED_FORMAT2(sameValues,
                      runMilText("", constant("tensor<uint2, [6, 2]>", "i", "[2, 3, 3, 0, 1, 0, 3, 0, 2, 1, 0, 3]") +
                                         constant("tensor<fp16, [2, 1, 4, 1]>", "l", "[1, 5, 9, 13, 2, 10, 18, 26]") +
                                         "tensor<fp16, [6, 2]> y = constexpr_lut_to_dense("
                                         "indices = i, lut = l);"),
                      values(9, 13, 13, 1, 5, 1, 26, 2, 18, 10, 2, 26));
}

TEST(Compressed, VectorPalette) {
  // Example 2.1: vectors along axis 1.
  EXPECT_PRED_FORMAT2(sameValues,
                      runMilText("", constant("tensor<uint1, [2, 2, 2]>", "i", "[0, 0, 1, 0, 1, 1, 0, 0]") +
                                         constant("tensor<int8, [1, 1, 1, 2, 3]>", "l", "[1, 2, 3, 4, 5, 6]") +
                                         "tensor<int8, [2, 6, 2]> y = constexpr_lut_to_dense("
                                         "indices = i, lut = l, vector_axis = 1);"),
                      values(1, 1, 2, 2, 3, 3, 4, 1, 5, 2, 6, 3, //
                             4, 4, 5, 5, 6, 6, 1, 1, 2, 2, 3, 3));
}

TEST(Compressed, Sparse) {
  std::string mask = constant("tensor<uint1, [2, 3]>", "m", "[1, 0, 1, 0, 0, 1]");
  EXPECT_PRED_FORMAT2(sameValues,
                      runMilText("", mask + constant("tensor<fp16, [3]>", "d", "[7, 8, 9]") +
                                         "tensor<fp16, [2, 3]> y = "
                                         "constexpr_sparse_to_dense(nonzero_data = d, "
                                         "mask = m);"),
                      values(7, 0, 8, 0, 0, 9));
  EXPECT_PRED_FORMAT2(sameValues,
                      runMilText("",
                                 "tensor<fp16, [6]> y = constexpr_sparse_to_dense()["
                                 "nonzero_data = tensor<fp16, [3]>([7, 8, 9]), mask = "
                                 "tensor<uint8, [1]>([37]), shape = tensor<uint32, [1]>([6])];",
                                 {}, "ios16"),
                      values(7, 0, 8, 0, 0, 9));
  EXPECT_PRED_FORMAT2(hasText,
                      loadError("", mask + constant("tensor<fp16, [2]>", "d", "[7, 8]") +
                                        "tensor<fp16, [2, 3]> y = "
                                        "constexpr_sparse_to_dense(nonzero_data = d, "
                                        "mask = m);"),
                      "the mask has 3 bits that are set");
}

TEST(Compressed, SparsePaletteAndScale) {
  // The example of coremltools' description, vector along axis 0.
  MilProgram palette("",
                     constant("tensor<uint1, [2, 3]>", "m", "[1, 1, 0, 0, 1, 1]") +
                         constant("tensor<uint1, [4]>", "d", "[0, 1, 1, 0]") +
                         constant("tensor<fp16, [1, 1, 2, 2]>", "l", "[2, 20, 3, 30]") +
                         "tensor<uint1, [4, 3]> a, tensor<fp16, [8]> b = "
                         "constexpr_lut_to_sparse(indices_mask = m, indices_nonzero_data = d, "
                         "lut = l, vector_axis = 0);\n"
                         "tensor<fp16, [4, 3]> y = constexpr_sparse_to_dense(nonzero_data = "
                         "b, mask = a);",
                     "y");
  absl::Status status = palette.run();
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_PRED_FORMAT2(sameValues, palette.result(),
                      values(2, 3, 0, 20, 30, 0, //
                             0, 3, 2, 0, 30, 20));
  EXPECT_PRED_FORMAT2(sameValues,
                      runMilText("", constant("tensor<uint1, [2, 2]>", "m", "[1, 1, 0, 1]") +
                                         constant("tensor<int8, [3]>", "d", "[10, 11, 3]") +
                                         constant("tensor<fp16, [1, 2]>", "s", "[0.5, 2]") +
                                         constant("tensor<int8, [1, 2]>", "o", "[1, 2]") +
                                         "tensor<uint1, [2, 2]> a, tensor<fp16, [3]> y = "
                                         "constexpr_sparse_blockwise_shift_scale(data_mask = "
                                         "m, nonzero_data = d, scale = s, offset = o);"),
                      values(4.5, 18, 2));
}

TEST(Compressed, Cast) {
  EXPECT_PRED_FORMAT2(sameValues,
                      runMilText("", "tensor<fp32, [1]> y = constexpr_cast()["
                                     "source_val = tensor<fp16, [1]>([0.1]), "
                                     "output_dtype = string(\"fp32\")];"),
                      values(0.0999755859375f));
}

TEST(Compressed, NeedsConstants) {
  EXPECT_PRED_FORMAT2(hasText,
                      loadError("tensor<int8, [2]> x", "tensor<fp16, [2]> y = constexpr_affine_dequantize("
                                                       "quantized_data = x, scale = fp16(1), zero_point = "
                                                       "int8(0), axis = 0);"),
                      "must be a constant");
}

} // namespace
} // namespace ane::rt::emulator
