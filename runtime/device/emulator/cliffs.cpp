//===- cliffs.cpp - Values that the engine gets wrong ---------------------===//

#include "runtime/device/emulator/cliffs.h"

#include "runtime/device/emulator/ops/math.h"
#include "runtime/lint/records.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ane::rt::emulator {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// A number of the records.
float number(lint::Numeric which) { return static_cast<float>(lint::numericOf(which)); }

/// What the engine gives for one element, from the operand, the right result,
/// and the number of the record.
using Cliff = float (*)(float x, float right, float edge);

float softplusCliff(float x, float right, float edge) { return x >= edge ? 0 : right; }
float logCliff(float x, float right, float edge) { return x < edge ? -kInfinity : right; }
float rsqrtCliff(float x, float right, float edge) { return x < edge ? kInfinity : right; }
float roundCliff(float x, float right, float edge) {
  if (!(std::fabs(x) >= edge) || std::isinf(x))
    return right;
  // From 1024 on fp16 has no half-way cases, from 2048 on no odd integers.
  float sum = std::floor(std::fabs(x) + 0.5f);
  if (std::fabs(x) < 2 * edge)
    sum = std::fabs(x) + 1;
  return std::copysign(sum, x);
}
/// A table of values at equal distances, and lines between them.
float sigmoidTable(float x) {
  const float low = number(lint::Numeric::SigmoidTableLow), high = number(lint::Numeric::SigmoidTableHigh);
  const int parts = static_cast<int>(number(lint::Numeric::SigmoidTableKnots)) - 1;
  if (!(x > low))
    return 0;
  if (!(x < high))
    return 1;
  float step = (high - low) / static_cast<float>(parts), place = (x - low) / step;
  int part = std::min(static_cast<int>(place), parts - 1);
  float left = vsigmoid(low + step * static_cast<float>(part)),
        right = vsigmoid(low + step * static_cast<float>(part + 1));
  return left + (right - left) * (place - static_cast<float>(part));
}
float sigmoidCliff(float x, float, float) { return sigmoidTable(x); }
float siluCliff(float x, float, float) { return x * sigmoidTable(x); }
/// What is multiplied by 16 on its way, in a fixed-point format.
float fixedPoint(float value, float edge) { return std::fabs(value) > edge ? std::copysign(kInfinity, value) : value; }

struct CliffEntry {
  std::string_view op;
  std::string_view slug; ///< of the record
  Cliff cliff;
  lint::Numeric edge;
};

constexpr CliffEntry kCliffs[] = {
    {"softplus", "softplus-overflow", softplusCliff, lint::Numeric::SoftplusZero},
    {"softplus_parametric", "softplus-overflow", softplusCliff, lint::Numeric::SoftplusZero},
    {"log", "small-argument", logCliff, lint::Numeric::SmallestArgument},
    {"rsqrt", "small-argument", rsqrtCliff, lint::Numeric::SmallestArgument},
    {"sigmoid", "sigmoid-spelling", sigmoidCliff, lint::Numeric::SigmoidTableLow},
    {"silu", "sigmoid-spelling", siluCliff, lint::Numeric::SigmoidTableLow},
    {"round", "round-large", roundCliff, lint::Numeric::RoundMax},
};

const Operand *operandOf(const std::vector<Argument> &arguments, std::string_view name) {
  for (const Argument &argument : arguments)
    if (argument.name == name && !argument.operands.empty())
      return &argument.operands.front();
  return nullptr;
}

} // namespace

float garbage(size_t index) { return static_cast<float>(index * 2654435761u >> 16 & 0xFFF) - 2048; }

/// The kernel on a copy of its operand in which what exceeds the fixed-point
/// format is infinite.
static KernelFn withOverflow(const Operand &x, KernelFn kernel) {
  const float edge = number(lint::Numeric::SliceMax);
  return [=, kernel = std::move(kernel)](KernelContext &context) {
    // Kernels know where their operand is, so it changes for their time.
    int64_t count = x.type.size();
    float *values = const_cast<float *>(context.floats(x));
    float *right = context.scratchFloats(count);
    std::copy_n(values, count, right);
    for (int64_t i = 0; i < count; ++i)
      values[i] = fixedPoint(values[i], edge);
    absl::Status status = kernel(context);
    std::copy_n(right, count, values);
    return status;
  };
}

/// The kernel, followed by a fault of one of its results. Where it `copies`, what becomes of the operand shows in that
/// result alone.
static KernelFn withFault(NumericModel::Fault fault, const std::vector<Argument> &arguments, size_t result,
                          const TensorType &type, bool copies, KernelFn kernel) {
  using Fault = NumericModel::Fault;
  const int64_t count = type.size();
  if (!isFloat(type.element))
    return kernel;
  if (fault == Fault::OperandOverflows && !copies) {
    const Operand *x = operandOf(arguments, "x");
    return x && !x->constant && isFloat(x->type.element) ? withOverflow(*x, std::move(kernel)) : kernel;
  }
  Operand factor;
  for (const char *name : {"x", "y"})
    if (const Operand *operand = operandOf(arguments, name);
        operand && !operand->constant && operand->type.size() == count)
      factor = *operand;
  const float early = number(lint::Numeric::TransposedSumMax), largest = number(lint::Numeric::SliceMax);
  return [=, kernel = std::move(kernel)](KernelContext &context) {
    absl::Status status = kernel(context);
    float *out = context.outFloats(result);
    if (fault == Fault::OtherFactor && factor.present())
      std::copy_n(context.floats(factor), count, out);
    for (int64_t i = 0; i < count; ++i)
      if (fault == Fault::Zeros)
        out[i] = 0;
      else if (fault == Fault::Garbage)
        out[i] = garbage(static_cast<size_t>(i));
      else if (fault == Fault::OverflowsEarly && std::fabs(out[i]) >= early)
        out[i] = std::copysign(kInfinity, out[i]);
      else if (fault == Fault::OperandOverflows)
        out[i] = fixedPoint(out[i], largest);
    return status;
  };
}

KernelFn withCliffs(const mil::Statement &statement, const std::vector<Argument> &arguments,
                    absl::Span<const TensorType> results, bool copies, KernelFn kernel, const NumericModel &model) {
  bool faulty = false;
  for (size_t i = 0; i < results.size(); ++i)
    if (auto fault = model.faults.find(statement.results[i].name); fault != model.faults.end()) {
      kernel = withFault(fault->second, arguments, i, results[i], copies, std::move(kernel));
      faulty = true;
    }
  if (faulty)
    return kernel;
  const std::string &op = statement.op;
  const int64_t count = results[0].size();
  if (model.convIgnoresRuntimeWeight && (op == "conv" || op == "conv_transpose")) {
    const Operand *weight = operandOf(arguments, "weight");
    if (weight && !weight->constant)
      return [count](KernelContext &context) {
        // Nothing was loaded where the engine looks for the weight.
        std::fill_n(context.outFloats(), count, 0.0f);
        return absl::OkStatus();
      };
  }
  if (model.cliffs.empty())
    return kernel;
  const Operand *x = operandOf(arguments, "x");
  for (const CliffEntry &entry : kCliffs) {
    if (entry.op != op || !model.cliffs.count(std::string(entry.slug)) || !x || x->type.element != ElementType::Float16)
      continue;
    // What epsilon lifts over the edge is safe.
    float epsilon = 0;
    if (const Operand *e = operandOf(arguments, "epsilon"); e && e->constant)
      epsilon = *e->constant->floats();
    return [=, operand = *x, cliff = entry.cliff, edge = number(entry.edge),
            kernel = std::move(kernel)](KernelContext &context) {
      absl::Status status = kernel(context);
      if (!status.ok())
        return status;
      float *out = context.outFloats();
      const float *in = context.floats(operand);
      for (int64_t i = 0; i < count; ++i)
        out[i] = cliff(in[i] + epsilon, out[i], edge);
      return status;
    };
  }
  return kernel;
}

} // namespace ane::rt::emulator
