#include "manifest_samples.h"
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace ane::rt;
using namespace ane::rt::manifest;
namespace fs = std::filesystem;

namespace {

TEST(Manifest, RoundTrips) {
  std::string text = print(sample());
  auto parsed = parse(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(print(*parsed), text);
  EXPECT_EQ(parsed->tensors[1].type.shape, (std::vector<int64_t>{1, 8, 64}));
  EXPECT_EQ(parsed->programs[0].procedures[0].inputs[0].perm, (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(parsed->hostLibraries[0].activations, "int8");
  EXPECT_EQ(parsed->functions[0].steps[1].kind, Step::Kind::Program);
}

TEST(Manifest, AProgramHasSeveralProcedures) {
  Manifest m = sample();
  Program &program = m.programs[0];
  EXPECT_EQ(nameOf(program, program.procedures[0]), "main_0");
  program.procedures.push_back(program.procedures[0]);
  program.procedures[1].name = "decode";
  EXPECT_EQ(nameOf(program, program.procedures[1]), "main_0.decode");
  m.tensors.push_back(m.tensors[2]);
  m.tensors[3].name = "decoded";
  m.functions[0].steps.push_back({Step::Kind::Program, "main_0", {2}, {3}, "decode"});
  auto parsed = parse(print(m));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(print(*parsed), print(m));
  EXPECT_EQ(parsed->functions[0].steps[2].procedure, "decode");
}

/// A state that begins with zeros and one with a file's bytes; `hidden` is what the first is read as.
Manifest withStates() {
  Manifest m = sample();
  TensorType hidden = m.tensors[1].type;
  m.tensors.push_back({"old", hidden});
  m.tensors.push_back({"older", hidden});
  m.states = {{"a", hidden}, {"b", hidden, "weights/w.bin", 64}};
  m.functions[0].states = {{0, 3, 1}, {1, 4, 4}};
  m.files[2].bytes = 64 + 8 * 64 * 4;
  return m;
}

TEST(Manifest, StatesRoundTrip) {
  std::string text = print(withStates());
  auto parsed = parse(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(print(*parsed), text);
  EXPECT_EQ(parsed->states[0].file, "");
  EXPECT_EQ(parsed->states[1].offset, 64);
  EXPECT_EQ(parsed->functions[0].states[0].write, 1);
  // Bundles without states are as they were before there were any.
  EXPECT_EQ(print(sample()).find("states"), std::string::npos);
}

/// State a gets a window: tensor 5 at tensor 6 of axis 1 gives tensor 7.
Manifest withUpdate() {
  Manifest m = withStates();
  TensorType hidden = m.tensors[1].type, window = hidden;
  window.shape[1] = 1;
  m.tensors.push_back({"window", window});
  m.tensors.push_back({"position", {ElementType::Int32, {1}}});
  m.tensors.push_back({"new", hidden});
  Function &f = m.functions[0];
  f.inputs.push_back({"window", 5});
  f.inputs.push_back({"position", 6});
  f.states[0] = {0, 3, 7};
  f.steps.push_back({Step::Kind::Update, "a", {5, 6}, {7}, "", 1, true});
  return m;
}

TEST(Manifest, UpdatesRoundTrip) {
  std::string text = print(withUpdate());
  auto parsed = parse(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(print(*parsed), text);
  EXPECT_EQ(parsed->functions[0].steps[2].axis, 1);
  EXPECT_TRUE(parsed->functions[0].steps[2].skipOutside);
}

/// The sample's function for 8 ids, and another for 16, whose program needs no CPU code.
Manifest withBuckets() {
  Manifest m = sample();
  TensorType ids{ElementType::Int64, {1, 16}}, hidden{ElementType::Float32, {1, 16, 64}};
  m.tensors.push_back({"more ids", ids});
  m.tensors.push_back({"more hidden", hidden});
  m.hostFunctions.push_back({"embed more", "main_host_1", {ids}, {hidden}, 4096});
  m.functions[0].name = "main_8";
  m.functions[0].outputs[0].tensor = 1;
  m.functions.push_back(
      {"main_16", {{"input_ids", 3}}, {{"last_hidden_state", 4}}, {{Step::Kind::Host, "embed more", {3}, {4}}}});
  m.buckets = {{"main", "sequence", Padding::Checked, {0}, {{1}}, {{1}}, {8, 16}, {0, 1}}};
  return m;
}

// A quadratic check would take minutes: nobody opens such a bundle, but anybody may send one.
TEST(Manifest, ManyStatesAreCheckedInLinearTime) {
  Manifest m = withStates();
  m.functions[0].states = {};
  m.functions[0].outputs = {{"last_hidden_state", 2}};
  for (int i = 0; i < 100000; ++i) {
    std::string file = "weights/state" + std::to_string(i) + ".bin";
    m.states.push_back({"many" + std::to_string(i), m.states[0].type, file, 64});
    m.files.push_back({file, 1 << 20, kNoHash});
  }
  std::clock_t start = std::clock();
  EXPECT_TRUE(verify(m).ok()) << verify(m);
  EXPECT_LT(std::clock() - start, 20 * CLOCKS_PER_SEC);
}

TEST(Manifest, StatesAlongTheDimension) {
  Manifest m = withBuckets();
  TensorType cache{ElementType::Float32, {1, 40, 64}}, position{ElementType::Int64, {}};
  m.tensors.insert(m.tensors.end(), {{"at", position}, {"c8", cache}, {"u8", cache}, {"c16", cache}, {"u16", cache}});
  m.states = {{"at", position}, {"unused", cache}, {"cache", cache}};
  m.functions[0].states = {{0, 5, 5}, {2, 6, 7}};
  m.functions[1].states = {{0, 5, 5}, {2, 8, 9}};
  m.functions[0].steps.push_back({Step::Kind::Update, "cache", {1, 5}, {7}, "", 1});
  EXPECT_EQ(statesAlong(m, m.buckets[0]), std::vector<size_t>{2});
  m.functions[1].steps.push_back({Step::Kind::Update, "cache", {4, 5}, {9}, "", 1});
  EXPECT_EQ(statesAlong(m, m.buckets[0]), std::vector<size_t>{2});
  m.functions[1].steps.back().inputs[0] = 1; // 8 entries, in the bucket of 16, too
  EXPECT_EQ(statesAlong(m, m.buckets[0]), std::vector<size_t>{});
}

TEST(Manifest, BucketsRoundTrip) {
  std::string text = print(withBuckets());
  auto parsed = parse(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(print(*parsed), text);
  EXPECT_EQ(parsed->buckets[0].padding, Padding::Checked);
  EXPECT_EQ(parsed->buckets[0].sizes, (std::vector<int64_t>{8, 16}));
  EXPECT_EQ(parsed->buckets[0].outputs[0], (std::vector<int64_t>{1}));
  EXPECT_EQ(print(sample()).find("buckets"), std::string::npos);
}

/// The ids are not above 9, and all together 20.
Manifest withChecks() {
  Manifest m = sample();
  m.functions[0].checks = {{"ids", 0, 0, 9, 20}, {"more", 0, -1, 9}};
  return m;
}

TEST(Manifest, ChecksRoundTrip) {
  std::string text = print(withChecks());
  auto parsed = parse(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(print(*parsed), text);
  EXPECT_EQ(parsed->functions[0].checks[0].total, 20);
  EXPECT_EQ(parsed->functions[0].checks[1].total, std::nullopt);
  EXPECT_EQ(print(sample()).find("checks"), std::string::npos);
}

Manifest withConditions() {
  Manifest m = sample();
  m.programs[0].procedures[0].inputs[0].holds = {{7.7e-6, {}, false}, {{}, {}, true}, {-8.0, 8.5, true}};
  return m;
}

TEST(Manifest, ConditionsRoundTrip) {
  std::string text = print(withConditions());
  auto parsed = parse(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(print(*parsed), text);
  const std::vector<Condition> &holds = parsed->programs[0].procedures[0].inputs[0].holds;
  ASSERT_EQ(holds.size(), 3u);
  EXPECT_EQ(holds[0].low, 7.7e-6);
  EXPECT_FALSE(holds[0].high || holds[0].exact);
  EXPECT_TRUE(holds[1].exact && !holds[1].low && !holds[1].high);
  EXPECT_EQ(holds[2].high, 8.5);
  EXPECT_EQ(conditionText(holds[0]), "at least 7.7e-06");
  EXPECT_EQ(conditionText(holds[1]), "numbers of fp16");
  EXPECT_EQ(conditionText(holds[2]), "from -8 to 8.5 or numbers of fp16");
  EXPECT_EQ(conditionText({{}, 5, false}), "at most 5");
  // Bundles of before have none.
  EXPECT_EQ(print(sample()).find("holds"), std::string::npos);
}

Manifest withMask() {
  Manifest m = sample();
  m.programs[0].procedures[0].inputs[0].mask = {8, 2, -30000};
  return m;
}

TEST(Manifest, MasksRoundTrip) {
  std::string text = print(withMask());
  auto parsed = parse(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(print(*parsed), text);
  EXPECT_TRUE(parsed->programs[0].procedures[0].inputs[0].mask == (MaskRows{8, 2, -30000}));
  EXPECT_EQ(print(sample()).find("mask"), std::string::npos);
}

TEST(Manifest, IsPrintedInFixedOrder) {
  std::string text = print(sample());
  size_t last = 0;
  for (const char *key : {"\"schema\"", "\"producer\"", "\"target\"", "\"tensors\"", "\"functions\"", "\"programs\"",
                          "\"host_functions\"", "\"host_libraries\"", "\"host_weights\"", "\"files\""}) {
    size_t at = text.find(key);
    ASSERT_NE(at, std::string::npos) << key;
    EXPECT_GT(at, last);
    last = at;
  }
  EXPECT_EQ(text.back(), '\n');
}

TEST(Manifest, ProgramsNeedNoTwin) {
  Manifest m = sample();
  m.programs[0].procedures[0].twin.clear();
  m.hostFunctions.pop_back();
  auto parsed = parse(print(m));
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  // Then the surfaces say what the program takes.
  m.functions[0].steps[1].inputs = {0};
  expectWords(verify(m), "$.functions[0].steps[1].inputs[0]: tensor \"ids\"");
  m.functions[0].steps[1].inputs = {};
  expectWords(verify(m), "takes 1");
  m.functions[0].steps[1].inputs = {77};
  expectWords(verify(m), "is 77");
}

TEST(Manifest, RowsMayBeWiderThanTheData) {
  Manifest m = sample();
  m.programs[0].procedures[0].inputs[0].shape = {1, 64, 1, 32};
  EXPECT_TRUE(verify(m).ok()) << verify(m);
  EXPECT_EQ(dataElements(m.programs[0].procedures[0].inputs[0]), 512);
  m.programs[0].procedures[0].inputs[0].shape = {1, 64, 1, 7};
  expectWords(verify(m), "expand [8,64] has 512 elements, shape [1,64,1,7] has "
                         "64 rows of 7");
}

// A fault in the structs, and words that its message must contain.
struct Fault {
  const char *name;
  std::function<void(Manifest &)> inject;
  std::vector<const char *> expected;
};

void PrintTo(const Fault &fault, std::ostream *os) { *os << fault.name; }

class ManifestFault : public testing::TestWithParam<Fault> {};

TEST_P(ManifestFault, IsNamedPrecisely) {
  Manifest m = sample();
  GetParam().inject(m);
  absl::Status status = verify(m);
  ASSERT_FALSE(status.ok());
  for (const char *words : GetParam().expected)
    expectWords(status, words);
  // The reader must agree with the writer's check.
  auto parsed = parse(print(m));
  ASSERT_FALSE(parsed.ok());
  expectWords(parsed.status(), GetParam().expected[0]);
}

using M = Manifest;
Condition &firstCondition(M &m) { return (m = withConditions()).programs[0].procedures[0].inputs[0].holds[0]; }
MaskRows &firstMask(M &m) { return (m = withMask()).programs[0].procedures[0].inputs[0].mask; }
const Fault kFaults[] = {
    {"ConditionEmpty", [](M &m) { firstCondition(m) = {}; }, {"procedures[0].inputs[0].holds[0]", "says nothing"}},
    {"ConditionOrder", [](M &m) { firstCondition(m) = {2, 1, true}; }, {"inputs[0].holds[0]", "from 2 to 1"}},
    {"ConditionsMany",
     [](M &m) {
       firstCondition(m);
       m.programs[0].procedures[0].inputs[0].holds.resize(65, {1, 2, true});
     },
     {"$.programs[0].procedures[0].inputs[0].holds", "65", "limit 64"}},
    {"MaskRows", [](M &m) { firstMask(m) = {7, 1, -1}; }, {"procedures[0].inputs[0].mask", "rows of 7"}},
    {"MaskInner", [](M &m) { firstMask(m) = {8, 3, -1}; }, {"procedures[0].inputs[0].mask", "3 apart"}},
    {"MaskFar", [](M &m) { firstMask(m) = {INT64_MAX, INT64_MAX, -1}; }, {"procedures[0].inputs[0].mask", "no such"}},
    {"MaskNegative", [](M &m) { firstMask(m) = {-8, -1, -1}; }, {"procedures[0].inputs[0].mask", "rows of -8"}},
    {"MaskNothing", [](M &m) { firstMask(m) = {8, 1, 0}; }, {"inputs[0].mask.least", "is 0"}},
    {"MaskOfInt32Surface",
     [](M &m) {
       firstMask(m);
       m.programs[0].procedures[0].inputs[0].dtype = ElementType::Int16;
     },
     {"procedures[0].inputs[0].mask", "int16"}},
    {"MaskOfBytes", // narrower than what is written
     [](M &m) {
       firstMask(m);
       m.tensors[1].type.dtype = m.hostFunctions[0].outputs[0].dtype = m.hostFunctions[1].inputs[0].dtype =
           ElementType::Bool;
     },
     {"$.functions[0].steps[1].inputs[0]", "bool[1,8,64]", "float32 or float16"}},
    {"MaskOfDoubles",
     [](M &m) {
       firstMask(m);
       m.programs[0].procedures[0].twin.clear();
       m.tensors[1].type.dtype = m.hostFunctions[0].outputs[0].dtype = ElementType::Float64;
     },
     {"$.functions[0].steps[1].inputs[0]", "float64[1,8,64]"}},
    {"MaskOfOutput",
     [](M &m) { m.programs[0].procedures[0].outputs[0].mask = {8, 1, -1}; },
     {"$.programs[0].procedures[0].outputs[0].mask", "for inputs"}},
    {"ConditionOfOutput",
     [](M &m) { m.programs[0].procedures[0].outputs[0].holds = {{1, 2, true}}; },
     {"$.programs[0].procedures[0].outputs[0].holds", "for inputs"}},
    {"Activations", [](M &m) { m.hostLibraries[0].activations = "int4"; }, {"$.host_libraries[0].activations", "int4"}},
    {"DuplicateState", [](M &m) { (m = withStates()).states[1].name = "a"; }, {"$.states[1].name", "twice"}},
    {"StateShape", [](M &m) { (m = withStates()).states[0].type.shape = {-1}; }, {"$.states[0].shape[0]", "-1"}},
    {"StateFile", [](M &m) { (m = withStates()).states[1].file = "w.bin"; }, {"$.states[1].initial.file", "w.bin"}},
    {"StateOffset", [](M &m) { (m = withStates()).states[1].offset = 4; }, {"$.states[1].initial.offset", "is 4"}},
    {"StateBehindFile", [](M &m) { (m = withStates()).states[1].offset = 128; }, {"$.states[1].initial.offset", "128"}},
    {"StateFarBehindFile",
     [](M &m) { (m = withStates()).states[1].offset = INT64_MAX / 64 * 64; },
     {"$.states[1].initial.offset"}},
    {"BucketName", [](M &m) { (m = withBuckets()).buckets[0].name = "main_8"; }, {"$.buckets[0].name", "main_8"}},
    {"BucketNoName", [](M &m) { (m = withBuckets()).buckets[0].name = ""; }, {"$.buckets[0].name", "empty"}},
    {"BucketNoSizes", [](M &m) { (m = withBuckets()).buckets[0].sizes = {}; }, {"$.buckets[0].sizes", "has 0"}},
    {"BucketOrder", [](M &m) { (m = withBuckets()).buckets[0].sizes = {16, 8}; }, {"$.buckets[0]", "16"}},
    {"BucketSize",
     [](M &m) { (m = withBuckets()).buckets[0].sizes[1] = 17; },
     {"$.buckets[0].inputs[0]", "expected 17"}},
    {"BucketNegative", [](M &m) { (m = withBuckets()).buckets[0].sizes[0] = -8; }, {"sizes[0]", "is -8"}},
    {"BucketFunction", [](M &m) { (m = withBuckets()).buckets[0].functions[1] = 2; }, {"functions[1]", "is 2"}},
    {"BucketTwice", [](M &m) { (m = withBuckets()).buckets[0].functions[1] = 0; }, {"$.buckets[0].inputs[0]", "is 8"}},
    {"BucketShared",
     [](M &m) {
       (m = withBuckets()).buckets.push_back(m.buckets[0]);
       m.buckets[1].name = "other";
     },
     {"$.buckets[1].functions", "of two sizes or buckets"}},
    {"BucketPorts", [](M &m) { (m = withBuckets()).buckets[0].inputs = {}; }, {"$.buckets[0].inputs", "has 0"}},
    {"BucketNothing", [](M &m) { (m = withBuckets()).buckets[0].inputs[0] = {}; }, {"$.buckets[0].inputs[0]", "is 16"}},
    {"BucketAxis",
     [](M &m) { (m = withBuckets()).buckets[0].outputs[0] = {3}; },
     {"$.buckets[0].outputs[0]", "axis 3"}},
    {"BucketAxisTwice", [](M &m) { (m = withBuckets()).buckets[0].inputs[0] = {1, 1}; }, {"inputs[0]", "twice"}},
    {"BucketMask", [](M &m) { (m = withBuckets()).buckets[0].masks = {1}; }, {"$.buckets[0].masks[0]", "is 1"}},
    {"BucketMaskUnused",
     [](M &m) { (m = withBuckets()).buckets[0].padding = Padding::Zeros; },
     {"$.buckets[0].masks[0]", "is 0"}},
    {"BucketOtherInput",
     [](M &m) { (m = withBuckets()).functions[1].inputs[0].name = "ids"; },
     {"functions[1]", "ids", "input_ids"}},
    {"StateIndex", [](M &m) { (m = withStates()).functions[0].states[0].state = 2; }, {"states[0].state", "is 2"}},
    {"StateTwice", [](M &m) { (m = withStates()).functions[0].states[1].state = 0; }, {"states[1].state", "twice"}},
    {"StateType",
     [](M &m) { (m = withStates()).functions[0].states[0].write = 0; },
     {"$.functions[0].states[0].write", "int64[1,8]", "float32[1,8,64]"}},
    {"StateTensor", [](M &m) { (m = withStates()).functions[0].states[0].read = 5; }, {"states[0].read", "is 5"}},
    {"StateReadTwice",
     [](M &m) { (m = withStates()).functions[0].states[1].read = 3; },
     {"states[1].read", "tensor 3"}},
    {"StateReadIsMade", [](M &m) { (m = withStates()).functions[0].states[0].read = 2; }, {"defined twice"}},
    {"StateNeverMade",
     [](M &m) { (m = withStates()).tensors.push_back({"x", m.tensors[1].type}), m.functions[0].states[0].write = 5; },
     {"$.functions[0].states[0].write", "no step defines tensor 5"}},
    {"UpdateState",
     [](M &m) { (m = withUpdate()).functions[0].steps[2].target = "c"; },
     {"$.functions[0].steps[2].state", "not in the function's states"}},
    {"UpdateAxis", [](M &m) { (m = withUpdate()).functions[0].steps[2].axis = 3; }, {"steps[2].axis", "is 3"}},
    {"UpdateAxisBelow", [](M &m) { (m = withUpdate()).functions[0].steps[2].axis = -1; }, {"steps[2].axis", "is -1"}},
    {"UpdateInputs",
     [](M &m) { (m = withUpdate()).functions[0].steps[2].inputs.pop_back(); },
     {"steps[2].inputs", "has 1 tensors, an update has 2"}},
    {"UpdateOutputs",
     [](M &m) { (m = withUpdate()).functions[0].steps[2].outputs.clear(); },
     {"steps[2].outputs", "has 0 tensors, an update has 1"}},
    {"UpdateTensor", [](M &m) { (m = withUpdate()).functions[0].steps[2].inputs[1] = 99; }, {"inputs[1]", "is 99"}},
    {"UpdateWindow", [](M &m) { (m = withUpdate()).tensors[5].type.shape = {1, 1, 63}; }, {"no window of one entry"}},
    {"UpdateRank", [](M &m) { (m = withUpdate()).tensors[5].type.shape = {1, 64}; }, {"steps[2].inputs[0]"}},
    {"UpdateWindowIsLarger",
     [](M &m) { (m = withUpdate()).tensors[5].type.shape[1] = 9, m.functions[0].steps[2].skipOutside = false; },
     {"steps[2].inputs[0]", "float32[1,9,64]"}},
    {"UpdateSkipsTwo", [](M &m) { (m = withUpdate()).tensors[5].type.shape[1] = 2; }, {"no window of one entry"}},
    {"UpdateType",
     [](M &m) { (m = withUpdate()).tensors[5].type.dtype = ElementType::Int32; },
     {"steps[2].inputs[0]", "int32[1,1,64]"}},
    {"UpdatePosition",
     [](M &m) { (m = withUpdate()).tensors[6].type.shape = {2}; },
     {"steps[2].inputs[1]", "expected one integer"}},
    {"UpdatePositionIsFloat",
     [](M &m) { (m = withUpdate()).tensors[6].type.dtype = ElementType::Float32; },
     {"steps[2].inputs[1]", "expected one integer"}},
    {"UpdateGivesAnother",
     [](M &m) { (m = withUpdate()).functions[0].states[0].write = 1; },
     {"steps[2].outputs[0]", "tensor 1 afterwards"}},
    {"UpdateGivesTheOld",
     [](M &m) { (m = withUpdate()).functions[0].states[0].write = 3, m.functions[0].steps[2].outputs[0] = 3; },
     {"steps[2].outputs[0]"}},
    {"UpdateTwice",
     [](M &m) { (m = withUpdate()).functions[0].steps.push_back(m.functions[0].steps[2]); },
     {"steps[3].outputs[0]", "defined twice"}},
    {"OldValueBehindUpdate",
     [](M &m) {
       std::swap((m = withUpdate()).functions[0].steps[1], m.functions[0].steps[2]),
           m.functions[0].steps[2].inputs = {3};
     },
     {"steps[2].inputs[0]", "behind one that overwrites it"}},
    {"OldValueIsOutput",
     [](M &m) { (m = withUpdate()).functions[0].outputs[0].tensor = 3; },
     {"outputs[0].tensor", "a later one overwrites it"}},
    {"OldValueIsWritten",
     [](M &m) { (m = withUpdate()).functions[0].states[1].write = 3; },
     {"states[1].write", "a later one overwrites it"}},
    {"Schema", [](M &m) { m.schema = 1; }, {"$.schema", "is 1"}},
    {"AbsolutePath", [](M &m) { m.files[0].path = "/etc/passwd"; }, {"$.files[0].path", "absolute"}},
    {"DotDot", [](M &m) { m.files[0].path = "a/../../b"; }, {"$.files[0].path", "leaves the bundle"}},
    {"OnlyDotDot", [](M &m) { m.programs[0].mil = ".."; }, {"$.programs[0].mil", "leaves the bundle"}},
    {"EmptyComponent", [](M &m) { m.files[0].path = "a//b"; }, {"$.files[0].path", "component"}},
    {"TrailingSlash", [](M &m) { m.files[0].path = "a/"; }, {"$.files[0].path", "component"}},
    {"UnlistedFile", [](M &m) { m.hostWeights[0] = "weights/z.bin"; }, {"$.host_weights[0]", "not in $.files"}},
    {"BadHash", [](M &m) { m.files[0].hash = "zz"; }, {"$.files[0].xxh128"}},
    {"NegativeFile", [](M &m) { m.files[0].bytes = -1; }, {"$.files[0].bytes"}},
    {"DuplicateFile", [](M &m) { m.files[1].path = m.files[0].path; }, {"$.files[1].path", "twice"}},
    {"DuplicateTensor", [](M &m) { m.tensors[1].name = "ids"; }, {"$.tensors[1].name", "twice"}},
    {"NoProcedure", [](M &m) { m.programs[0].procedures.clear(); }, {"$.programs[0].procedures", "is empty"}},
    {"DuplicateProcedure",
     [](M &m) { m.programs[0].procedures.push_back(m.programs[0].procedures[0]); },
     {"$.programs[0].procedures[1].name", "\"main\" occurs twice"}},
    {"NamelessProcedure",
     [](M &m) { m.programs[0].procedures[0].name.clear(); },
     {"$.programs[0].procedures[0].name", "is empty"}},
    {"UnknownProcedure",
     [](M &m) { m.functions[0].steps[1].procedure = "decode"; },
     {"$.functions[0].steps[1].procedure", "\"decode\" is none of the 1 procedures of \"main_0\""}},
    {"SecondTwin",
     [](M &m) {
       m.programs[0].procedures.push_back(m.programs[0].procedures[0]);
       m.programs[0].procedures[1].name = "decode";
       m.programs[0].procedures[1].twin = "nobody";
     },
     {"$.programs[0].procedures[1].twin", "nobody"}},
    {"DuplicateProgram", [](M &m) { m.programs.push_back(m.programs[0]); }, {"$.programs[1].name", "twice"}},
    {"EmptyName", [](M &m) { m.functions[0].name = ""; }, {"$.functions[0].name", "empty"}},
    {"NegativeDim", [](M &m) { m.tensors[0].type.shape = {1, -8}; }, {"$.tensors[0].shape[1]", "-8"}},
    {"HugeShape",
     [](M &m) { m.tensors[0].type.shape = {int64_t(1) << 40, int64_t(1) << 40}; },
     {"$.tensors[0].shape", "elements"}},
    {"HugeShapeBehindZero",
     [](M &m) { m.tensors[0].type.shape = {0, int64_t(1) << 40, int64_t(1) << 40}; },
     {"$.tensors[0].shape", "elements"}},
    {"Rank", [](M &m) { m.tensors[0].type.shape.assign(17, 1); }, {"$.tensors[0].shape", "17"}},
    {"PermTwice",
     [](M &m) { m.programs[0].procedures[0].inputs[0].perm = {0, 0}; },
     {"$.programs[0].procedures[0].inputs[0].perm", "no permutation"}},
    {"PermRange",
     [](M &m) { m.programs[0].procedures[0].inputs[0].perm = {0, 2}; },
     {"$.programs[0].procedures[0].inputs[0].perm", "no permutation"}},
    {"PermRank",
     [](M &m) { m.programs[0].procedures[0].inputs[0].perm = {0}; },
     {"$.programs[0].procedures[0].inputs[0]", "expand has 2"}},
    {"ExpandCount",
     [](M &m) { m.programs[0].procedures[0].inputs[0].expand = {8, 65}; },
     {"$.programs[0].procedures[0].inputs[0]", "520 elements", "64 rows of 8"}},
    {"StrideMultiple",
     [](M &m) { m.programs[0].procedures[0].inputs[0].rowStride = 65; },
     {"$.programs[0].procedures[0].inputs[0].row_stride", "65", "multiple"}},
    {"StrideTooSmall",
     [](M &m) { m.programs[0].procedures[0].inputs[0].rowStride = 14; },
     {"$.programs[0].procedures[0].inputs[0].row_stride", "14", "needs 16"}},
    {"StrideHuge",
     [](M &m) { m.programs[0].procedures[0].inputs[0].rowStride = INT64_MAX - 1; },
     {"$.programs[0].procedures[0].inputs[0].bytes"}},
    {"BytesTooSmall",
     [](M &m) { m.programs[0].procedures[0].inputs[0].bytes = 4095; },
     {"$.programs[0].procedures[0].inputs[0].bytes", "64 rows of stride 64"}},
    {"EmptySurface",
     [](M &m) { m.programs[0].procedures[0].inputs[0].shape = {1, 0}; },
     {"$.programs[0].procedures[0].inputs[0].shape", "no element"}},
    {"SurfaceNameTwice",
     [](M &m) { m.programs[0].procedures[0].outputs[0].name = "x"; },
     {"$.programs[0].procedures[0].outputs[0].name", "two surfaces"}},
    {"NoTwin",
     [](M &m) { m.programs[0].procedures[0].twin = "nobody"; },
     {"$.programs[0].procedures[0].twin", "nobody"}},
    {"TwinElements",
     [](M &m) {
       Surface &s = m.programs[0].procedures[0].outputs[0];
       s.shape = {1, 32, 1, 8};
       s.expand = {8, 32};
     },
     {"$.programs[0].procedures[0].outputs[0].shape", "256 elements", "float32[1,8,64]"}},
    {"TwinArguments",
     [](M &m) { m.hostFunctions[1].inputs.clear(); },
     {"$.programs[0].procedures[0].inputs", "main_0_twin"}},
    {"Symbol", [](M &m) { m.hostFunctions[0].symbol = "a b"; }, {"$.host_functions[0].symbol", "a b"}},
    {"Arena", [](M &m) { m.hostFunctions[0].arenaBytes = -1; }, {"$.host_functions[0].arena_bytes"}},
    {"InputIndex",
     [](M &m) { m.functions[0].inputs[0].tensor = 3; },
     {"$.functions[0].inputs[0].tensor", "is 3", "3 tensors"}},
    {"OutputIndex", [](M &m) { m.functions[0].outputs[0].tensor = -1; }, {"$.functions[0].outputs[0].tensor", "-1"}},
    {"PortTwice",
     [](M &m) { m.functions[0].outputs.push_back({"last_hidden_state", 1}); },
     {"$.functions[0].outputs[1].name"}},
    {"StepTarget",
     [](M &m) { m.functions[0].steps[0].target = "nobody"; },
     {"$.functions[0].steps[0].function", "nobody"}},
    {"StepProgram",
     [](M &m) { m.functions[0].steps[1].target = "embed"; },
     {"$.functions[0].steps[1].program", "embed"}},
    {"CheckTensor", [](M &m) { (m = withChecks()).functions[0].checks[0].tensor = 9; }, {"checks[0].tensor", "is 9"}},
    {"CheckUndefined",
     [](M &m) {
       m = withChecks();
       m.tensors.push_back(m.tensors[0]);
       m.tensors[3].name = "nothing";
       m.functions[0].checks[0].tensor = 3;
     },
     {"checks[0].tensor", "no step defines"}},
    {"CheckType", [](M &m) { (m = withChecks()).functions[0].checks[1].tensor = 1; }, {"checks[1]", "no range"}},
    {"CheckRange", [](M &m) { (m = withChecks()).functions[0].checks[1].max = -2; }, {"checks[1]", "no range"}},
    {"CheckSubject", [](M &m) { (m = withChecks()).functions[0].checks[0].subject = ""; }, {"subject", "empty"}},
    {"StepCount", [](M &m) { m.functions[0].steps[0].inputs = {0, 0}; }, {"$.functions[0].steps[0].inputs", "takes 1"}},
    {"StepIndex", [](M &m) { m.functions[0].steps[0].inputs = {1 << 20}; }, {"$.functions[0].steps[0].inputs[0]"}},
    {"StepType",
     [](M &m) { m.functions[0].steps[1].inputs = {0}; },
     {"$.functions[0].steps[1].inputs[0]", "int64[1,8]", "float32[1,8,64]"}},
    {"UseBeforeDefinition",
     [](M &m) { std::swap(m.functions[0].steps[0], m.functions[0].steps[1]); },
     {"$.functions[0].steps[0].inputs[0]", "before"}},
    {"DefinedTwice",
     [](M &m) { m.functions[0].steps[1].outputs = {1}; },
     {"$.functions[0].steps[1].outputs[0]", "twice"}},
    {"OutputUndefined",
     [](M &m) { m.functions[0].steps.pop_back(); },
     {"$.functions[0].outputs[0].tensor", "no step defines"}},
};

INSTANTIATE_TEST_SUITE_P(, ManifestFault, testing::ValuesIn(kFaults), [](const auto &info) { return info.param.name; });

/// Replaces the first occurrence of `from` in the sample's text.
std::string edited(const std::string &from, const std::string &to) {
  std::string text = print(sample());
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

void expectRefused(const std::string &text, const char *words) {
  auto parsed = parse(text);
  ASSERT_FALSE(parsed.ok()) << words;
  expectWords(parsed.status(), words);
}

TEST(ManifestText, RefusesWhatIsNoManifest) {
  expectRefused("", "not JSON");
  expectRefused("{", "not JSON");
  expectRefused("[]", "$");
  expectRefused("{}", "$.schema: is missing");
  expectRefused(print(sample()) + "x", "not JSON");
  expectRefused(std::string(100000, '['), "nested deeper than");
}

TEST(ManifestText, RefusesWrongKindsOfValue) {
  expectRefused(edited("\"schema\": 5", "\"schema\": \"1\""), "$.schema");
  expectRefused(edited("\"schema\": 5", "\"schema\": 5.0"), "$.schema");
  expectRefused(edited("\"row_stride\": 64", "\"row_stride\": 1e3"),
                "$.programs[0].procedures[0].inputs[0].row_stride: is number, expected an");
  expectRefused(edited("\"bytes\": 4096", "\"bytes\": 18446744073709551615"), "18446744073709551615");
  auto withHolds = [&](const std::string &holds) { return edited("\"perm\"", "\"holds\": " + holds + ", \"perm\""); };
  const std::string place = "$.programs[0].procedures[0].inputs[0].holds";
  expectRefused(withHolds("{}"), (place + ": is object, expected a list").c_str());
  expectRefused(withHolds("[{\"low\": \"0\"}]"), (place + "[0].low: is string, expected a number").c_str());
  expectRefused(withHolds("[{\"exact\": 1}]"), (place + "[0].exact: is number, expected true or false").c_str());
  expectRefused(withHolds("[{\"exact\": false}]"), (place + "[0]: says nothing").c_str());
  expectRefused(withHolds("[{\"least\": 0}]"), "unknown key \"least\"");
  expectRefused(withHolds("[{\"low\": 1e999}]"), "number overflow");
  expectRefused(edited("\"int64\"", "\"int65\""), "$.tensors[0].dtype: unknown dtype \"int65\"");
  expectRefused(edited("\"int64\"", "\"uint4\""), "unknown dtype \"uint4\"");
  expectRefused(edited("\"kind\": \"host\"", "\"kind\": \"gpu\""),
                "$.functions[0].steps[0].kind: unknown step kind \"gpu\"");
  expectRefused(edited("\"arena_bytes\"", "\"arena\""), "unknown key \"arena\"");
  expectRefused(edited("\"schema\": 5", "\"schema\": 5, \"schema\": 5"), "\"schema\" repeated");
  expectRefused(edited("main_host_0", std::string(5000, 'a')), "limit 4096");
  expectRefused(edited("main_host_0", "a\\u0000b"), "NUL");
}

} // namespace
