#include "runtime/format/manifest/weights.h"
#include "runtime/support/half.h"
#include <functional>
#include <gtest/gtest.h>

using namespace ane::rt;
using namespace ane::rt::manifest;

namespace {

const char kNoHash[] = "99aa06d3014798d86001c324468d497f";

/// A form of weight "w", float32[2,3], in a file of 4096 bytes.
StoredWeight form(std::vector<int64_t> shape, std::vector<int64_t> strides, int64_t columns = 0,
                  ElementType dtype = ElementType::Float32) {
  StoredWeight stored;
  stored.file = "weights/w.bin";
  stored.offset = 128;
  stored.hash = kNoHash;
  stored.hostFunctions = {"f"};
  stored.dtype = dtype;
  stored.shape = std::move(shape);
  stored.strides = std::move(strides);
  stored.columns = columns;
  stored.bytes = elementCount(stored) * byteWidth(dtype);
  return stored;
}

Weight weight(std::vector<StoredWeight> stored) { return {"w", {ElementType::Float32, {2, 3}}, "dense", stored}; }

Manifest sample(StoredWeight stored) {
  Manifest m;
  TensorType x{ElementType::Float32, {2}};
  m.tensors = {{"x", x}, {"y", x}};
  m.hostFunctions = {{"f", "f", {x}, {x}, 0}};
  m.functions = {{"main", {{"x", 0}}, {{"y", 1}}, {{Step::Kind::Host, "f", {0}, {1}}}}};
  m.hostLibraries = {{"x86_64-unknown-linux-gnu", "host/x.so"}};
  m.hostWeights = {"weights/w.bin"};
  m.files = {{"host/x.so", 0, kNoHash}, {"weights/w.bin", 4096, kNoHash}};
  m.weights = {weight({std::move(stored)})};
  return m;
}

template <typename T>
std::vector<T> make(const StoredWeight &stored, const std::vector<float> &values) {
  std::vector<T> out(stored.bytes / sizeof(T));
  makeStored(weight({}), stored, reinterpret_cast<const uint8_t *>(values.data()),
             reinterpret_cast<uint8_t *>(out.data()));
  return out;
}

const std::vector<float> kValues = {0, 1, 2, 10, 11, 12};

TEST(Weights, RoundTrip) {
  Manifest m = sample(form({3, 2}, {1, 3}, 0, ElementType::Float16));
  m.weights[0].stored.push_back(form({}, {}));
  m.weights[0].stored[1].offset = 256;
  m.weights[0].stored[1].fixed = "computed by mul";
  m.weights[0].range = {-0.1, 12};
  std::string text = print(m);
  auto parsed = parse(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(print(*parsed), text);
  EXPECT_EQ(parsed->weights[0].stored[0].strides, (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(parsed->weights[0].stored[1].fixed, "computed by mul");
  m.weights.clear();
  EXPECT_EQ(print(m).find("\"weights\": [\n"), std::string::npos);
}

TEST(Weights, AreFoundByName) {
  Manifest m = sample(form({6}, {1}));
  EXPECT_EQ((*findWeight(m, "w"))->type.shape, (std::vector<int64_t>{2, 3}));
  absl::Status status = findWeight(m, "v").status();
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_NE(std::string(status.message()).find("no weight \"v\"; it has 1, such as \"w\""), std::string::npos)
      << status;
}

TEST(Weights, Move) {
  EXPECT_EQ(make<float>(form({6}, {1}), kValues), kValues);
  EXPECT_EQ(make<float>(form({3, 2}, {1, 3}), kValues), (std::vector<float>{0, 10, 1, 11, 2, 12}));
  StoredWeight last = form({2, 1}, {3, 1});
  last.base = 2;
  EXPECT_EQ(make<float>(last, kValues), (std::vector<float>{2, 12}));
  StoredWeight reversed = form({3}, {-1});
  reversed.base = 5;
  EXPECT_EQ(make<float>(reversed, kValues), (std::vector<float>{12, 11, 10}));
  StoredWeight scalar = form({}, {});
  scalar.base = 4;
  EXPECT_EQ(make<float>(scalar, kValues), (std::vector<float>{11}));
  EXPECT_TRUE(make<float>(form({0, 3}, {3, 1}), kValues).empty());
}

TEST(Weights, AreCutIntoPanels) {
  // One matrix of two rows; panels of two columns.
  EXPECT_EQ(make<float>(form({1, 2, 3}, {0, 3, 1}, 2), kValues), (std::vector<float>{0, 1, 10, 11, 2, 0, 12, 0}));
  // The outermost dimension counts matrices.
  EXPECT_EQ(make<float>(form({2, 3}, {3, 1}, 4), kValues), (std::vector<float>{0, 1, 2, 0, 10, 11, 12, 0}));
}

/// Larger than the tiles in which they are made: matrices side by side, whole or in panels.
TEST(Weights, AreTransposed) {
  constexpr int64_t matrices = 3, rows = 37, columns = 150;
  std::vector<float> values;
  for (int64_t i = 0; i < matrices * rows * columns; ++i)
    values.push_back(static_cast<float>(i % 2039) / 8);
  for (int64_t panel : {0, 48, 150, 200}) {
    const std::vector<int64_t> shape = {matrices, rows, columns}, strides = {rows * columns, 1, rows};
    std::vector<float> wanted;
    const int64_t wide = panel ? panel : columns;
    for (int64_t m = 0; m < matrices; ++m)
      for (int64_t first = 0; first < columns; first += wide)
        for (int64_t row = 0; row < rows; ++row)
          for (int64_t column = first; column < first + wide; ++column)
            wanted.push_back(column < columns ? values[(m * columns + column) * rows + row] : 0);
    EXPECT_EQ(make<float>(form(shape, strides, panel), values), wanted);
    std::vector<uint16_t> halves;
    for (float value : wanted)
      halves.push_back(floatToHalf(value));
    EXPECT_EQ(make<uint16_t>(form(shape, strides, panel, ElementType::Float16), values), halves);
  }
}

TEST(Weights, BecomeHalves) {
  const std::vector<float> values = {1.0f / 3, -65519, 1e-8f, -0.0f, 3e-8f, 2049};
  std::vector<uint16_t> wanted;
  for (float value : values)
    wanted.push_back(floatToHalf(value));
  EXPECT_EQ(wanted[1], 0xfbff);
  EXPECT_EQ(make<uint16_t>(form({6}, {1}, 0, ElementType::Float16), values), wanted);
}

TEST(Weights, MayShareWhatIsFixed) {
  StoredWeight fixed = form({}, {});
  fixed.fixed = "computed by concat";
  Manifest m = sample(fixed);
  m.weights.push_back({"v", {ElementType::Float32, {6}}, "dense", {fixed, form({6}, {1})}});
  m.weights[1].stored[1].offset += fixed.bytes;
  EXPECT_TRUE(verify(m).ok()) << verify(m);
}

struct Fault {
  const char *words;
  std::function<void(Manifest &, StoredWeight &)> make;
};

TEST(Weights, MustHold) {
  const Fault faults[] = {
      {"is not in $.files", [](Manifest &, StoredWeight &s) { s.file = "weights/other.bin"; }},
      {"are not in \"weights/w.bin\"", [](Manifest &, StoredWeight &s) { s.offset = 4090; }},
      {"are not in \"weights/w.bin\"", [](Manifest &, StoredWeight &s) { s.offset = -1; }},
      {"are not in \"weights/w.bin\"", [](Manifest &, StoredWeight &s) { s.bytes = INT64_MAX; }},
      {"is no host function", [](Manifest &, StoredWeight &s) { s.hostFunctions = {"g"}; }},
      {"is no program", [](Manifest &, StoredWeight &s) { s.programs = {"f"}; }},
      {"names elements 0 to 6 of a weight of 6", [](Manifest &, StoredWeight &s) { s.shape = {7}; }},
      {"names elements -2 to 3", [](Manifest &, StoredWeight &s) { s.strides = {-1}, s.base = 3; }},
      {".base: is -1", [](Manifest &, StoredWeight &s) { s.base = -1; }},
      {".strides[0]: is", [](Manifest &, StoredWeight &s) { s.strides = {INT64_MIN}; }},
      {".strides[0]: is", [](Manifest &, StoredWeight &s) { s.strides = {int64_t(1) << 46}; }},
      {"shape has 1 dimensions and strides 2", [](Manifest &, StoredWeight &s) { s.strides = {1, 1}; }},
      {".columns: is -1", [](Manifest &, StoredWeight &s) { s.columns = -1; }},
      {".columns: is 4", [](Manifest &, StoredWeight &s) { s.columns = 4; }},
      {"only float32 may become float16", [](Manifest &, StoredWeight &s) { s.dtype = ElementType::Float64; }},
      {".xxh128", [](Manifest &, StoredWeight &s) { s.hash = "none"; }},
      {"which is not in $.host_weights", [](Manifest &m, StoredWeight &) { m.hostWeights = {}; }},
      {"\"p\" does not read \"weights/w.bin\"",
       [](Manifest &m, StoredWeight &s) {
         m.programs = {{"p", "weights/w.bin", {}, {{"main", "", {}, {}}}}};
         s.programs = {"p"};
       }},
      {"overlap those of $.weights[0].stored[0]",
       [](Manifest &m, StoredWeight &s) { m.weights.push_back({"v", {ElementType::Float32, {6}}, "dense", {s}}); }},
      {"overlap those of $.weights[1].stored[0]",
       [](Manifest &m, StoredWeight &) {
         StoredWeight fixed = form({}, {});
         fixed.offset = 100;
         fixed.bytes = 29;
         fixed.fixed = "computed by mul";
         m.weights.push_back({"v", {ElementType::Float32, {6}}, "dense", {fixed}});
       }},
      {".bytes: is 20", [](Manifest &, StoredWeight &s) { s.bytes = 20; }},
      {"occurs twice", [](Manifest &m, StoredWeight &) { m.weights.push_back(m.weights[0]); }},
      {".name: is empty", [](Manifest &m, StoredWeight &) { m.weights[0].name = ""; }},
      {".encoding: is empty", [](Manifest &m, StoredWeight &) { m.weights[0].encoding = ""; }},
  };
  ASSERT_TRUE(verify(sample(form({6}, {1}))).ok()) << verify(sample(form({6}, {1})));
  for (const Fault &fault : faults) {
    Manifest m = sample(form({6}, {1}));
    fault.make(m, m.weights[0].stored[0]);
    absl::Status status = verify(m);
    EXPECT_NE(std::string(status.message()).find(fault.words), std::string::npos) << fault.words << ": " << status;
    EXPECT_FALSE(parse(print(m)).ok());
  }
}

} // namespace
