//===- Blocks.h - what layers of language models are made of ---*- C++ -*-===//
#ifndef ANE_LIB_IMPORT_LM_BLOCKS_H
#define ANE_LIB_IMPORT_LM_BLOCKS_H

#include "Description.h"
#include "TensorSource.h"
#include "ane/IR/Builders.h"

namespace mlir::ane::lm {

/// Builds blocks at the end of a function's body. Ops are at locations named like the layer's parts.
class Blocks {
public:
  /// `base` stands before all names of tensors.
  Blocks(OpBuilder &builder, TensorSource &source, std::string base, StringAttr file)
      : builder(builder), source(source), base(std::move(base)), file(file) {}

  /// The prefix of names and locations from here on: "layers.3.".
  void enter(const Twine &prefix) { scope = prefix.str(); }
  Location at(const Twine &name) const {
    return NameLoc::get(builder.getStringAttr(base + scope + name), FileLineColLoc::get(file, 0, 0));
  }
  Composer compose(const Twine &name) { return Composer(builder, at(name)); }

  /// A tensor of the file, in float32. `isGlobal`: without the prefix.
  Value tensor(const Twine &name, ArrayRef<int64_t> shape, bool isGlobal = false);
  /// The same as the file has it.
  Value stored(const Twine &name, ArrayRef<int64_t> shape, bool isGlobal = false);
  Value linear(Value x, const Linear &layer, int64_t outputs);
  /// Products with the rows of the vocabulary: those of `layer`, whose name is whole, or, if it has none, of
  /// `embedding`.
  Value head(Value x, const Linear &layer, StringRef embedding, int64_t vocabulary);
  Value norm(Value x, StringRef name, const Norm &kind);
  Value activation(Value x, Activation kind, StringRef name);
  /// down(activation(gate(x)) * up(x)), or down(activation(up(x))).
  Value mlp(Value x, const LayerParts &parts, Activation kind, const Sizes &sizes);
  /// A decoder's layer without its attention: `mix` is that, of x behind a norm, and `keep` the rows of x that go on.
  Value layer(
      Value x, const Decoder &model, function_ref<Value(Value)> mix,
      function_ref<Value(Value)> keep = [](Value rows) { return rows; });
  /// Rows of a decoder's embedding, [.., T] -> [.., T, width], with those of its table of positions, if it has one, at
  /// `places` [T]. `isWidened`: of tables in float32.
  Value embedded(const Decoder &model, Value ids, Value places, bool isWidened = false);
  /// [B, T, heads * width] <-> [B, heads, T, width]
  Value split(Value x, int64_t heads, StringRef name);
  Value join(Value x, StringRef name);
  /// cap * tanh(x / cap)
  Value capped(Value x, double cap, StringRef name);
  /// Rows of `table` at `places`, in float32: [.., T] -> [.., T, width].
  Value rows(Value table, Value places, StringRef name);
  /// Turns x [B, heads, T, width] by rows of cosines and sines [T, width / 2].
  Value rotated(Value x, const Rope &rope, Value cosines, Value sines, StringRef name);

  /// 0 where `cond` holds, and what leaves no weight to a score elsewhere.
  Value maskOf(Value cond, StringRef name);
  Value integers(ArrayRef<int64_t> values, ArrayRef<int64_t> shape);

private:
  OpBuilder &builder;
  TensorSource &source;
  std::string base, scope;
  StringAttr file;
};

} // namespace mlir::ane::lm

#endif // ANE_LIB_IMPORT_LM_BLOCKS_H
