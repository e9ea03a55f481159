//===- rules_surfaces.cpp - Names and memory of inputs and outputs --------===//

#include "runtime/lint/rules.h"

namespace ane::rt::lint {
namespace {

/// Where nothing is known of the allocation, the host that allocates can still
/// do it right: the finding is advice.
void advise(Diagnostic &diagnostic, const PortView &port) {
  if (port.surface)
    return;
  diagnostic.warning = true;
  absl::StrAppend(&diagnostic.actual, " unless it is padded");
}

void uniform(RuleContext &context, bool inputs) {
  std::vector<PortView> ports = context.ports(inputs);
  for (const PortView &port : ports) {
    if (port.bytes() == ports[0].bytes())
      continue;
    advise(context.reportPort(port, absl::StrCat("surface of ", port.subject()), absl::StrCat(port.bytes(), " bytes"),
                              absl::StrCat("the ", ports[0].bytes(), " of ", ports[0].subject())),
           port);
    return;
  }
}

void inputSizes(RuleContext &context) { uniform(context, true); }
void outputSizes(RuleContext &context) { uniform(context, false); }

void ascending(RuleContext &context, bool inputs) {
  std::vector<PortView> ports = context.ports(inputs);
  for (size_t i = 1; i < ports.size(); ++i) {
    if (ports[i - 1].name < ports[i].name)
      continue;
    context.reportPort(ports[i], ports[i].subject(), absl::StrCat("declared after ", ports[i - 1].subject()),
                       "before it in the order of names");
    return;
  }
}

void inputOrder(RuleContext &context) { ascending(context, true); }
void outputOrder(RuleContext &context) { ascending(context, false); }

void minimumSurface(RuleContext &context) {
  int64_t minimum = context.limit(Limit::MinSurfaceBytes);
  for (const PortView &port : context.ports())
    if (port.bytes() < minimum)
      advise(context.reportPort(port, absl::StrCat("surface of ", port.subject()), absl::StrCat(port.bytes(), " bytes"),
                                absl::StrCat("at least ", minimum)),
             port);
}

void surfaceAlignment(RuleContext &context) {
  int64_t unit = context.limit(Limit::SurfaceAlignment);
  for (const PortView &port : context.ports())
    if (port.bytes() % unit != 0)
      advise(context.reportPort(port, absl::StrCat("surface of ", port.subject()), absl::StrCat(port.bytes(), " bytes"),
                                absl::StrCat("a multiple of ", unit)),
             port);
}

/// Packed and padded rows must be the same bytes.
void packedSurfaces(RuleContext &context) {
  int64_t unit = context.limit(Limit::RowBytes);
  for (const PortView &port : context.ports()) {
    if (!port.surface)
      continue;
    int64_t row = rowBytes(port.type()), rows = surfaceRows(port.surface->shape);
    if (port.surface->bytes > rows * row && (row % unit != 0 || port.surface->rowStride != row))
      context.reportPort(port, port.subject(),
                         absl::StrCat("rows of ", row, " bytes, ", port.surface->rowStride, " apart"),
                         absl::StrCat("rows of whole ", unit, "-byte units, without gaps"));
  }
}

void checkRowBytes(RuleContext &context) {
  int64_t unit = context.limit(Limit::RowBytes);
  for (const PortView &port : context.ports())
    if (rowBytes(port.type()) % unit != 0)
      context.reportPort(port, absl::StrCat("row of ", port.subject()), absl::StrCat(rowBytes(port.type()), " bytes"),
                         absl::StrCat("a multiple of ", unit));
}

void lanes(RuleContext &context) {
  int64_t least = context.limit(Limit::Lanes);
  for (const PortView &port : context.ports()) {
    int64_t width = port.type().dims.empty() ? 1 : port.type().dims.back();
    if (width < least)
      context.reportPort(port, absl::StrCat("last axis of ", port.subject()), std::to_string(width),
                         absl::StrCat("at least ", least));
  }
}

void portTypes(RuleContext &context) {
  for (const PortView &port : context.ports())
    if (port.type().dtype != ElementType::Float16)
      context.reportPort(port, port.subject(), absl::StrCat("element type ", std::string(milName(port.type().dtype))),
                         "fp16");
}

/// Inputs ascend in size, outputs descend.
void slotOrder(RuleContext &context) {
  for (bool inputs : {true, false}) {
    std::vector<PortView> ports = context.ports(inputs);
    for (size_t i = 1; i < ports.size(); ++i) {
      int64_t before = ports[i - 1].bytes(), bytes = ports[i].bytes();
      if (inputs ? bytes >= before : bytes <= before)
        continue;
      advise(context.reportPort(ports[i], absl::StrCat("surface of ", ports[i].subject()),
                                absl::StrCat(bytes, " bytes"), absl::StrCat(inputs ? "at least " : "at most ", before)),
             ports[i]);
      break;
    }
  }
}

constexpr RuleEntry kRules[] = {{"checkInputSizes", inputSizes},
                                {"checkOutputSizes", outputSizes},
                                {"checkInputOrder", inputOrder},
                                {"checkOutputOrder", outputOrder},
                                {"checkMinimumSurface", minimumSurface},
                                {"checkPackedSurfaces", packedSurfaces},
                                {"checkRowBytes", checkRowBytes},
                                {"checkPortTypes", portTypes},
                                {"checkSlotOrder", slotOrder},
                                {"checkLanes", lanes},
                                {"checkSurfaceAlignment", surfaceAlignment}};

} // namespace

absl::Span<const RuleEntry> surfaceRules() { return kRules; }

} // namespace ane::rt::lint
