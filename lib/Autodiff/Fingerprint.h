//===- Fingerprint.h - what a model computes, in lines ---------*- C++ -*-===//
#ifndef ANE_LIB_AUTODIFF_FINGERPRINT_H
#define ANE_LIB_AUTODIFF_FINGERPRINT_H

#include "ane/IR/ANE.h"

namespace mlir::ane {

/// Lines that differ where two models of the same parameters compute otherwise: numbers of the configuration first,
/// then each kind of op with its attributes, constants with hashes of their elements, and how it is put together.
ArrayAttr fingerprintOf(ModuleOp module, func::FuncOp function);

} // namespace mlir::ane

#endif // ANE_LIB_AUTODIFF_FINGERPRINT_H
