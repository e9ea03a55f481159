//===- MeaningTest.cpp - what the records say of element-wise ops ----------===//
//
// For every op of the dialect: test_every_meaning.py has the values.
//
//===----------------------------------------------------------------------===//

#include "ane/IR/ANE.h"
#include "ane/IR/FloatRange.h"
#include "lib/IR/ElementMeaning.h"
#include "mlir/IR/BuiltinOps.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::ane;

namespace {
struct MeaningTest : testing::Test {
  MeaningTest() : builder(&context) {
    context.loadDialect<ANEDialect>();
    module = ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
  }

  /// An op on scalars of fp32, with numbers for its parameters; null if it takes no floats.
  Operation *make(RegisteredOperationName name, unsigned count) {
    auto type = RankedTensorType::get({}, builder.getF32Type());
    OperationState state(builder.getUnknownLoc(), name);
    auto zero = DenseElementsAttr::get(type, 0.0f);
    for (unsigned i = 0; i < count; ++i)
      state.addOperands(Value(builder.create<ConstOp>(builder.getUnknownLoc(), zero)));
    double value = 0.5;
    for (StringAttr attribute : name.getAttributeNames())
      if (attribute != "mode")
        state.addAttribute(attribute, builder.getF64FloatAttr(value *= 2)); // alpha below beta
    SmallVector<Type> types{type};
    state.addTypes(types);
    return Operation::create(state);
  }

  MLIRContext context;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
};

TEST_F(MeaningTest, EveryElementwiseOpHasOne) {
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    if (!name.hasTrait<BroadcastElementwise>() || name.getStringRef() == "ane.cast" ||
        name.getStringRef() == "ane.select")
      continue;
    EXPECT_TRUE(elementMeanings().contains(name.getTypeID())) << name.getStringRef().str();
  }
}

TEST_F(MeaningTest, RangesHoldEveryValue) {
  const float values[] = {0,    -0.0, 0.5,   -0.5, 1,     -1,    1.5,   2.5,  -2.5,  7,        0.1,
                          -0.3, 100,  -100., 1e-8, -1e-8, 65504, 70000, 3e38, -3e38, INFINITY, -INFINITY};
  int checked = 0;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    auto meaning = elementMeanings().find(name.getTypeID());
    if (meaning == elementMeanings().end() || !meaning->second.floats || !name.hasInterface<ValueRangeOpInterface>())
      continue;
    unsigned count = 1;
    for (StringRef binary : {"add", "sub", "mul", "real_div", "maximum", "minimum"})
      if (name.getStringRef() == ("ane." + binary).str())
        count = 2;
    Operation *op = make(name, count);
    for (float x : values)
      for (float y : values) {
        const double operands[] = {x, y};
        double result = meaning->second.floats(op, ArrayRef(operands).take_front(count));
        const FloatRange ranges[] = {FloatRange::of(x), FloatRange::of(y)};
        cast<ValueRangeOpInterface>(op).inferResultRanges(
            ArrayRef(ranges).take_front(count), [&](Value, FloatRange range) {
              // Bounds are those of exact arithmetic, results are in fp32.
              double slack = std::isinf(result) ? 0 : 1e-7 * std::abs(result) + 2e-45, largest = 3.4e38;
              bool overflows = std::isinf(result) && std::max(std::abs(range.low), std::abs(range.high)) > largest;
              EXPECT_TRUE(std::isnan(result) || overflows ||
                          (result >= range.low - slack && result <= range.high + slack) || std::isnan(range.low) ||
                          std::isnan(range.high))
                  << name.getStringRef().str() << " of " << x << " and " << y << " is " << result << ", not from "
                  << range.low << " to " << range.high;
              ++checked;
            });
      }
    op->destroy();
  }
  EXPECT_GT(checked, 5000);
}
} // namespace
