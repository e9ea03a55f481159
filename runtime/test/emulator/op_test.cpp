//===- op_test.cpp - Ops, against values worked out by hand ---------------===//
//
// A few small values per family; the bulk of the ops is compared with NumPy and
// ONNX Runtime in test/Python/test_emulator_ops.py.
//
//===----------------------------------------------------------------------===//

#include "runtime/test/emulator/mil_fixture.h"

#include <set>

namespace ane::rt::emulator {
namespace {

TEST(Registry, HasTheOpSet) {
  std::set<std::string> names;
  for (const OpEntry *entry : allOps()) {
    names.emplace(entry->name);
    EXPECT_GE(entry->opset, 15) << entry->name;
    EXPECT_LE(entry->opset, 18) << entry->name;
  }
  EXPECT_GE(names.size(), 130u);
  EXPECT_EQ(findOp("concat")->opset, 15);
  EXPECT_EQ(findOp("resize")->opset, 17);
  EXPECT_EQ(findOp("slice_update")->opset, 18);
  EXPECT_EQ(findOp("relu7"), nullptr);
}

TEST(Elementwise, Broadcast) {
  EXPECT_PRED_FORMAT2(sameValues,
                      runMilText("tensor<fp16, [2, 1, 2]> x, tensor<fp16, [3, 1]> z",
                                 "tensor<fp16, [2, 3, 2]> y = sub(x = x, y = z);", {{1, 2, 3, 4}, {10, 20, 30}}),
                      values(-9, -8, -19, -18, -29, -28, -7, -6, -17, -16, -27, -26));
  EXPECT_PRED_FORMAT2(hasText,
                      loadError("tensor<fp16, [2]> x, tensor<fp16, [3]> z", "tensor<fp16, [3]> y = add(x = x, y = z);"),
                      "shapes [2] and [3] do not broadcast");
  EXPECT_PRED_FORMAT2(hasText,
                      loadError("tensor<fp16, [2]> x, tensor<fp32, [2]> z", "tensor<fp16, [2]> y = add(x = x, y = z);"),
                      "both need the same element type");
}

TEST(Elementwise, IntegersWrapAndFloor) {
  const char *xz = "tensor<int32, [3]> x, tensor<int32, [3]> z";
  std::vector<std::vector<float>> inputs = {{7, -7, 5}, {2, 2, 0}};
  EXPECT_PRED_FORMAT2(sameValues, runMilText(xz, "tensor<int32, [3]> y = floor_div(x = x, y = z);", inputs),
                      values(3, -4, 0));
  EXPECT_PRED_FORMAT2(sameValues, runMilText(xz, "tensor<int32, [3]> y = mod(x = x, y = z);", inputs), values(1, 1, 0));
  EXPECT_PRED_FORMAT2(sameValues,
                      runMilText("tensor<int8, [2]> x", "tensor<int8, [2]> y = add(x = x, y = x);", {{100, -3}}),
                      values(-56, -6));
}

TEST(Reduce, AxesOnBothSides) {
  EXPECT_PRED_FORMAT2(sameValues,
                      runMilText("tensor<fp16, [2, 2, 3]> x",
                                 "tensor<fp16, [2]> y = reduce_sum(x = x, axes = [0, "
                                 "2], keep_dims = false);",
                                 {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}),
                      values(30, 48));
  EXPECT_PRED_FORMAT2(sameValues,
                      runMilText("tensor<fp16, [4]> x",
                                 "tensor<int32, [1]> y = reduce_argmax(x = x, axis = "
                                 "0, keep_dims = true);",
                                 {{1, 5, 5, 2}}),
                      values(1));
}

TEST(Conv, TwoByTwo) {
  // 3x3 image 1..9, kernel [[1, 0], [0, -1]]: x[i][j] - x[i+1][j+1] = -4.
  EXPECT_PRED_FORMAT2(sameValues,
                      runMilText("tensor<fp16, [1, 1, 3, 3]> x",
                                 "tensor<fp16, [1, 1, 2, 2]> w = const()[val = tensor<fp16, "
                                 "[1, 1, 2, 2]>([1, 0, 0, -1])];\n"
                                 "tensor<fp16, [1, 1, 2, 2]> y = conv(x = x, weight = w);",
                                 {{1, 2, 3, 4, 5, 6, 7, 8, 9}}),
                      values(-4, -4, -4, -4));
  EXPECT_PRED_FORMAT2(hasText,
                      loadError("tensor<fp16, [1, 3, 1, 8]> x, tensor<fp16, [4, 2, 1, "
                                "1]> w",
                                "tensor<fp16, [1, 4, 1, 8]> y = conv(x = x, weight = "
                                "w);"),
                      "2 channels in each of 1 groups, but 'x' "
                      "(tensor<fp16, [1, 3, 1, 8]>) has 3 channels");
  EXPECT_PRED_FORMAT2(hasText,
                      loadError("tensor<fp16, [1, 3, 1, 8]> x, tensor<fp16, [4, 3, 1, "
                                "9]> w",
                                "tensor<fp16, [1, 4, 1, 1]> y = conv(x = x, weight = "
                                "w);"),
                      "the window spans 9 elements of spatial axis 1, which "
                      "has 8");
}

TEST(Pool, CeilModeCountsWhatIsThere) {
  // Width 5, kernel 2, stride 2: the last window has one element.
  std::vector<std::vector<float>> x = {{1, 2, 3, 4, 5}};
  const char *five = "tensor<fp16, [1, 1, 5]> x";
  auto pool = [&](const std::string &op, const std::string &more) {
    return runMilText(five,
                      "tensor<fp16, [1, 1, 3]> y = " + op +
                          "(x = x, kernel_sizes = [2], strides = [2], pad_type "
                          "= \"valid\", ceil_mode = true" +
                          more + ");",
                      x);
  };
  EXPECT_PRED_FORMAT2(sameValues, pool("max_pool", ""), values(2, 4, 5));
  EXPECT_PRED_FORMAT2(sameValues, pool("avg_pool", ""), values(1.5, 3.5, 5));
  EXPECT_PRED_FORMAT2(sameValues, pool("avg_pool", ", exclude_padding_from_average = true"), values(1.5, 3.5, 5));
}

TEST(Pool, PaddingCountsUnlessExcluded) {
  auto pool = [](const char *exclude) {
    return runMilText("tensor<fp16, [1, 1, 2]> x",
                      std::string("tensor<fp16, [1, 1, 2]> y = avg_pool(x = x, "
                                  "kernel_sizes = [2], strides = [2], pad_type "
                                  "= \"custom\", pad = [1, 1], "
                                  "exclude_padding_from_average = ") +
                          exclude + ");",
                      {{4, 6}});
  };
  EXPECT_PRED_FORMAT2(sameValues, pool("false"), values(2, 3));
  EXPECT_PRED_FORMAT2(sameValues, pool("true"), values(4, 6));
}

TEST(Shape, ReshapeLike) {
  MilProgram program("tensor<fp16, [6, 5]> x, tensor<fp16, [2, 3, 4]> r, "
                     "tensor<fp16, [1, 5]> s",
                     "tensor<fp16, [2, 3, 5]> y = reshape_like(x = x, "
                     "ref_tensors = (r, s), begins = (0, 1), ends = (2, 0), "
                     "end_masks = (false, true));",
                     "y");
  absl::Status status = program.load();
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(Slice, BoundsAreChecked) {
  EXPECT_PRED_FORMAT2(hasText,
                      loadError("tensor<fp16, [4]> x", "tensor<fp16, [3]> y = slice_by_size(x = x, begin = "
                                                       "[2], size = [3]);"),
                      "the slice from 2 of size 3 leaves axis 0");
  MilProgram program("tensor<fp16, [4]> x, tensor<int32, [1]> b",
                     "tensor<fp16, [3]> y = slice_by_size(x = x, begin = b, "
                     "size = [3]);",
                     "y");
  EXPECT_TRUE(program.run({{1, 2, 3, 4}, {1}}).ok());
  EXPECT_PRED_FORMAT2(sameValues, program.result(), values(2, 3, 4));
  EXPECT_EQ(program.run({{1, 2, 3, 4}, {2}}).code(), absl::StatusCode::kOutOfRange);
}

TEST(Gather, IndicesOutOfBounds) {
  auto gather = [](const char *opset, const char *more, float index) {
    MilProgram program("tensor<fp16, [3]> x, tensor<int32, [1]> i",
                       std::string("tensor<fp16, [1]> y = gather(x = x, "
                                   "indices = i, axis = 0") +
                           more + ");",
                       "y", opset);
    absl::Status status = program.run({{1, 2, 3}, {index}});
    return status.ok() ? program.result() : std::vector<float>{-1};
  };
  EXPECT_PRED_FORMAT2(sameValues, gather("ios16", "", -1), values(3));
  EXPECT_PRED_FORMAT2(sameValues, gather("ios17", "", -1), values(0));
  EXPECT_PRED_FORMAT2(sameValues, gather("ios17", "", 3), values(0));
  EXPECT_PRED_FORMAT2(sameValues, gather("ios17", ", validate_indices = true", 3), values(-1));
}

TEST(Fill, FillRangeBandAndOneHot) {
  EXPECT_PRED_FORMAT2(sameValues,
                      runMilText("", "tensor<fp16, [2, 2]> y = fill(shape = [2, 2], "
                                     "value = fp16(0.5));"),
                      values(0.5, 0.5, 0.5, 0.5));
  EXPECT_PRED_FORMAT2(sameValues,
                      runMilText("", "tensor<int32, [3]> y = range_1d(start = 5, end "
                                     "= 0, step = -2);"),
                      values(5, 3, 1));
  EXPECT_PRED_FORMAT2(sameValues,
                      runMilText("tensor<fp16, [2, 3]> x",
                                 "tensor<fp16, [2, 3]> y = band_part(x = x, lower = "
                                 "0, upper = 1);",
                                 {{1, 2, 3, 4, 5, 6}}),
                      values(1, 2, 0, 0, 5, 6));
  EXPECT_PRED_FORMAT2(sameValues,
                      runMilText("tensor<int32, [3]> x",
                                 "tensor<int32, [3, 2]> y = one_hot(indices = x, "
                                 "one_hot_vector_size = 2);",
                                 {{1, -1, 0}}),
                      values(0, 1, 0, 0, 1, 0));
}

TEST(Resize, DocumentedGridPoints) {
  // Two elements 0 and 1: results are the grid points of coremltools'
  // description of resize_bilinear.
  auto points = [](const char *mode) {
    return runMilText("tensor<fp32, [1, 1, 2]> x",
                      std::string("tensor<fp32, [1, 1, 5]> y = "
                                  "resize_bilinear(x = x, target_size_height "
                                  "= 1, target_size_width = 5, sampling_mode = "
                                  "\"") +
                          mode + "\");",
                      {{0, 1}});
  };
  EXPECT_PRED_FORMAT2(sameValues, points("UNALIGN_CORNERS"), values(0, 0.1f, 0.5f, 0.9f, 1));
  EXPECT_PRED_FORMAT2(sameValues, points("STRICT_ALIGN_CORNERS"), values(0, 0.25, 0.5, 0.75, 1));
  EXPECT_PRED_FORMAT2(sameValues, points("DEFAULT"), values(0, 0.4f, 0.8f, 1, 1));
  EXPECT_PRED_FORMAT2(sameValues, points("OFFSET_CORNERS"), values(0.1f, 0.3f, 0.5f, 0.7f, 0.9f));
}

TEST(Image, CropResize) {
  const char *image = "tensor<fp16, [1, 1, 3, 3]> x";
  std::vector<std::vector<float>> x = {{1, 2, 3, 4, 5, 6, 7, 8, 9}};
  auto crop = [&](const std::string &box, const std::string &more) {
    return runMilText(image,
                      "tensor<fp16, [1, 1, 2, 2]> y = crop_resize(x = x, boxes = "
                      "tensor<fp16, [1, 4]>([" +
                          box +
                          "]), target_height = 2, target_width = 2, sampling_mode = "
                          "\"ALIGN_CORNERS\"" +
                          more + ");",
                      x);
  };
  EXPECT_PRED_FORMAT2(sameValues, crop("0, 1, 2, 2", ""), values(2, 3, 8, 9));
  EXPECT_PRED_FORMAT2(sameValues,
                      crop("1, 0, 2, 2", ", box_coordinate_mode = "
                                         "\"CORNERS_WIDTH_FIRST\""),
                      values(2, 3, 8, 9));
  EXPECT_PRED_FORMAT2(sameValues, crop("0, 0, 1, 1", ", normalized_coordinates = true"), values(1, 3, 7, 9));
  EXPECT_PRED_FORMAT2(sameValues, crop("1, 1, 3, 3", ", pad_value = fp16(-1)"), values(5, -1, -1, -1));
  EXPECT_PRED_FORMAT2(sameValues,
                      crop("1, 1, 2, 2", ", box_coordinate_mode = "
                                         "\"CENTER_SIZE_HEIGHT_FIRST\""),
                      values(1, 3, 7, 9));
}

TEST(Image, ReflectsOneElement) {
  EXPECT_EQ(runMilText("tensor<fp16, [1, 1, 1, 1]> x, tensor<fp16, [1, 1, 2, 2]> at",
                       "tensor<fp16, [1, 1, 1, 2]> y = resample(x = x, coordinates = at, sampling_mode = \"nearest\", "
                       "padding_mode = \"reflection\", padding_value = fp16(0), coordinates_mode = \"unnormalized\", "
                       "align_corners = true);",
                       {{7}, {-3, 0, 5, 2}}),
            std::vector<float>(2, 7));
}

TEST(Image, AffineIdentityAndFlip) {
  auto affine = [](const char *matrix) {
    return runMilText("tensor<fp16, [1, 1, 2, 3]> x",
                      std::string("tensor<fp16, [1, 1, 2, 3]> y = affine(x = x, "
                                  "transform_matrix = tensor<fp16, [1, 6]>([") +
                          matrix +
                          "]), output_height = 2, output_width = 3, sampling_mode = "
                          "\"bilinear\", padding_mode = \"constant\", padding_value = "
                          "fp16(0), coordinates_mode = \"normalized_minus_one_to_one\", "
                          "align_corners = true);",
                      {{1, 2, 3, 4, 5, 6}});
  };
  EXPECT_PRED_FORMAT2(sameValues, affine("1, 0, 0, 0, 1, 0"), values(1, 2, 3, 4, 5, 6));
  EXPECT_PRED_FORMAT2(sameValues, affine("-1, 0, 0, 0, 1, 0"), values(3, 2, 1, 6, 5, 4));
  EXPECT_PRED_FORMAT2(sameValues, affine("1, 0, 1, 0, 1, 0"), values(2, 3, 0, 5, 6, 0));
}

TEST(Linear, NamesWhatDoesNotFit) {
  EXPECT_PRED_FORMAT2(hasText,
                      loadError("tensor<fp16, [2, 3]> x, tensor<fp16, [5, 4]> w",
                                "tensor<fp16, [2, 5]> y = linear(x = x, weight = "
                                "w);"),
                      "'x' is tensor<fp16, [2, 3]>, but each row of 'weight' "
                      "has 4 elements");
  EXPECT_PRED_FORMAT2(
      hasText,
      loadError("tensor<fp16, [2, 3]> x, tensor<fp16, [4, 5]> w", "tensor<fp16, [2, 5]> y = matmul(x = x, y = w);"),
      "'x' tensor<fp16, [2, 3]> has 3 columns, but 'y' "
      "tensor<fp16, [4, 5]> has 4 rows");
  EXPECT_PRED_FORMAT2(sameValues,
                      runMilText("tensor<fp16, [1, 2]> x, tensor<fp16, [2, 2]> w",
                                 "tensor<fp16, [1, 2]> y = einsum(values = (x, w), "
                                 "equation = \"ij,jk->ik\");",
                                 {{1, 2}, {1, 2, 3, 4}}),
                      values(7, 10));
}

} // namespace
} // namespace ane::rt::emulator
