//===- Predict.cpp - times by published speeds ----------------------------===//

#include "Predict.h"
#include "ane/Constraint/TargetEnv.h"
#include <algorithm>

using namespace mlir;
using namespace mlir::ane;

std::optional<double> Prediction::total() const {
  if (!dispatch || !weights || !arithmetic)
    return std::nullopt;
  return *dispatch + std::max(*weights, *arithmetic);
}

Prediction mlir::ane::predict(const ReportedFunction &function, StringRef chip) {
  const ChipInfo *record = llvm::find_if(allChips(), [&](const ChipInfo &info) { return info.target == chip; });
  auto number = [&](Fact fact, auto &&time) -> std::optional<double> {
    std::optional<long long> value = record == allChips().end() ? std::nullopt : factOf(fact, *record);
    return value ? std::optional(time(double(*value))) : std::nullopt;
  };
  return {chip.str(), number(Fact::DispatchTime, [&](double us) { return double(function.evaluations) * us / 1e3; }),
          number(Fact::WeightStream, [&](double mbPerS) { return double(function.weightBytes) / (mbPerS * 1e3); }),
          number(Fact::ProductPeak, [&](double gflops) { return double(function.engineFlops) / (gflops * 1e6); })};
}
