//===- Registration.cpp - the rules of all families -----------------------===//

#include "Rules.h"

using namespace mlir;
using namespace mlir::ane;

#include "ane/Autodiff/AutodiffInterfaces.cpp.inc"

void mlir::ane::registerGradients(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, ANEDialect *) {
    attachActivationRules(context);
    attachAttentionRules(context);
    attachConvRules(context);
    attachElementwiseRules(context);
    attachGatherRules(context);
    attachImageRules(context);
    attachLinearRules(context);
    attachNormRules(context);
    attachPoolRules(context);
    attachRecurrentRules(context);
    attachReduceRules(context);
    attachRefusals(context);
    attachShapeRules(context);
  });
}
