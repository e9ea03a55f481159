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
class DecoderBuilder {
public:
  DecoderBuilder(ModuleOp module, const Decoder &model, TensorSource &source, int64_t context,
                 const LMImportOptions &options)
      : module(module), model(model), source(source), context(context), options(options), builder(module.getContext()) {
  }

  void createStates();
  func::FuncOp createFunction(StringRef name, int64_t tokens);

private:
  /// What is the same in all layers.
  struct Run {
    int64_t tokens;
    Value start;                                 // [1], tokens before the run
    Value last;                                  // [1], or null if there is one token
    SmallVector<std::pair<Value, Value>> angles; // of each of the ropes, [T, pairs]
  };
  /// Which queries attend, and to what.
  struct Masks {
    Value past, present; // [Q, context], [Q, T]
  };

  Value attention(Blocks &blocks, const Run &run, Value x, int64_t layer, bool onlyLast);
  Value attend(Composer &c, Value query, ArrayRef<Value> keys, ArrayRef<Value> values, ArrayRef<Value> masks);
  Masks masksOf(Blocks &blocks, const Run &run, int64_t window, bool onlyLast);
  /// The row of the last token of x [1, T, width].
  Value pick(Blocks &blocks, const Run &run, Value x);
  std::string stateName(StringRef kind, int64_t layer) const { return ("cache." + kind + "." + Twine(layer)).str(); }

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
