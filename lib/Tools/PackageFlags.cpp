//===- PackageFlags.cpp - flags of packages of Core ML --------------------===//

#include "PackageFlags.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ane;

/// Systems that came out together have one opset (coreml-mlprogram.md 1.2).
struct System {
  StringLiteral iOS, macOS;
  int64_t os;
  Opset opset;
};
static constexpr System systems[] = {{"ios16", "macos13", 13, Opset::ios16},
                                     {"ios17", "macos14", 14, Opset::ios17},
                                     {"ios18", "macos15", 15, Opset::ios18}};

std::string PackageFlags::take(const CompileFlags &flags) {
  if (flags.wantsTraining || !flags.adapters.empty())
    return "a package of Core ML runs a model: leave out --train and --lora";
  route = Route::CoreML;
  std::string wanted = flags.minimumOS.empty() ? "ios16" : llvm::StringRef(flags.minimumOS).lower();
  for (const System &system : systems)
    if (wanted == system.iOS || wanted == system.macOS) {
      opset = system.opset;
      if (!flags.minimumOS.empty())
        os = system.os;
    }
  if (!opset)
    return "no system '" + flags.minimumOS + "' (--minimum-os): iOS16 to iOS18, or macOS13 to macOS15";
  if (!flags.precision.empty() && flags.precision != "fp16" && flags.precision != "fp32")
    return "no precision '" + flags.precision + "' (--precision): fp16 or fp32";
  precision = flags.precision == "fp32" ? Precision::Single : Precision::Half;
  return "";
}

TargetAttr mlir::ane::withOpset(TargetAttr target, Opset opset) {
  return TargetAttr::get(target.getContext(), target.getChip(), target.getRoute(), target.getOs(), opset,
                         target.getStrictness());
}
