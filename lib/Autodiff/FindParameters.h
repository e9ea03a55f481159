//===- FindParameters.h - what of a model is trained -----------*- C++ -*-===//
#ifndef ANE_LIB_AUTODIFF_FINDPARAMETERS_H
#define ANE_LIB_AUTODIFF_FINDPARAMETERS_H

#include "Names.h"

namespace mlir::ane {

/// Which of a function's weights are trained, and by which names.
struct ParameterChoice {
  std::map<std::string, SmallVector<Value>> trained; // the constants; others read nothing of them
  std::map<std::string, SmallVector<Value>>
      statistics;                 // running means and variances of batch norms that training moves
  std::vector<std::string> known; // all names that patterns may match
  std::vector<std::string> lost;  // parameters that the file lists, and has only in other constants
  SmallVector<StringAttr> folded; // such constants that are not trained
};

/// Parameters are what the model's file calls so (ane.parameters); where it does not say, the weights of layers, and
/// all of a language model. Patterns of `added` add to them, those of `frozen` take away; a name that `added` has
/// without a wildcard stays. Constants are cloned where only some of their readers are layers.
ParameterChoice findParameters(ModuleOp module, func::FuncOp function, NamePatterns &added, NamePatterns &frozen);

} // namespace mlir::ane

#endif // ANE_LIB_AUTODIFF_FINDPARAMETERS_H
