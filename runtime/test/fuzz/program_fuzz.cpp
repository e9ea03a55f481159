// Any program is refused or runs on the emulator, plain and with what the engine makes of misuse.
#include "runtime/device/emulator/faithful.h"
#include "runtime/device/emulator/program.h"
#include "runtime/format/mil/parser.h"
#include "runtime/test/fuzz/mil_input.h"

#include <limits>
#include <numeric>

using namespace ane::rt;
using namespace ane::rt::emulator;

namespace {

/// Every element of the outputs, so that a sanitizer sees memory that is not there.
volatile uint32_t sink;

/// Numbers that are in range, at its edges and far outside.
void fill(Program &program, Program::Memory &values) {
  constexpr float kFloats[] = {1, -2, 0, 1e30f, std::numeric_limits<float>::quiet_NaN(), 3};
  constexpr int32_t kInts[] = {0, 1, 2, -1, std::numeric_limits<int32_t>::min(), 3};
  for (size_t i = 0; i < program.inputs().size(); ++i) {
    const TensorType &type = program.inputs()[i].type;
    void *memory = program.input(values, i);
    for (int64_t k = 0; memory && k < type.size(); ++k)
      if (heldAsFloat(type.element))
        static_cast<float *>(memory)[k] = kFloats[static_cast<size_t>(k) % std::size(kFloats)];
      else
        static_cast<int32_t *>(memory)[k] = kInts[static_cast<size_t>(k) % std::size(kInts)];
    if (memory)
      storeAs(type, memory);
  }
}

void run(const mil::Program &tree, const std::string &function, const ConstantOptions &constants,
         const NumericModel &numerics) {
  const Limits limits{int64_t(16) << 20, int64_t(1) << 20};
  auto program = Program::load(tree, function, "fuzz.mil", constants, numerics, limits);
  if (!program.ok())
    return;
  std::unique_ptr<Program::Memory> memory = (*program)->takeMemory();
  fill(**program, *memory);
  if (!(*program)->run(*memory).ok())
    return;
  uint32_t sum = 0;
  for (size_t i = 0; i < (*program)->outputs().size(); ++i) {
    auto *words = static_cast<const uint32_t *>((*program)->output(*memory, i));
    sum = std::accumulate(words, words + (*program)->outputs()[i].type.size(), sum);
  }
  sink = sum;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MilInput input(data, size);
  absl::StatusOr<mil::Program> tree = mil::parse(input.text);
  if (!tree.ok())
    return 0;
  const Folder folder = *Folder::open(input.modelDir);
  static const lint::Target target = *lint::Target::parse({"m1", "in_memory", "27", ""});
  for (const mil::Function &function : tree->functions) {
    ConstantOptions constants;
    constants.folder = &folder;
    constants.wideBytes = 64;
    run(*tree, function.name, constants, NumericModel::plain());
    lint::LintOptions options;
    options.procedures = {{function.name}};
    options.folder = &folder;
    options.measuredOnly = true;
    Behaviour behaviour = behaviourOf(lint::lint(*tree, target, options), target);
    constants.strictBlobs = false;
    constants.readWrongBytes = true;
    run(*tree, function.name, constants, behaviour.numerics);
  }
  return 0;
}
