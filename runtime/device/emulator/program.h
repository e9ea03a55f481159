//===- program.h - One function of a MIL program, ready to run ------------===//
//
// Loading resolves names, decodes constants, lets every op check its arguments
// and infer its result types, compares those with the declared types, evaluates
// what is constant, drops what no output needs, and gives every remaining value
// a place in one block of memory that is shared by values that do not live at
// the same time. Running then only calls kernels.
//
//===----------------------------------------------------------------------===//

#ifndef ANE_RUNTIME_DEVICE_EMULATOR_PROGRAM_H
#define ANE_RUNTIME_DEVICE_EMULATOR_PROGRAM_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/device/device.h"
#include "runtime/device/emulator/constants.h"
#include "runtime/device/emulator/numeric_model.h"
#include "runtime/device/emulator/op_registry.h"
#include "runtime/format/mil/ast.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ane::rt::emulator {

/// A function parameter or result.
struct Port {
  std::string name;
  TensorType type;
};

class Program {
public:
  /// `source` is what messages call the text, a file name as a rule.
  static absl::StatusOr<std::unique_ptr<Program>> load(const mil::Program &program, const std::string &function,
                                                       const std::string &source, const ConstantOptions &constants,
                                                       const NumericModel &numerics, const Limits &limits = {});
  /// With constants that functions of one program share.
  static absl::StatusOr<std::unique_ptr<Program>> load(const mil::Program &program, const std::string &function,
                                                       const std::string &source, ConstantPool &constants,
                                                       const NumericModel &numerics, const Limits &limits);

  /// This program with other bytes in parts of the files that it has constants from, which `constants` has now; what
  /// has not changed is shared. fp16 elements that have changed are read from there at each use: what is written there
  /// later is seen. Unimplemented where an op has used what changed when it was loaded. If this one `ends`, the other
  /// gets its memory, which no kernel has to touch for the first time; then it must not run, whatever comes out.
  absl::StatusOr<std::unique_ptr<Program>> withWeights(absl::Span<const WeightRange> changed, ConstantOptions constants,
                                                       const Limits &limits, bool ends = false);

  const std::vector<Port> &inputs() const { return inputPorts; }
  const std::vector<Port> &outputs() const { return outputPorts; }

  /// The values of one run. Those of several runs at a time are apart.
  class Memory {
  private:
    friend class Program;
    Buffer arena;
    std::vector<void *> pointers; ///< of every value, for kernels
    Scratch scratch;
  };
  /// One that nobody uses, or a new one; to be given back.
  std::unique_ptr<Memory> takeMemory();
  void giveBack(std::unique_ptr<Memory> memory);

  /// Elements of an input to fill before `run`: float or int32_t (tensor.h).
  /// Null when no output depends on the input.
  void *input(Memory &memory, size_t index) const { return memory.pointers[index]; }
  /// Elements of an output after `run`.
  const void *output(const Memory &memory, size_t index) const {
    return memory.pointers[static_cast<size_t>(outputValues[index])];
  }
  /// From any thread, each with a memory of its own.
  absl::Status run(Memory &memory) const;

  /// Ops that run in one evaluation, and bytes of the block for their results.
  size_t steps() const { return schedule.size(); }
  int64_t arenaBytes() const { return arenaElements * 4; }
  /// That block and scratch memory.
  int64_t workingBytes() const { return (arenaElements + scratchElements) * 4; }

private:
  friend class ProgramLoader;
  struct Value {
    TensorType type;
    /// Known at load.
    std::shared_ptr<const Constant> constant;
    /// Index of the value whose memory this one shows; itself as a rule.
    int64_t root = 0;
    /// First element in the arena; -1 for constants and unused values.
    int64_t offset = -1;
    /// Where it is, in an arena.
    void *memory(float *arena) const;
  };
  struct Step {
    KernelFn kernel;
    std::vector<int64_t> results;
    bool exact = false;
  };

  std::vector<Port> inputPorts;
  std::vector<Port> outputPorts;
  std::vector<int64_t> outputValues;
  std::vector<Value> values; ///< the inputs first
  std::vector<Step> schedule;
  NumericModel numerics;
  int64_t arenaElements = 0;
  int64_t scratchElements = 0; ///< of the step that needs most
  void findPacked();
  std::vector<const uint16_t *> packed; ///< of constants that stay in their file
  std::mutex mutex;                     ///< of the next
  std::vector<std::unique_ptr<Memory>> idle;
};

/// Rounds fp16 results and wraps narrow integers, as storing them does.
void storeAs(const TensorType &type, void *elements);

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_PROGRAM_H
