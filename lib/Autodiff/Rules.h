//===- Rules.h - attaching rules to ops ------------------------*- C++ -*-===//
//
// The rules of a family are the overloads of `apply` in one struct, which inherits from `RuleSet`:
//
//     struct TrigonometryRules : RuleSet {
//       static void apply(SinOp op, GradientBuilder &b) {
//         b.accumulate(op.getX(), b.mul(b.gradient(), b.make<CosOp>(op.getX())));
//       }
//     };
//     attachRules<TrigonometryRules, SinOp>(context);
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_AUTODIFF_RULES_H
#define ANE_LIB_AUTODIFF_RULES_H

#include "ane/Autodiff/Autodiff.h"
#include "ane/IR/Inference.h"

namespace mlir::ane {

struct RuleSet {
  /// Families overload this (and name it by `using`) for ops that can't be differentiated with some attributes, or for
  /// some operands.
  template <typename OpTy>
  static std::string whyNot(OpTy, IsActive) {
    return "";
  }
};

template <typename Rules, typename OpTy>
struct RuleModel : DifferentiableOpInterface::ExternalModel<RuleModel<Rules, OpTy>, OpTy> {
  static GradientKind getGradientKind() { return GradientKind::Rule; }
  static StringRef getRefusal() { return ""; }
  std::string whyNotDifferentiable(Operation *op, IsActive isActive) const {
    return Rules::whyNot(cast<OpTy>(op), isActive);
  }
  void addGradients(Operation *op, GradientBuilder &builder) const { Rules::apply(cast<OpTy>(op), builder); }
};

template <typename OpTy>
struct ConstantModel : DifferentiableOpInterface::ExternalModel<ConstantModel<OpTy>, OpTy> {
  static GradientKind getGradientKind() { return GradientKind::Constant; }
  static StringRef getRefusal() { return ""; }
  std::string whyNotDifferentiable(Operation *, IsActive) const { return ""; }
  void addGradients(Operation *, GradientBuilder &) const {}
};

template <typename Refusal, typename OpTy>
struct RefusedModel : DifferentiableOpInterface::ExternalModel<RefusedModel<Refusal, OpTy>, OpTy> {
  static GradientKind getGradientKind() { return GradientKind::Refused; }
  static StringRef getRefusal() { return Refusal::reason; }
  std::string whyNotDifferentiable(Operation *, IsActive) const { return Refusal::reason; }
  void addGradients(Operation *, GradientBuilder &) const { llvm_unreachable("refused before anything is built"); }
};

/// Gives each of the ops the rule of that family.
template <typename Rules, typename... Ops>
void attachRules(MLIRContext *context) {
  (Ops::template attachInterface<RuleModel<Rules, Ops>>(*context), ...);
}
/// Says of each of the ops that nothing flows back through it.
template <typename... Ops>
void attachConstant(MLIRContext *context) {
  (Ops::template attachInterface<ConstantModel<Ops>>(*context), ...);
}
/// Says of each of the ops that it can't be differentiated, for `Refusal::reason`.
template <typename Refusal, typename... Ops>
void attachRefused(MLIRContext *context) {
  (Ops::template attachInterface<RefusedModel<Refusal, Ops>>(*context), ...);
}

// One for each file of lib/Autodiff/Rules.
void attachActivationRules(MLIRContext *context);
void attachAttentionRules(MLIRContext *context);
void attachConvRules(MLIRContext *context);
void attachElementwiseRules(MLIRContext *context);
void attachGatherRules(MLIRContext *context);
void attachImageRules(MLIRContext *context);
void attachLinearRules(MLIRContext *context);
void attachNormRules(MLIRContext *context);
void attachPoolRules(MLIRContext *context);
void attachRecurrentRules(MLIRContext *context);
void attachReduceRules(MLIRContext *context);
void attachRefusals(MLIRContext *context);
void attachShapeRules(MLIRContext *context);

} // namespace mlir::ane

#endif // ANE_LIB_AUTODIFF_RULES_H
