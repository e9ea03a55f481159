//===- image.cpp - Sampling at computed coordinates -----------------------===//

#include "runtime/device/emulator/op_registry.h"
#include "runtime/device/emulator/ops/math.h"
#include "runtime/device/emulator/ops/sampling.h"

#include <algorithm>
#include <cmath>

namespace ane::rt::emulator {
namespace {

/// Visits that one sampled element stands for.
constexpr int64_t kSampleCost = 16;

enum class Padding { Constant, Border, Reflection, Symmetric };

/// Index of an element outside the axis, or -1 for the constant.
int64_t padded(Padding padding, int64_t i, int64_t size) {
  if (i >= 0 && i < size)
    return i;
  switch (padding) {
  case Padding::Constant:
    return -1;
  case Padding::Border:
    return std::clamp<int64_t>(i, 0, size - 1);
  case Padding::Reflection: {
    if (size == 1)
      return 0;
    int64_t period = 2 * (size - 1);
    int64_t rest = ((i % period) + period) % period;
    return std::min(rest, period - rest);
  }
  case Padding::Symmetric: {
    int64_t period = 2 * size;
    int64_t rest = ((i % period) + period) % period;
    return std::min(rest, period - 1 - rest);
  }
  }
  return -1;
}

/// Reads one plane at any coordinates.
struct Sampler {
  int64_t height, width;
  Padding padding = Padding::Constant;
  float constant = 0.0f;
  bool nearest = false;

  float at(const float *plane, int64_t y, int64_t x) const {
    int64_t row = padded(padding, y, height);
    int64_t column = padded(padding, x, width);
    return row < 0 || column < 0 ? constant : plane[row * width + column];
  }

  float operator()(const float *plane, double y, double x) const {
    // Coordinates far outside must not overflow the index; NaN is far outside.
    auto bounded = [](double v) { return v == v ? std::clamp(v, -1e9, 1e9) : -1e9; };
    y = bounded(y);
    x = bounded(x);
    if (nearest)
      return at(plane, static_cast<int64_t>(std::nearbyint(y)), static_cast<int64_t>(std::nearbyint(x)));
    double top = std::floor(y), left = std::floor(x);
    float dy = static_cast<float>(y - top), dx = static_cast<float>(x - left);
    int64_t row = static_cast<int64_t>(top);
    int64_t column = static_cast<int64_t>(left);
    float result = 0.0f;
    for (int64_t i = 0; i < 2; ++i)
      for (int64_t j = 0; j < 2; ++j) {
        float weight = (i ? dy : 1.0f - dy) * (j ? dx : 1.0f - dx);
        if (weight != 0.0f)
          result += weight * at(plane, row + i, column + j);
      }
    return result;
  }
};

/// From a normalised coordinate to elements of an axis.
struct Normalisation {
  double low = -1.0; ///< coordinate of the first edge; the last is 1
  bool alignCorners = true;
  bool normalised = true;

  double element(double coordinate, int64_t size) const {
    if (!normalised)
      return coordinate;
    double fraction = (coordinate - low) / (1.0 - low);
    double extent = static_cast<double>(size);
    return alignCorners ? fraction * (extent - 1) : fraction * extent - 0.5;
  }
};

absl::StatusOr<PreparedOp> prepareAffine(OpArgs &args) {
  Operand x = args.input("x", kFloat);
  Operand matrix = args.input("transform_matrix", kFloat);
  int64_t height = args.integer("output_height");
  int64_t width = args.integer("output_width");
  std::string sampling = args.string("sampling_mode");
  std::string padding = args.string("padding_mode");
  double value = args.real("padding_value");
  std::string coordinates = args.string("coordinates_mode");
  bool alignCorners = args.boolean("align_corners", true);
  if (!args.ok())
    return args.status();
  const Shape &xs = x.type.shape, &ms = matrix.type.shape;
  args.require(xs.size() == 4, "'x' is ", x.type.str(), "; its rank must be 4");
  args.require(height > 0 && width > 0, "the result would have height ", height, " and width ", width);
  if (!args.ok())
    return args.status();
  args.require(ms.size() == 2 && ms[1] == 6 && (ms[0] == 1 || ms[0] == xs[0]), "'transform_matrix' is ",
               matrix.type.str(), "; its shape must be [1 or ", xs[0], ", 6]");
  // The op defines no other combination (coremltools' type inference).
  args.require(sampling == "bilinear" && padding == "constant" && value == 0 &&
                   coordinates == "normalized_minus_one_to_one" && alignCorners,
               "affine needs sampling_mode bilinear, padding_mode constant "
               "with value 0, coordinates_mode normalized_minus_one_to_one and "
               "align_corners");
  if (!args.ok())
    return args.status();
  Sampler sampler{xs[2], xs[3]};
  Normalisation toElement;
  TensorType type{x.type.element, {xs[0], xs[1], height, width}};
  if (!args.fits(type))
    return args.status();
  bool shared = ms[0] == 1;
  auto position = [](int64_t i, int64_t size) {
    return size == 1 ? 0.0 : 2.0 * static_cast<double>(i) / static_cast<double>(size - 1) - 1.0;
  };
  return oneResult(type, kernel([=](KernelContext &context) {
                     const float *in = context.floats(x);
                     const float *matrices = context.floats(matrix);
                     float *out = context.outFloats();
                     int64_t plane = sampler.height * sampler.width;
                     for (int64_t n = 0; n < type.shape[0]; ++n) {
                       const float *m = matrices + (shared ? 0 : n * 6);
                       for (int64_t c = 0; c < type.shape[1]; ++c, in += plane)
                         for (int64_t i = 0; i < height; ++i)
                           for (int64_t j = 0; j < width; ++j) {
                             double px = position(j, width), py = position(i, height);
                             double sx = m[0] * px + m[1] * py + m[2];
                             double sy = m[3] * px + m[4] * py + m[5];
                             *out++ = sampler(in, toElement.element(sy, sampler.height),
                                              toElement.element(sx, sampler.width));
                           }
                     }
                   }))
      .costing(kSampleCost * type.size());
}

absl::StatusOr<PreparedOp> prepareResample(OpArgs &args) {
  Operand x = args.input("x", kFloat);
  TypeSet coordinateTypes = kInt32 | setOf(ElementType::Float32);
  if (args.opset() >= 16)
    coordinateTypes |= setOf(ElementType::Float16);
  if (args.opset() >= 17)
    coordinateTypes |= kSmallInt;
  Operand coordinates = args.input("coordinates", coordinateTypes);
  std::string sampling = args.string("sampling_mode");
  std::string padding = args.string("padding_mode");
  double value = args.real("padding_value");
  std::string mode = args.string("coordinates_mode");
  bool alignCorners = args.boolean("align_corners", true);
  if (!args.ok())
    return args.status();
  const Shape &xs = x.type.shape, &cs = coordinates.type.shape;
  args.require(xs.size() == 4, "'x' is ", x.type.str(), "; its rank must be 4");
  args.require(cs.size() == 4 && cs[3] == 2 && xs.size() == 4 && cs[0] == xs[0], "'coordinates' is ",
               coordinates.type.str(), "; its shape must be [batch of 'x', height, width, 2]");
  args.require(sampling == "bilinear" || sampling == "nearest", "argument 'sampling_mode' is \"", sampling,
               "\"; it must be bilinear or nearest");
  Sampler sampler;
  sampler.nearest = sampling == "nearest";
  sampler.constant = static_cast<float>(value);
  constexpr std::pair<const char *, Padding> kPaddings[] = {{"constant", Padding::Constant},
                                                            {"border", Padding::Border},
                                                            {"reflection", Padding::Reflection},
                                                            {"symmetric", Padding::Symmetric}};
  bool known = false;
  for (auto [text, kind] : kPaddings)
    if (padding == text) {
      sampler.padding = kind;
      known = true;
    }
  args.require(known, "argument 'padding_mode' is \"", padding,
               "\"; it must be constant, border, reflection or symmetric");
  Normalisation toElement;
  toElement.alignCorners = alignCorners;
  toElement.normalised = mode != "unnormalized";
  toElement.low = mode == "normalized_zero_to_one" ? 0.0 : -1.0;
  args.require(!toElement.normalised || mode == "normalized_zero_to_one" || mode == "normalized_minus_one_to_one",
               "argument 'coordinates_mode' is \"", mode,
               "\"; it must be unnormalized, normalized_minus_one_to_one or "
               "normalized_zero_to_one");
  if (!args.ok())
    return args.status();
  sampler.height = xs[2];
  sampler.width = xs[3];
  TensorType type{x.type.element, {xs[0], xs[1], cs[1], cs[2]}};
  if (!args.fits(type))
    return args.status();
  bool floats = heldAsFloat(coordinates.type.element);
  return oneResult(type, kernel([=](KernelContext &context) {
                     const float *in = context.floats(x);
                     const uint32_t *words = context.words(coordinates);
                     auto coordinate = [&](int64_t i) {
                       return floats ? static_cast<double>(reinterpret_cast<const float *>(words)[i])
                                     : static_cast<double>(reinterpret_cast<const int32_t *>(words)[i]);
                     };
                     float *out = context.outFloats();
                     int64_t points = type.shape[2] * type.shape[3];
                     int64_t plane = sampler.height * sampler.width;
                     for (int64_t n = 0; n < type.shape[0]; ++n)
                       for (int64_t c = 0; c < type.shape[1]; ++c, in += plane)
                         for (int64_t p = 0; p < points; ++p) {
                           int64_t at = (n * points + p) * 2;
                           *out++ = sampler(in, toElement.element(coordinate(at + 1), sampler.height),
                                            toElement.element(coordinate(at), sampler.width));
                         }
                   }))
      .costing(kSampleCost * type.size());
}

/// What crop_resize does with one box.
struct BoxReader {
  bool heightFirst = true;
  bool centerSize = false;
  bool normalised = false;
  double scale = 1.0;
  Sampling sampling = Sampling::Default;

  /// Coordinates of `count` points between the box's ends on one axis.
  std::vector<double> points(const float *box, bool vertical, int64_t size, int64_t count) const {
    size_t first = vertical == heightFirst ? 0 : 1;
    double a = box[first], b = box[first + 2];
    if (centerSize) {
      double center = a, extent = b;
      a = center - extent / 2;
      b = center + extent / 2;
    }
    double unit = normalised ? static_cast<double>(size - 1) : 1.0;
    a *= unit * scale;
    b *= unit * scale;
    std::vector<double> result = gridPoints(sampling, b - a + 1, count);
    for (double &point : result)
      point += a;
    return result;
  }
};

/// Points outside of the image give pad_value, as in TensorFlow's
/// crop_and_resize.
void cropBox(const float *image, int64_t channels, int64_t height, int64_t width, const std::vector<double> &ys,
             const std::vector<double> &xs, float padValue, float *&out) {
  Sampler sampler{height, width, Padding::Border};
  for (int64_t c = 0; c < channels; ++c, image += height * width)
    for (double y : ys)
      for (double x : xs) {
        bool inside = y >= 0 && y <= static_cast<double>(height - 1) && x >= 0 && x <= static_cast<double>(width - 1);
        *out++ = inside ? sampler(image, y, x) : padValue;
      }
}

absl::StatusOr<PreparedOp> prepareCropResize(OpArgs &args) {
  bool boxed = args.opset() >= 17;
  Operand x = args.input("x", kFloat);
  Operand boxes = boxed ? args.input("boxes", kFloat | setOf(ElementType::UInt16)) : args.input("roi", kFloat);
  Operand indices = boxed ? args.optionalInput("box_indices", kInt32 | setOf(ElementType::UInt16)) : Operand();
  int64_t height = args.integer("target_height", 1);
  int64_t width = args.integer("target_width", 1);
  BoxReader reader;
  reader.normalised = args.boolean("normalized_coordinates", false);
  reader.scale = args.real("spatial_scale", 1.0);
  std::string mode = args.string("box_coordinate_mode", "CORNERS_HEIGHT_FIRST");
  reader.sampling = readSampling(args);
  float padValue = args.opset() >= 16 ? static_cast<float>(args.real("pad_value", 0.0)) : 0.0f;
  if (!args.ok())
    return args.status();
  reader.centerSize = mode == "CENTER_SIZE_HEIGHT_FIRST" || mode == "CENTER_SIZE_WIDTH_FIRST";
  reader.heightFirst = mode == "CENTER_SIZE_HEIGHT_FIRST" || mode == "CORNERS_HEIGHT_FIRST";
  args.require(reader.centerSize || reader.heightFirst || mode == "CORNERS_WIDTH_FIRST",
               "argument 'box_coordinate_mode' is \"", mode, "\"");
  args.require(height > 0 && width > 0, "the result would have height ", height, " and width ", width);
  const Shape &xs = x.type.shape, &bs = boxes.type.shape;
  args.require(xs.size() == 4, "'x' is ", x.type.str(), "; its rank must be 4");
  if (!args.ok())
    return args.status();
  if (boxed) {
    args.require(bs.size() == 2 && bs[1] == 4, "'boxes' is ", boxes.type.str(), "; its shape must be [N, 4]");
    if (args.ok() && indices.present())
      args.require(indices.type.shape == Shape{bs[0]}, "'box_indices' is ", indices.type.str(), "; it needs ", bs[0],
                   " elements");
    else if (args.ok())
      args.require(bs[0] <= xs[0],
                   "without 'box_indices' box i belongs to "
                   "image i, but there are ",
                   bs[0], " boxes and ", xs[0], " images");
  } else {
    args.require(bs.size() == 5 && bs[1] == 1 && (bs[2] == 4 || bs[2] == 5) && bs[3] == 1 && bs[4] == 1, "'roi' is ",
                 boxes.type.str(), "; its shape must be [N, 1, 4 or 5, 1, 1]");
  }
  if (!args.ok())
    return args.status();
  int64_t count = bs[0];
  int64_t fields = boxed ? 4 : bs[2];
  bool everyImage = !boxed && fields == 4;
  TensorType type{x.type.element, {count, xs[1], height, width}};
  if (!boxed)
    type.shape.insert(type.shape.begin() + 1, everyImage ? xs[0] : 1);
  if (!args.fits(type))
    return args.status();
  bool floats = heldAsFloat(boxes.type.element);
  std::string place = args.place();
  return PreparedOp{{type},
                    [=](KernelContext &context) -> absl::Status {
                      const float *in = context.floats(x);
                      std::vector<float> all(static_cast<size_t>(count * fields));
                      if (floats) {
                        const float *values = context.floats(boxes);
                        std::copy(values, values + all.size(), all.begin());
                      } else {
                        const int32_t *values = context.ints(boxes);
                        std::copy(values, values + all.size(), all.begin());
                      }
                      const Shape &s = x.type.shape;
                      int64_t image = s[1] * s[2] * s[3];
                      float *out = context.outFloats();
                      for (int64_t n = 0; n < count; ++n) {
                        const float *box = all.data() + n * fields;
                        int64_t first = 0, last = s[0] - 1;
                        if (!everyImage) {
                          first = indices.present() ? context.ints(indices)[n] : n;
                          if (fields == 5)
                            first = saturated<int64_t>(*box++);
                          last = first;
                          if (first < 0 || first >= s[0])
                            return absl::OutOfRangeError(absl::StrCat(place, ": box ", n, " belongs to image ", first,
                                                                      ", but there are ", s[0]));
                        }
                        std::vector<double> rows = reader.points(box, true, s[2], height);
                        std::vector<double> columns = reader.points(box, false, s[3], width);
                        for (int64_t b = first; b <= last; ++b)
                          cropBox(in + b * image, s[1], s[2], s[3], rows, columns, padValue, out);
                      }
                      return absl::OkStatus();
                    },
                    {},
                    /*exact=*/false,
                    {kSampleCost * type.size(), 0}};
}

constexpr OpEntry kOps[] = {
    {"affine", 15, prepareAffine},
    {"resample", 15, prepareResample},
    {"crop_resize", 15, prepareCropResize},
};

} // namespace

absl::Span<const OpEntry> imageOps() { return kOps; }

} // namespace ane::rt::emulator
