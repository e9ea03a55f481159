//===- Signal.cpp - ONNX Fourier transforms and windows -------------------===//
//
// A transform of n points is a product with its matrix. n is known and small where such layers stand in models
// (spectrograms); the matrix is a constant.
//
//===----------------------------------------------------------------------===//

#include "../Expr.h"
#include "../Registry.h"
#include "ane/Support/Saturate.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

static constexpr double pi = 3.14159265358979323846;
static constexpr int64_t maxPoints = 4096;
/// Of all frames of a short-time transform, as indices into the signal.
static constexpr int64_t maxSamples = int64_t(1) << 24;

/// cos or sin of 2 pi row column / points, [rows, columns].
static Expr waves(NodeBinder &n, int64_t rows, int64_t columns, int64_t points, Type element, bool sine,
                  double factor) {
  return table(n, {rows, columns}, element, [&](ArrayRef<int64_t> at) {
    double angle = 2 * pi * double(at[0] * at[1] % points) / double(points);
    return factor * (sine ? std::sin(angle) : std::cos(angle));
  });
}

/// The spectrum of signals x [..., points] with imaginary parts `imaginary` (or none), as {real, imaginary} [...,
/// bins].
static std::pair<Expr, Expr> transform(Expr x, std::optional<Expr> imaginary, int64_t bins, bool inverse) {
  NodeBinder &n = x.binder();
  if (!n)
    return {x, x};
  int64_t points = x.shape().back();
  double factor = inverse ? 1.0 / double(points) : 1.0;
  Type element = x.element();
  Expr cosine = waves(n, points, bins, points, element, false, factor);
  Expr sine = waves(n, points, bins, points, element, true, inverse ? factor : -factor);
  Expr real = matmul(x, cosine), turned = matmul(x, sine);
  if (!imaginary)
    return {real, turned};
  return {real - matmul(*imaginary, sine), turned + matmul(*imaginary, cosine)};
}

/// The first `points` of axis `axis`, or zeros behind it.
static Expr fitTo(Expr x, int64_t axis, int64_t points) {
  NodeBinder &n = x.binder();
  if (!n || x.shape()[axis] == points)
    return x;
  if (x.shape()[axis] > points)
    return x.slice(axis, 0, points);
  SmallVector<int64_t> rest(x.shape());
  rest[axis] = points - x.shape()[axis];
  return join({x, n.splat(RankedTensorType::get(rest, x.element()), 0)}, axis, n);
}

static bool checkPoints(NodeBinder &n, int64_t points) {
  if (points < 1 || points > maxPoints)
    n.error("a transform of " + Twine(points) + " points is not supported; at most " + Twine(maxPoints) + " are");
  return bool(n);
}

static void dft(NodeBinder &n) {
  Expr x(n, n.input(0));
  bool inverse = n.boolAttr("inverse", false), onesided = n.boolAttr("onesided", false);
  int64_t given = n.since() >= 20 ? (n.hasInput(2) ? n.intScalar(2, "axis") : -2) : n.intAttr("axis", 1);
  std::optional<int64_t> length;
  if (n.hasInput(1))
    length = n.intScalar(1, "dft_length");
  if (!n)
    return;
  int64_t rank = x.rank(), axis = n.axis(given, rank);
  int64_t parts = rank ? x.shape().back() : 0;
  if (!n)
    return;
  if (rank < 2 || axis == rank - 1 || (parts != 1 && parts != 2))
    return n.error("needs [..., signal, ..., 1 or 2], has rank " + Twine(rank) + " and axis " + Twine(axis));
  bool halfSpectrum = onesided && inverse;
  if (onesided && !inverse && parts == 2)
    return n.error("attribute 'onesided' is 1, which needs a real signal");
  int64_t points = length.value_or(halfSpectrum ? 2 * (x.shape()[axis] - 1) : x.shape()[axis]);
  if (!checkPoints(n, points))
    return;
  x = fitTo(x, axis, halfSpectrum ? points / 2 + 1 : points);

  // The axis goes last.
  SmallVector<int64_t> perm;
  for (int64_t i = 0; i + 1 < rank; ++i)
    perm.push_back(i);
  std::swap(perm[axis], perm.back());
  Expr real = x.at(rank - 1, 0).transpose(perm);
  std::optional<Expr> imaginary;
  if (parts == 2)
    imaginary = x.at(rank - 1, 1).transpose(perm);
  if (halfSpectrum && n) {
    // The other half mirrors it: bin k counts twice, but for the first and, of an even number, the last.
    int64_t bins = points / 2 + 1;
    Type element = x.element();
    auto fold = [&](bool sine) {
      return table(n, {bins, points}, element, [&](ArrayRef<int64_t> at) {
        double weight = at[0] == 0 || 2 * at[0] == points ? 1 : 2,
               angle = 2 * pi * double(at[0] * at[1] % points) / double(points);
        return weight * (sine ? -std::sin(angle) : std::cos(angle)) / double(points);
      });
    };
    Expr signal = matmul(real, fold(false));
    if (imaginary)
      signal = signal + matmul(*imaginary, fold(true));
    return n.result(0, signal.transpose(perm).expand(rank - 1));
  }
  auto [outReal, outImaginary] = transform(real, imaginary, onesided ? points / 2 + 1 : points, inverse);
  n.result(0, n.emit<StackOp>({{Value(outReal.transpose(perm)), Value(outImaginary.transpose(perm))}},
                              {{"axis", rank - 1}}));
}

static void stft(NodeBinder &n) {
  Expr signal(n, n.input(0));
  int64_t step = n.intScalar(1, "frame_step");
  Value window = n.optionalInput(2);
  bool onesided = n.boolAttr("onesided", true);
  if (!n)
    return;
  if (signal.rank() == 2)
    signal = signal.expand(2);
  if (signal.rank() != 3 || (signal.shape()[2] != 1 && signal.shape()[2] != 2))
    return n.error("the signal has rank " + Twine(signal.rank()) + ", but must be [batch, length, 1 or 2]");
  int64_t size = signal.shape()[1], points = window ? n.type(window).getNumElements() : size;
  if (n.hasInput(3))
    points = n.intScalar(3, "frame_length");
  if (!checkPoints(n, points))
    return;
  if (step < 1 || points > size || (window && n.type(window).getNumElements() != points))
    return n.error("frames of " + Twine(points) + " samples every " + Twine(step) + " don't fit a signal of " +
                   Twine(size) + " samples and the window");
  int64_t frames = (size - points) / step + 1;
  if (frames > maxSamples / points)
    return n.error(Twine(frames) + " frames of " + Twine(points) +
                   " samples are not supported; at most 2^24 samples are");
  SmallVector<int64_t> indices;
  for (int64_t frame = 0; frame < frames; ++frame)
    for (int64_t i = 0; i < points; ++i)
      indices.push_back(frame * step + i);
  auto framed = [&](int64_t part) {
    Expr x = signal.at(2, part).make<GatherOp>({n.intsConstant(indices)}, {{"axis", 1}});
    x = x.reshape({signal.shape()[0], frames, points});
    return window ? x * Expr(n, window).reshape({points}) : x;
  };
  std::optional<Expr> imaginary;
  if (signal.shape()[2] == 2)
    imaginary = framed(1);
  auto [real, turned] = transform(framed(0), imaginary, onesided ? points / 2 + 1 : points, false);
  n.result(0, n.emit<StackOp>({{Value(real), Value(turned)}}, {{"axis", 3}}));
}

//===-- windows -------------------------------------------------------------===//

/// The float or integer type that attribute `name` chooses, float by default.
static Type typeAttr(NodeBinder &n, StringRef name) {
  int64_t code = n.intAttr(name, 1);
  Type type = elementType(int32_t(code), n.builder.getContext());
  if (!type)
    n.error("attribute '" + name + "': elements of type " + dataTypeName(int32_t(code)) + " are not supported");
  return type;
}

/// A sum of cosines; one period longer than the window unless it is symmetric.
static void cosineWindow(NodeBinder &n, ArrayRef<double> factors) {
  int64_t size = n.intScalar(0, "size");
  bool periodic = n.boolAttr("periodic", true);
  Type type = typeAttr(n, "output_datatype");
  if (!n)
    return;
  if (size < 0 || size > 1 << 20)
    return n.error("size is " + Twine(size));
  double period = std::max<int64_t>(periodic ? size : size - 1, 1);
  n.result(0, table(n, {size}, type, [&](ArrayRef<int64_t> at) {
             double sum = 0;
             for (auto [k, factor] : llvm::enumerate(factors))
               sum += factor * std::cos(2 * pi * double(k) * double(at[0]) / period);
             return sum;
           }));
}

static void melWeightMatrix(NodeBinder &n) {
  int64_t bands = n.intScalar(0, "num_mel_bins"), points = n.intScalar(1, "dft_length");
  int64_t rate = n.intScalar(2, "sample_rate");
  double low = n.floatScalar(3, "lower_edge_hertz"), high = n.floatScalar(4, "upper_edge_hertz");
  Type type = typeAttr(n, "output_datatype");
  if (!n)
    return;
  if (bands < 1 || bands > 1 << 14 || points < 1 || points > 1 << 16 || rate < 1 || !(low >= 0 && high >= low))
    return n.error(Twine(bands) + " bands from " + std::to_string(low) + " Hz to " + std::to_string(high) +
                   " Hz over " + Twine(points) + " points at " + Twine(rate) + " Hz make no matrix");
  auto toMel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  int64_t bins = points / 2 + 1;
  double lowMel = toMel(low), step = (toMel(high) - lowMel) / double(bands + 2);
  SmallVector<int64_t> edges;
  for (int64_t i = 0; i < bands + 2; ++i) {
    double hertz = 700 * (std::pow(10.0, (lowMel + step * double(i)) / 2595) - 1);
    edges.push_back(saturatingInt(double(points + 1) * hertz / double(rate)));
  }
  n.result(0, table(n, {bins, bands}, type, [&](ArrayRef<int64_t> at) {
             int64_t bin = at[0], first = edges[at[1]], centre = edges[at[1] + 1], last = edges[at[1] + 2];
             if (bin >= first && bin <= centre)
               return centre == first ? (bin == centre ? 1.0 : 0.0) : double(bin - first) / double(centre - first);
             if (bin > centre && bin < last)
               return double(last - bin) / double(last - centre);
             return 0.0;
           }));
}

void mlir::ane::onnx_import::registerSignalOps(Registry &registry) {
  registry.onOp("", "BlackmanWindow", {17}, [](NodeBinder &n) { cosineWindow(n, {0.42, -0.5, 0.08}); });
  registry.onOp("", "DFT", {17, 20}, dft);
  registry.onOp("", "HammingWindow", {17}, [](NodeBinder &n) { cosineWindow(n, {25.0 / 46, -21.0 / 46}); });
  registry.onOp("", "HannWindow", {17}, [](NodeBinder &n) { cosineWindow(n, {0.5, -0.5}); });
  registry.onOp("", "MelWeightMatrix", {17}, melWeightMatrix);
  registry.onOp("", "STFT", {17}, stft);
}
