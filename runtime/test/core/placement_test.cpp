#include "runtime/core/executor.h"
#include "runtime/test/core/test_bundle.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace ane::rt;
using namespace ane::rt::test;
using manifest::Step;

namespace {

constexpr int kElements = kIds * kColumns;
constexpr int64_t kBytes = kElements * sizeof(float);
using Floats = std::vector<float>;

/// Functions of program affine, 2 x + 1, whose input and output have one layout.
class PlacementTest : public testing::Test {
protected:
  PlacementTest() {
    manifest::Manifest &m = files.content;
    manifest::TensorType hidden = m.tensors[1].type;
    m.tensors = {{"x", hidden}, {"y", hidden}, {"z", hidden}, {"sum", hidden}};
    m.functions = {{"main", {{"x", 0}}, {{"z", 2}}, {affine(0, 1), affine(1, 2)}}};
  }

  /// The same program under another name, "wide".
  manifest::Procedure &wide() {
    manifest::Program other = files.content.programs[0];
    other.name = "wide";
    files.content.programs.push_back(other);
    return files.content.programs.back().procedures[0];
  }
  /// Twice as far from row to row, which is no rule of an engine.
  void widen(manifest::Surface &surface) {
    mode = "plain";
    surface.rowStride *= 2;
    surface.bytes *= 2;
  }

  static Step affine(int64_t from, int64_t to) { return {Step::Kind::Program, "affine", {from}, {to}, "main"}; }

  std::unique_ptr<Executor> make(NumericPolicy numeric = NumericPolicy::Rescue) {
    files.write();
    BundleOptions options;
    options.device = "emulator";
    options.emulatorMode = mode;
    options.numeric = numeric;
    options.context = context;
    auto bundle = Bundle::open(files.dir(), options);
    EXPECT_TRUE(bundle.ok()) << bundle.status();
    auto executor = Executor::create(*bundle, "");
    EXPECT_TRUE(executor.ok()) << executor.status();
    return *std::move(executor);
  }

  static Floats filled(float value) { return Floats(kElements, value); }
  static void set(Executor &executor, float value) {
    ASSERT_TRUE(executor.setInput(0, filled(value).data(), kBytes).ok());
  }
  /// The output of a run that copies and scans as much.
  static Floats run(Executor &executor, int64_t copied, int64_t scanned) {
    absl::Status status = executor.run();
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(executor.copies().lastSurfaceBytes, copied);
    EXPECT_EQ(executor.copies().lastScannedBytes, scanned);
    auto *data = static_cast<const float *>(executor.outputs()[0].data);
    return Floats(data, data + kElements);
  }

  TestBundle files{ANE_TEST_HOST_LIBRARY};
  std::string mode;
  std::shared_ptr<Context> context = std::make_shared<Context>();
};

TEST_F(PlacementTest, WhatAProgramWritesIsReadWhereItIs) {
  auto executor = make();
  set(*executor, 3);
  // x goes in and z comes out, and both are looked at. Nobody touches y.
  EXPECT_EQ(run(*executor, 2 * kBytes, 2 * kBytes), filled(15));
  EXPECT_EQ(executor->copies().totalSurfaceBytes, 2 * kBytes);
  EXPECT_EQ(context->surfaceUse().used, 3);
}

// The first program's surface is packed once for each binding.
TEST_F(PlacementTest, ConstantInputsMoveOncePerBinding) {
  auto executor = make(NumericPolicy::Off);
  alignas(64) float x[kElements];
  std::fill_n(x, kElements, 3.0f);
  ASSERT_TRUE(executor->bindInput(0, x, kBytes, /*isConstant=*/true).ok());
  EXPECT_EQ(run(*executor, 2 * kBytes, 0), filled(15));
  std::fill_n(x, kElements, 5.0f); // nobody was told
  EXPECT_EQ(run(*executor, kBytes, 0), filled(15));
  ASSERT_TRUE(executor->bindInput(0, x, kBytes, /*isConstant=*/true).ok());
  EXPECT_EQ(run(*executor, 2 * kBytes, 0), filled(23));
  EXPECT_EQ(run(*executor, kBytes, 0), filled(23));
  ASSERT_TRUE(executor->bindInput(0, x, kBytes).ok());
  std::fill_n(x, kElements, 3.0f);
  EXPECT_EQ(run(*executor, 2 * kBytes, 0), filled(15));
  // The executor's own memory is read again once it is written.
  ASSERT_TRUE(executor->bindInput(0, x, kBytes, /*isConstant=*/true).ok());
  set(*executor, 1);
  EXPECT_EQ(run(*executor, 2 * kBytes, 0), filled(7));
  EXPECT_EQ(run(*executor, kBytes, 0), filled(7));
}

// Element-wise code may write where it reads.
TEST_F(PlacementTest, OutputsTakeThePlaceOfInputs) {
  files.content.functions = {{"main", {{"x", 0}, {"y", 1}}, {{"sum", 3}}, {{Step::Kind::Host, "add", {0, 1}, {3}}}}};
  auto executor = make();
  alignas(64) float memory[2 * kElements];
  float *x = memory, *y = memory + kElements;
  std::fill_n(x, kElements, 3.0f);
  std::fill_n(y, kElements, 4.0f);
  ASSERT_TRUE(executor->bindInput(0, x, kBytes).ok());
  ASSERT_TRUE(executor->bindInput(1, y, kBytes).ok());
  ASSERT_TRUE(executor->bindOutput(0, x, kBytes).ok());
  for (float sum : {7.0f, 11.0f}) {
    ASSERT_TRUE(executor->run().ok());
    EXPECT_EQ(Floats(x, x + kElements), filled(sum));
  }
  ASSERT_TRUE(executor->bindInput(1, x, kBytes).ok());
  ASSERT_TRUE(executor->run().ok()); // x + x
  EXPECT_EQ(x[5], 22);
  ASSERT_TRUE(executor->bindInput(1, y, kBytes).ok());
  ASSERT_TRUE(executor->bindOutput(0, x + 16, kBytes).ok());
  absl::Status status = executor->run();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(status.message().find("sum and x of function main are bound to memory that overlaps"), std::string::npos)
      << status;
  EXPECT_FALSE(executor->run().ok()); // still
  // Where one input is, but a part of another, too.
  ASSERT_TRUE(executor->bindInput(1, x + 16, kBytes).ok());
  EXPECT_FALSE(executor->run().ok());
  ASSERT_TRUE(executor->bindInput(1, y, kBytes).ok());
  ASSERT_TRUE(executor->bindOutput(0, nullptr, 0).ok());
  EXPECT_TRUE(executor->run().ok());
}

// A second step would read what the first has written over.
TEST_F(PlacementTest, StepsDoNotOverwriteInputs) {
  auto executor = make();
  alignas(64) float x[kElements] = {};
  ASSERT_TRUE(executor->bindInput(0, x, kBytes).ok());
  ASSERT_TRUE(executor->bindOutput(0, x, kBytes).ok());
  EXPECT_EQ(executor->run().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(PlacementTest, NobodyLooksWithoutAPolicy) {
  auto executor = make(NumericPolicy::Off);
  set(*executor, 3);
  EXPECT_EQ(run(*executor, 2 * kBytes, 0), filled(15));
}

TEST_F(PlacementTest, WhatHostCodeReadsComesOutOnce) {
  manifest::Function &function = files.content.functions[0];
  function.steps.push_back({Step::Kind::Host, "add", {1, 2}, {3}});
  function.outputs = {{"sum", 3}, {"y", 1}};
  auto executor = make();
  set(*executor, 3);
  EXPECT_EQ(run(*executor, 3 * kBytes, 3 * kBytes), filled(7 + 15));
  EXPECT_EQ(static_cast<const float *>(executor->outputs()[1].data)[5], 7);
}

TEST_F(PlacementTest, ALargerSurfaceIsAsGood) {
  manifest::Manifest &m = files.content;
  wide().inputs[0].bytes *= 2;
  m.functions[0].steps[1].target = "wide";
  auto executor = make();
  set(*executor, 3);
  EXPECT_EQ(run(*executor, 2 * kBytes, 2 * kBytes), filled(15));
  EXPECT_EQ(context->surfaceUse().usedBytes, 4 * m.programs[0].procedures[0].inputs[0].bytes);
}

TEST_F(PlacementTest, AnotherLayoutIsPackedAnew) {
  widen(wide().inputs[0]);
  files.content.functions[0].steps[1].target = "wide";
  auto executor = make();
  set(*executor, 3);
  EXPECT_EQ(run(*executor, 4 * kBytes, 2 * kBytes), filled(15));
}

TEST_F(PlacementTest, InputsThatStayAreNotPackedAgain) {
  auto executor = make();
  set(*executor, 3);
  run(*executor, 2 * kBytes, 2 * kBytes);
  EXPECT_EQ(run(*executor, kBytes, kBytes), filled(15));
  set(*executor, 4);
  EXPECT_EQ(run(*executor, 2 * kBytes, 2 * kBytes), filled(19));
  // Who has the address may write at any time.
  auto *data = static_cast<float *>(*executor->inputData(0));
  run(*executor, 2 * kBytes, 2 * kBytes);
  std::fill(data, data + kElements, 5.0f);
  EXPECT_EQ(run(*executor, 2 * kBytes, 2 * kBytes), filled(23));
  set(*executor, 6);
  run(*executor, 2 * kBytes, 2 * kBytes);
  std::fill(data, data + kElements, 7.0f);
  EXPECT_EQ(run(*executor, 2 * kBytes, 2 * kBytes), filled(31));
}

TEST_F(PlacementTest, BoundInputsAndOutputs) {
  alignas(64) static float in[kElements], out[kElements];
  auto executor = make();
  ASSERT_TRUE(executor->bindInput(0, in, kBytes).ok());
  ASSERT_TRUE(executor->bindOutput(0, out, kBytes).ok());
  for (float value : {1.0f, 2.0f}) {
    std::fill(in, in + kElements, value);
    run(*executor, 2 * kBytes, 2 * kBytes);
    EXPECT_EQ(out[kElements - 1], 4 * value + 3);
  }
  ASSERT_TRUE(executor->bindInput(0, nullptr, 0).ok());
  set(*executor, 3);
  run(*executor, 2 * kBytes, 2 * kBytes);
  EXPECT_EQ(run(*executor, kBytes, kBytes), filled(15));
  EXPECT_EQ(out[0], 15);
}

// The first program's output is beyond fp16, and so the second's input.
TEST_F(PlacementTest, OverflowsAreSeenInSurfaces) {
  auto executor = make();
  set(*executor, 40000);
  ASSERT_TRUE(executor->run().ok());
  auto *data = static_cast<const float *>(executor->outputs()[0].data);
  EXPECT_EQ(Floats(data, data + kElements), filled(160003));
  ASSERT_EQ(executor->events().size(), 2u);
  EXPECT_EQ(executor->events()[0].reason, "output y is not finite, though all inputs are");
  EXPECT_EQ(executor->events()[1].reason,
            "input x has values beyond 65504, the largest of fp16: they are from 80001 to 80001");
  EXPECT_EQ(executor->profile()[1].device, "cpu");
  EXPECT_EQ(executor->events()[0].runs, 1);
  // The next run begins anew, and looks at y, too.
  set(*executor, 3);
  EXPECT_EQ(run(*executor, 2 * kBytes, 3 * kBytes), filled(15));
  EXPECT_EQ(executor->profile()[1].device, "emulator");
  // Where values stay, infinity goes on to the next program.
  auto report = make(NumericPolicy::Report);
  set(*report, 40000);
  ASSERT_TRUE(report->run().ok());
  EXPECT_EQ(static_cast<const float *>(report->outputs()[0].data)[0], std::numeric_limits<float>::infinity());
}

TEST_F(PlacementTest, InfiniteElementsAreClampedAtBorders) {
  auto executor = make(NumericPolicy::Clamp);
  set(*executor, 3);
  EXPECT_EQ(run(*executor, 2 * kBytes, 3 * kBytes), filled(15));
  EXPECT_EQ(executor->copies().totalClamped, 0);
  // 80,001 and then 2 * 65,504 + 1.
  set(*executor, 40000);
  EXPECT_EQ(run(*executor, 2 * kBytes, 3 * kBytes), filled(65504));
  EXPECT_EQ(executor->copies().totalClamped, 2 * kElements);
  // Already the input, and only while it is new there.
  set(*executor, -1e6);
  EXPECT_EQ(run(*executor, 2 * kBytes, 3 * kBytes), filled(-65504));
  EXPECT_EQ(executor->copies().totalClamped, 5 * kElements);
  EXPECT_EQ(run(*executor, kBytes, 2 * kBytes), filled(-65504));
  EXPECT_EQ(executor->copies().totalClamped, 7 * kElements);
  set(*executor, std::numeric_limits<float>::quiet_NaN());
  ASSERT_TRUE(executor->run().ok());
  EXPECT_TRUE(std::isnan(static_cast<const float *>(executor->outputs()[0].data)[0]));
  EXPECT_EQ(executor->copies().totalClamped, 7 * kElements);
  EXPECT_TRUE(executor->events().empty());
}

TEST_F(PlacementTest, AStateStaysInItsSurface) {
  manifest::Manifest &m = files.content;
  m.states = {{"x", m.tensors[0].type}};
  m.functions = {{"main", {}, {{"z", 2}}, {affine(0, 1), affine(0, 2)}, {{0, 0, 1}}}};
  auto executor = make();
  auto state = [&](const Executor &of) {
    Floats values(kElements);
    EXPECT_TRUE(of.states().read(0, values.data(), kBytes).ok());
    return values;
  };
  // The first value goes in. Later ones are in the surface of the program that wrote them.
  EXPECT_EQ(run(*executor, 3 * kBytes, 3 * kBytes), filled(1));
  for (float value : {3.0f, 7.0f, 15.0f}) {
    EXPECT_EQ(run(*executor, 2 * kBytes, 2 * kBytes), filled(value));
    EXPECT_EQ(state(*executor), filled(value));
  }
  auto fork = executor->fork();
  ASSERT_TRUE(fork.ok());
  EXPECT_EQ(run(**fork, 3 * kBytes, 3 * kBytes), filled(31));
  EXPECT_EQ(run(*executor, 2 * kBytes, 2 * kBytes), filled(31));
  ASSERT_TRUE(executor->states().write(0, filled(-1).data(), kBytes).ok());
  EXPECT_EQ(run(*executor, 3 * kBytes, 3 * kBytes), filled(-1));
  // Another function of the session changes it, in the same surfaces.
  const int64_t used = context->surfaceUse().used;
  auto shared = executor->share("main");
  ASSERT_TRUE(shared.ok() && executor->states().write(0, filled(2).data(), kBytes).ok());
  EXPECT_EQ(context->surfaceUse().used, used + 1); // of z
  EXPECT_EQ(run(**shared, 3 * kBytes, 3 * kBytes), filled(5));
  EXPECT_EQ(run(*executor, 2 * kBytes, 2 * kBytes), filled(11));
  EXPECT_EQ(run(**shared, 2 * kBytes, 2 * kBytes), filled(23));
  ASSERT_TRUE(executor->resetStates().ok());
  EXPECT_EQ(run(*executor, 3 * kBytes, 3 * kBytes), filled(1));
}

/// Functions that replace an entry of a state and compute with it, in two layouts.
class EntriesTest : public PlacementTest {
protected:
  static constexpr int64_t kEntryBytes = kBytes / kIds;
  EntriesTest() {
    manifest::Manifest &m = files.content;
    widen(wide().inputs[0]);
    const manifest::TensorType all = m.tensors[0].type, entry = {ElementType::Float32, {1, 1, kColumns}};
    m.tensors = {{"x", all}, {"x updated", all}, {"new", entry}, {"at", {ElementType::Int32, {}}}, {"y", all}};
    m.states = {{"x", all}};
    const Step update{Step::Kind::Update, "x", {2, 3}, {1}, "", 1};
    Step program = affine(1, 4);
    m.functions = {{"main", {{"new", 2}, {"at", 3}}, {{"y", 4}}, {update, program}, {{0, 0, 1}}}};
    m.functions.push_back(m.functions[0]);
    m.functions[1].name = "other";
    m.functions[1].steps[1].target = "wide";
  }
  /// Puts `value` at entry `at`; all entries of the output.
  static Floats put(Executor &executor, float value, int32_t at, int64_t copied) {
    const Floats entry(kColumns, value);
    EXPECT_TRUE(executor.setInput(0, entry.data(), kEntryBytes).ok());
    EXPECT_TRUE(executor.setInput(1, &at, sizeof at).ok());
    const Floats all = run(executor, copied + kBytes, copied + kBytes); // and the output
    Floats firsts;
    for (size_t i = 0; i < all.size(); i += kColumns)
      firsts.push_back(all[i]);
    return firsts;
  }
};

TEST_F(EntriesTest, GoAloneIntoTheSurfacesOfAllFunctions) {
  auto executor = make();
  auto other = executor->share("other");
  ASSERT_TRUE(other.ok()) << other.status();
  put(*executor, 0, 0, kBytes);
  put(**other, 0, 0, kBytes);
  // What a function has missed it gets when it runs.
  EXPECT_EQ(put(*executor, 1, 1, 2 * kEntryBytes), (Floats{1, 3, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(put(*executor, 2, 2, kEntryBytes), (Floats{1, 3, 5, 1, 1, 1, 1, 1}));
  EXPECT_EQ(put(**other, 3, 3, 3 * kEntryBytes), (Floats{1, 3, 5, 7, 1, 1, 1, 1}));
  EXPECT_EQ(put(*executor, 4, 4, 2 * kEntryBytes), (Floats{1, 3, 5, 7, 9, 1, 1, 1}));
  // More than there is goes as a whole.
  for (int i = 0; i < kIds; ++i)
    put(*executor, 5, 5, kEntryBytes);
  EXPECT_EQ(put(**other, 6, 6, kBytes), (Floats{1, 3, 5, 7, 9, 11, 13, 1}));
}

// The run begins anew to look where infinity comes from, and so does the update.
TEST_F(EntriesTest, AreReplacedOnceInARunThatBeginsAnew) {
  manifest::Manifest &m = files.content;
  m.tensors.push_back({"z", m.tensors[0].type});
  m.functions[0].outputs = {{"z", 5}};
  m.functions[0].steps.push_back(affine(4, 5));
  auto executor = make();
  const Floats large(kColumns, 40000);
  const int32_t at = 2;
  ASSERT_TRUE(executor->setInput(0, large.data(), kEntryBytes).ok() && executor->setInput(1, &at, sizeof at).ok());
  ASSERT_TRUE(executor->run().ok());
  auto *z = static_cast<const float *>(executor->outputs()[0].data);
  EXPECT_EQ(z[0], 3);
  EXPECT_EQ(z[2 * kColumns], 160003);
  EXPECT_EQ(executor->copies().lastStateBytes, 2 * kEntryBytes);
  Floats state(kElements);
  ASSERT_TRUE(executor->states().read(0, state.data(), kBytes).ok());
  for (int i = 0; i < kElements; ++i)
    EXPECT_EQ(state[i], i / kColumns == 2 ? 40000 : 0);
  ASSERT_EQ(executor->events().size(), 2u);
  EXPECT_EQ(executor->events()[0].runs, 1);
}

// A surface that one function has looked at is another's, which asks for more.
TEST_F(EntriesTest, AreLookedAtForWhatEachFunctionAsks) {
  manifest::Manifest &m = files.content;
  manifest::Program exact = m.programs[0];
  exact.name = "exact";
  exact.procedures[0].inputs[0].holds = {{{}, {}, true}};
  m.programs.push_back(exact);
  m.functions[1].steps[1].target = "exact";
  auto executor = make();
  put(*executor, 0.1f, 0, kBytes); // none of fp16's numbers
  auto other = executor->share("other");
  ASSERT_TRUE(other.ok()) << other.status();
  const Floats entry(kColumns, 0.5f);
  const int32_t at = 1;
  ASSERT_TRUE((*other)->setInput(0, entry.data(), kEntryBytes).ok() && (*other)->setInput(1, &at, sizeof at).ok());
  ASSERT_TRUE((*other)->run().ok());
  ASSERT_EQ((*other)->events().size(), 1u);
  EXPECT_EQ((*other)->profile()[1].device, "cpu");
}

TEST_F(EntriesTest, OfAnotherSessionGoAlone) {
  auto executor = make(), source = make();
  for (int i = 0; i < kIds; ++i)
    put(*source, float(i), i, i == 0 ? kBytes : kEntryBytes);
  put(*executor, 0, 0, kBytes);
  ASSERT_EQ(*executor->states().take(source->states(), 3), 3 * kEntryBytes);
  EXPECT_EQ(put(*executor, 9, 7, 4 * kEntryBytes), (Floats{1, 3, 5, 1, 1, 1, 1, 19}));
  executor->states().place(0, source->states().all()[0], 1, 4, 2);
  EXPECT_EQ(put(*executor, 9, 6, 3 * kEntryBytes), (Floats{1, 3, 5, 1, 1, 3, 19, 19}));
}

TEST_F(PlacementTest, SurfacesGoFromSessionToSession) {
  SurfaceUse &use = context->surfaceUse();
  auto first = make();
  const int64_t bytes = files.content.programs[0].procedures[0].inputs[0].bytes;
  EXPECT_EQ(use.usedBytes, 3 * bytes);
  auto second = make();
  EXPECT_EQ(use.allocations, 6);
  first.reset();
  EXPECT_EQ(use.used, 3);
  EXPECT_EQ(use.idleBytes, 3 * bytes);
  first = make();
  EXPECT_EQ(use.allocations, 6);
  EXPECT_EQ(use.handedOut, 9);
  EXPECT_EQ(use.idleBytes, 0);
  set(*first, 3);
  EXPECT_EQ(run(*first, 2 * kBytes, 2 * kBytes), filled(15));
  // Kept as long as they fit, and as there is a bundle of the device.
  use.limit = bytes;
  first.reset();
  EXPECT_EQ(use.idleBytes, bytes);
  second.reset();
  EXPECT_EQ(use.idleBytes, 0);
  EXPECT_EQ(use.used, 0);
}

TEST(SurfacePool, HandsOutZeros) {
  struct Plain final : Device {
    std::string_view name() const override { return "plain"; }
    absl::StatusOr<std::unique_ptr<DeviceProgram>> create(const ProgramDesc &) override {
      return absl::UnimplementedError("");
    }
  };
  SurfaceUse use;
  auto pool = std::make_shared<SurfacePool>(std::make_shared<Plain>(), use);
  SurfaceDesc desc = makeSurfaceDesc("x", ElementType::Float16, {1, 8, 1, 64});
  auto surface = *SurfacePool::take(pool, desc);
  Surface *address = surface.get();
  std::memset(surface->map(Access::Write)->data(), 1, static_cast<size_t>(surface->bytes()));
  surface.reset();
  surface = *SurfacePool::take(pool, desc);
  EXPECT_EQ(surface.get(), address);
  {
    auto mapped = *surface->map(Access::Read);
    EXPECT_TRUE(std::all_of(mapped.data(), mapped.data() + surface->bytes(), [](uint8_t byte) { return byte == 0; }));
  }
  desc.bytes += 64;
  EXPECT_NE(SurfacePool::take(pool, desc)->get(), address);
}

} // namespace
