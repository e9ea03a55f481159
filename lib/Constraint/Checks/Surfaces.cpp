//===- Surfaces.cpp - checks on inputs and outputs of programs ------------===//

#include "../ProgramView.h"

using namespace mlir;
using namespace mlir::ane;

using Port = ProgramView::Port;

/// The surface's bytes; 0 where none is assigned yet.
static int64_t surfaceBytes(const Port &port) { return port.surface ? port.surface.getBytes() : 0; }

static std::optional<Finding> uniform(ArrayRef<Port> ports) {
  for (const Port &port : ports.drop_front(ports.empty() ? 0 : 1))
    if (surfaceBytes(port) != surfaceBytes(ports.front()))
      return Finding{"surface of " + port.subject(), std::to_string(surfaceBytes(port)) + " bytes",
                     "the " + std::to_string(surfaceBytes(ports.front())) + " of " + ports.front().subject()};
  return std::nullopt;
}

static std::optional<Finding> ascending(ArrayRef<Port> ports) {
  for (auto [before, port] : llvm::zip(ports.drop_back(ports.empty() ? 0 : 1), ports.drop_front(ports.empty() ? 0 : 1)))
    if (before.name >= port.name)
      return Finding{port.subject(), "declared after " + before.subject(), "before it in the order of names"};
  return std::nullopt;
}

namespace mlir::ane {

std::optional<Finding> checkInputSizes(Operation *op, const TargetEnv &) { return uniform(ProgramView(op).inputs()); }
std::optional<Finding> checkOutputSizes(Operation *op, const TargetEnv &) { return uniform(ProgramView(op).outputs()); }
std::optional<Finding> checkInputOrder(Operation *op, const TargetEnv &) { return ascending(ProgramView(op).inputs()); }
std::optional<Finding> checkOutputOrder(Operation *op, const TargetEnv &) {
  return ascending(ProgramView(op).outputs());
}

std::optional<Finding> checkMinimumSurface(Operation *op, const TargetEnv &env) {
  int64_t minimum = env.limit(Limit::MinSurfaceBytes);
  for (const Port &port : ProgramView(op).ports())
    if (surfaceBytes(port) < minimum)
      return Finding{"surface of " + port.subject(), std::to_string(surfaceBytes(port)) + " bytes",
                     "at least " + std::to_string(minimum)};
  return std::nullopt;
}

std::optional<Finding> checkSurfaceAlignment(Operation *op, const TargetEnv &env) {
  int64_t unit = env.limit(Limit::SurfaceAlignment);
  for (const Port &port : ProgramView(op).ports())
    if (surfaceBytes(port) % unit != 0)
      return Finding{"surface of " + port.subject(), std::to_string(surfaceBytes(port)) + " bytes",
                     "a multiple of " + std::to_string(unit)};
  return std::nullopt;
}

std::optional<Finding> checkPackedSurfaces(Operation *op, const TargetEnv &env) {
  int64_t unit = env.limit(Limit::RowBytes);
  for (const Port &port : ProgramView(op).ports())
    if (port.surface && port.surface.getBytes() > port.tensorBytes() &&
        (port.rowBytes() % unit != 0 || port.surface.getRowStride() != port.rowBytes()))
      return Finding{port.subject(),
                     "rows of " + std::to_string(port.rowBytes()) + " bytes, " +
                         std::to_string(port.surface.getRowStride()) + " apart",
                     "rows of whole " + std::to_string(unit) + "-byte units, without gaps"};
  return std::nullopt;
}

std::optional<Finding> checkRowBytes(Operation *op, const TargetEnv &env) {
  int64_t unit = env.limit(Limit::RowBytes);
  for (const Port &port : ProgramView(op).ports())
    if (port.rowBytes() % unit != 0)
      return Finding{"row of " + port.subject(), std::to_string(port.rowBytes()) + " bytes",
                     "a multiple of " + std::to_string(unit)};
  return std::nullopt;
}

std::optional<Finding> checkLanes(Operation *op, const TargetEnv &env) {
  int64_t lanes = env.limit(Limit::Lanes);
  for (const Port &port : ProgramView(op).ports()) {
    int64_t width = port.type.getRank() ? port.type.getShape().back() : 1;
    if (width < lanes)
      return Finding{"last axis of " + port.subject(), std::to_string(width), "at least " + std::to_string(lanes)};
  }
  return std::nullopt;
}

std::optional<Finding> checkSlotOrder(Operation *op, const TargetEnv &) {
  ProgramView program(op);
  auto ordered = [](ArrayRef<Port> ports, StringRef must, auto outOfOrder) -> std::optional<Finding> {
    for (size_t i = 1; i < ports.size(); ++i)
      if (outOfOrder(surfaceBytes(ports[i - 1]), surfaceBytes(ports[i])))
        return Finding{"surface of " + ports[i].subject(), std::to_string(surfaceBytes(ports[i])) + " bytes",
                       (must + " the " + Twine(surfaceBytes(ports[i - 1])) + " of " + ports[i - 1].subject()).str()};
    return std::nullopt;
  };
  if (auto finding = ordered(program.inputs(), "at least", [](int64_t a, int64_t b) { return b < a; }))
    return finding;
  return ordered(program.outputs(), "at most", [](int64_t a, int64_t b) { return b > a; });
}

} // namespace mlir::ane
