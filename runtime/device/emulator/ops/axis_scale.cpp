//===- axis_scale.cpp - One scale per tensor or per index of an axis ------===//

#include "runtime/device/emulator/ops/axis_scale.h"

namespace ane::rt::emulator {

AxisScale readAxisScale(OpArgs &args, const Operand &x, const Operand &scale, const Operand &zero, AxisRule rule) {
  AxisScale result;
  if (!args.ok())
    return result;
  result.scaleIsVector = scale.type.rank() == 1;
  result.zeroIsVector = zero.present() && zero.type.rank() == 1;
  bool vector = result.scaleIsVector || result.zeroIsVector;
  args.require(scale.type.rank() <= 1 && (!zero.present() || zero.type.rank() <= 1),
               "'scale' and 'zero_point' must be scalars or vectors");
  if (rule == AxisRule::WithVector)
    args.require(vector || !args.has("axis"), "argument 'axis' goes with a vector of scales only");
  if (!args.ok())
    return result;
  result.inner = x.type.size();
  if (!vector && rule == AxisRule::WithVector)
    return result;
  int64_t axis = args.axis("axis", x.type.rank());
  if (!args.ok() || !vector)
    return result;
  size_t at = static_cast<size_t>(axis);
  result.outer = product(x.type.shape, 0, at);
  result.size = x.type.shape[at];
  result.inner = product(x.type.shape, at + 1, x.type.shape.size());
  for (auto [name, operand, isVector] :
       {std::tuple("scale", scale, result.scaleIsVector), {"zero_point", zero, result.zeroIsVector}})
    if (isVector && operand.type.shape[0] != result.size)
      args.argumentError(name, "has ", operand.type.shape[0], " elements; axis ", axis, " has ", result.size);
  return result;
}

} // namespace ane::rt::emulator
