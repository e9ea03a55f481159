//===- RelayoutPatterns.h - how relayouts move -----------------*- C++ -*-===//
#ifndef ANE_LIB_TRANSFORMS_RELAYOUTPATTERNS_H
#define ANE_LIB_TRANSFORMS_RELAYOUTPATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::ane {

/// reshape, transpose, expand_dims and squeeze become `ane.relayout`.
void populateRaiseRelayoutPatterns(RewritePatternSet &patterns);

/// Relayouts compose, cancel, sink below element-wise ops, reductions, softmax and slices, and vanish into the flags of
/// matmul. Relayouts only ever sink, so that the patterns terminate.
void populateSinkRelayoutPatterns(RewritePatternSet &patterns);

/// `ane.relayout` becomes reshape and transpose again.
void populateLowerRelayoutPatterns(RewritePatternSet &patterns);

} // namespace mlir::ane

#endif // ANE_LIB_TRANSFORMS_RELAYOUTPATTERNS_H
