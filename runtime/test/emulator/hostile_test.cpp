//===- hostile_test.cpp - No program breaks the emulator ------------------===//
//
// Every op with every argument and axis at the edges. Whatever the program, it
// is refused with one message or runs, within the limits on time and memory.
// The short form has limits that make it quick under sanitizers; ANE_FULL=1
// tries more programs against the real ones.
//
//===----------------------------------------------------------------------===//

#include "runtime/device/emulator/program.h"
#include "runtime/format/mil/parser.h"
#include "runtime/format/mil/printer.h"
#include "runtime/test/emulator/hostile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <set>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*)());

namespace ane::rt::emulator {
namespace {

mil::Program everyOp() {
  absl::StatusOr<mil::Program> program = mil::parseFile(ANE_EVERY_OP);
  EXPECT_TRUE(program.ok()) << program.status();
  return program.ok() ? *program : mil::Program();
}

mil::Program with(mil::Function function) {
  mil::Program program;
  program.version = "1.3";
  program.functions.push_back(std::move(function));
  return program;
}

/// The program that runs now, for a process that dies of it.
std::string current;

void showCurrent() {
  if (write(STDERR_FILENO, current.data(), current.size()) < 0)
    _exit(3);
}

void showOnDeath() {
  if (__sanitizer_set_death_callback)
    __sanitizer_set_death_callback(showCurrent);
  else
    for (int death : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL})
      std::signal(death, [](int number) {
        showCurrent();
        std::signal(number, SIG_DFL);
        std::raise(number);
      });
}

void fill(Program &program, Program::Memory &values, size_t pattern) {
  constexpr float kFloats[] = {
      0, 1, -1, 1e30f, -1e30f, 65504, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()};
  constexpr int32_t kInts[] = {
      0, 1, -1, 2, 127, std::numeric_limits<int32_t>::max(), std::numeric_limits<int32_t>::min()};
  for (size_t i = 0; i < program.inputs().size(); ++i) {
    const TensorType &type = program.inputs()[i].type;
    void *memory = program.input(values, i);
    for (int64_t k = 0; memory && k < type.size(); ++k) {
      size_t pick = pattern ? static_cast<size_t>(k) * 5 + pattern : 0;
      if (heldAsFloat(type.element))
        static_cast<float *>(memory)[k] = kFloats[pick % std::size(kFloats)];
      else
        static_cast<int32_t *>(memory)[k] = kInts[pick % std::size(kInts)];
    }
    if (memory)
      storeAs(type, memory);
  }
}

absl::Status loadAndRun(const mil::Program &made, const Limits &limits) {
  std::string text = mil::print(made);
  current = text;
  mil::ParseOptions options;
  options.fileName = "hostile.mil";
  absl::StatusOr<mil::Program> tree = mil::parse(text, options);
  if (!tree.ok())
    return tree.status();
  auto program = Program::load(*tree, tree->functions.front().name, "hostile.mil", {}, {}, limits);
  if (!program.ok())
    return program.status();
  absl::Status status;
  size_t patterns = (*program)->arenaBytes() < (1 << 24) ? 2 : 1;
  for (size_t pattern = 0; pattern < patterns && status.ok(); ++pattern) {
    std::unique_ptr<Program::Memory> memory = (*program)->takeMemory();
    fill(**program, *memory, pattern);
    status = (*program)->run(*memory);
    (*program)->giveBack(std::move(memory));
  }
  return status;
}

/// The most memory that this process has had.
int64_t peakMegabytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

class Hostile : public testing::Test {
protected:
  void SetUp() override { showOnDeath(); }

  /// Runs the function, or what is left of it with the types that its ops give.
  void attack(mil::Function function) {
    // Of the processor: other processes do not make a program slow.
    std::clock_t start = std::clock();
    absl::Status status = loadAndRun(with(function), limits);
    for (int round = 0; round < 3 && declareAsGiven(function, std::string(status.message())); ++round)
      status = loadAndRun(with(function), limits);
    double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    ++programs;
    ran += status.ok();
    slowest = std::max(slowest, seconds);
    EXPECT_LT(seconds, longest) << current;
    if (int64_t before = std::exchange(peak, peakMegabytes()); before < peak && !__sanitizer_set_death_callback)
      EXPECT_LT(peak, 2000) << current;
    if (!status.ok())
      EXPECT_NE(status.message().find("hostile.mil:"), absl::string_view::npos) << status << "\n" << current;
  }

  void TearDown() override {
    RecordProperty("programs", programs);
    RecordProperty("peak_megabytes", static_cast<int>(peakMegabytes()));
    std::printf("%d programs, %d of them ran; the slowest took %.2f s; peak %d MB\n", programs, ran, slowest,
                static_cast<int>(peakMegabytes()));
  }

  bool full = std::getenv("ANE_FULL") != nullptr;
  Limits limits;
  double longest = 10;
  int programs = 0, ran = 0;
  double slowest = 0;
  int64_t peak = peakMegabytes();
};

TEST(EveryOp, IsThereAndRuns) {
  std::set<std::string> ops;
  for (const mil::Function &function : everyOp().functions)
    if (function.name != "weights") {
      absl::Status status = loadAndRun(with(function), {});
      EXPECT_TRUE(status.ok() || absl::IsOutOfRange(status)) << function.name << ": " << status;
      for (const mil::Statement &statement : function.statements)
        ops.insert(statement.op);
    }
  for (const OpEntry *entry : allOps())
    EXPECT_TRUE(ops.count(std::string(entry->name))) << entry->name;
}

/// Each change by itself: in the short form every n-th.
TEST_F(Hostile, OneChange) {
  std::vector<int64_t> numbers = {0, 1, -1, int64_t(1) << 31, int64_t(1) << 62, (int64_t(1) << 31) - 1, 7};
  if (full)
    numbers.insert(numbers.end(), {-(int64_t(1) << 31), 1 << 10, 1 << 16, 1 << 26});
  // Under a sanitizer the largest programs would take minutes.
  if (!full || __sanitizer_set_death_callback)
    limits = {int64_t(64) << 20, int64_t(1) << 22};
  size_t step = full ? 1 : 3, at = 0;
  for (const mil::Function &function : everyOp().functions) {
    HostilePrograms hostile(function, numbers);
    for (; at < hostile.singles(); at += step)
      attack(hostile.single(at));
    at -= hostile.singles();
  }
  EXPECT_GE(programs, full ? 50000 : 10000);
}

TEST_F(Hostile, SeveralChanges) {
  std::vector<int64_t> numbers = {0, 1, -1, 2, 5, 300, (int64_t(1) << 31) - 1, int64_t(1) << 62};
  limits = {int64_t(64) << 20, int64_t(1) << 22};
  std::mt19937 random(11);
  for (const mil::Function &function : everyOp().functions) {
    HostilePrograms hostile(function, numbers);
    for (int i = 0, n = full ? 1000 : 40; i < n; ++i)
      attack(hostile.several(random));
  }
}

} // namespace
} // namespace ane::rt::emulator
