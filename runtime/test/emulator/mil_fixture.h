//===- mil_fixture.h - Runs a few statements of MIL on the emulator -------===//

#ifndef ANE_RUNTIME_TEST_EMULATOR_MIL_FIXTURE_H
#define ANE_RUNTIME_TEST_EMULATOR_MIL_FIXTURE_H

#include "absl/status/statusor.h"
#include "runtime/device/emulator/program.h"
#include "runtime/format/mil/parser.h"
#include "runtime/test/matchers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ane::rt::emulator {

/// One function `main`: fill in parameters and statements, run, read results.
class MilProgram {
public:
  MilProgram(const std::string &parameters, const std::string &statements, const std::string &results,
             const std::string &opset = "ios18")
      : text("program(1.3)\n[buildInfo = dict<string, string>({})]\n{\nfunc "
             "main<" +
             opset + ">(" + parameters + ") {\n" + statements + "\n} -> (" + results + ");\n}\n") {}

  ConstantOptions constants;
  NumericModel numerics;
  Limits limits;

  absl::Status load() {
    mil::ParseOptions options;
    options.fileName = "t.mil";
    auto tree = mil::parse(text, options);
    if (!tree.ok())
      return tree.status();
    auto loaded = Program::load(*tree, "main", "t.mil", constants, numerics, limits);
    if (!loaded.ok())
      return loaded.status();
    program = std::move(*loaded);
    return absl::OkStatus();
  }

  /// One vector per parameter, in order; integers are given as float, too.
  absl::Status run(const std::vector<std::vector<float>> &inputs = {}) {
    if (!program)
      if (absl::Status status = load(); !status.ok())
        return status;
    std::unique_ptr<Program::Memory> memory = program->takeMemory();
    for (size_t i = 0; i < inputs.size(); ++i) {
      const TensorType &type = program->inputs()[i].type;
      EXPECT_EQ(type.size(), static_cast<int64_t>(inputs[i].size()));
      void *elements = program->input(*memory, i);
      if (!elements)
        continue;
      for (size_t k = 0; k < inputs[i].size(); ++k)
        if (heldAsFloat(type.element))
          static_cast<float *>(elements)[k] = inputs[i][k];
        else
          static_cast<int32_t *>(elements)[k] = static_cast<int32_t>(inputs[i][k]);
    }
    absl::Status status = program->run(*memory);
    results.clear();
    for (size_t i = 0; i < program->outputs().size(); ++i)
      results.push_back(valuesOf(program->outputs()[i].type, program->output(*memory, i)));
    program->giveBack(std::move(memory));
    return status;
  }

  /// Of the last run.
  std::vector<float> result(size_t index = 0) const { return results[index]; }

  std::unique_ptr<Program> program;
  std::string text;

private:
  static std::vector<float> valuesOf(const TensorType &type, const void *elements) {
    std::vector<float> values;
    for (int64_t k = 0; k < type.size(); ++k)
      values.push_back(heldAsFloat(type.element) ? static_cast<const float *>(elements)[k]
                                                 : static_cast<float>(static_cast<const int32_t *>(elements)[k]));
    return values;
  }

  std::vector<std::vector<float>> results;
};

/// Runs statements whose result is `y`; the first result, or a test failure.
inline std::vector<float> runMilText(const std::string &parameters, const std::string &statements,
                                     const std::vector<std::vector<float>> &inputs = {},
                                     const std::string &opset = "ios18") {
  MilProgram program(parameters, statements, "y", opset);
  absl::Status status = program.run(inputs);
  EXPECT_TRUE(status.ok()) << status.message();
  return status.ok() ? program.result() : std::vector<float>();
}

/// The message with which loading fails.
inline std::string loadError(const std::string &parameters, const std::string &statements,
                             const std::string &opset = "ios18") {
  MilProgram program(parameters, statements, "y", opset);
  absl::Status status = program.load();
  EXPECT_FALSE(status.ok());
  return std::string(status.message());
}

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_TEST_EMULATOR_MIL_FIXTURE_H
