//===- DecoderBuilder.h - functions of a decoder ---------------*- C++ -*-===//
#ifndef ANE_LIB_IMPORT_LM_DECODERBUILDER_H
#define ANE_LIB_IMPORT_LM_DECODERBUILDER_H

#include "Blocks.h"
#include "ane/Import/LM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <map>

namespace mlir::ane::lm {

/// Makes functions over the same states: for each layer keys and values, [1, groups, context, width of a head].
///
/// A function takes `input_ids` [1, T], the `position` [1] of the first of them, and, if T is above 1, `length` [1]:
/// how many of them are of the text. Behind those stands anything: nothing reads it, and the next run writes over it.
/// It gives `logits` [1, vocabulary] of the last token, or `argmax` [1], or both. The run's keys and values go into the
/// states from `position` on.
///
/// The function of N sequences takes a token and a position of each, `input_ids` [N, 1] and `position` [N], and gives
/// `logits` [N, vocabulary]. It has states of its own, `together.cache.key.0` and so on, [1, groups, N * context, width
/// of a head], in which the sequences stand one behind the other.
class DecoderBuilder {
public:
  DecoderBuilder(ModuleOp module, const Decoder &model, TensorSource &source, int64_t context,
                 const LMImportOptions &options)
      : module(module), model(model), source(source), context(context), options(options), builder(module.getContext()) {
  }

  /// Those of one sequence, or of several; before the functions that use them.
  void createStates(int64_t sequences = 1);
  func::FuncOp createFunction(StringRef name, int64_t tokens) { return create(name, {tokens, 1, {}, {}, {}, {}}); }
  func::FuncOp createTogether(StringRef name, int64_t sequences) {
    return create(name, {sequences, sequences, {}, {}, {}, {}});
  }

private:
  /// What is the same in all layers.
  struct Run {
    int64_t tokens;
    int64_t sequences;                           // 1, or as many as tokens
    Value start;                                 // [1], tokens before the run; or [N], of each sequence
    Value last;                                  // [1], or null if all tokens are the last of theirs
    Value entries;                               // where they go in the states
    SmallVector<std::pair<Value, Value>> angles; // of each of the ropes, [T, pairs]
  };
  /// Which queries attend, and to what.
  struct Masks {
    Value past, present; // [Q, context], [Q, T]; of N sequences [N, 1, context], none
  };

  func::FuncOp create(StringRef name, Run run);
  Value entriesOf(Blocks &blocks, const Run &run);
  Value attention(Blocks &blocks, const Run &run, Value x, int64_t layer, bool onlyLast);
  Value attend(Composer &c, Value query, ArrayRef<Value> keys, ArrayRef<Value> values, ArrayRef<Value> masks,
               ArrayRef<int64_t> masked);
  Value attendTogether(Composer &c, Value query, ArrayRef<Value> keys, ArrayRef<Value> values, Masks masks);
  Masks masksOf(Blocks &blocks, const Run &run, int64_t window, bool onlyLast);
  /// The row of the last token of x [1, T, width].
  Value pick(Blocks &blocks, const Run &run, Value x);
  RankedTensorType stateType(int64_t sequences);
  static std::string stateName(StringRef kind, int64_t layer, int64_t sequences) {
    return ((sequences > 1 ? "together.cache." : "cache.") + kind + "." + Twine(layer)).str();
  }

  ModuleOp module;
  const Decoder &model;
  TensorSource &source;
  int64_t context;
  const LMImportOptions &options;
  OpBuilder builder;
  std::map<std::pair<int64_t, bool>, Masks> masks; // by window and onlyLast, of the function in the making
  Value picked;                                    // one-hot, [1, 1, T]
};

} // namespace mlir::ane::lm

#endif // ANE_LIB_IMPORT_LM_DECODERBUILDER_H
