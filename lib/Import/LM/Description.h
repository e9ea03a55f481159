//===- Description.h - what a language model is made of --------*- C++ -*-===//
//
// An architecture fills one of these from its configuration; the builders know no architecture.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_IMPORT_LM_DESCRIPTION_H
#define ANE_LIB_IMPORT_LM_DESCRIPTION_H

#include "Rope.h"

namespace mlir::ane::lm {

struct Norm {
  enum Kind {
    RMS,             // x / sqrt(mean(x^2) + epsilon) * weight
    ZeroCenteredRMS, // the same times 1 + weight
    Layer,           // with mean and bias
  } kind = RMS;
  double epsilon = 1e-5;
};

enum class Activation { Silu, Gelu, GeluTanh, Relu };

/// Where the weight of a linear layer is: NAME.weight [outputs, inputs], and NAME.bias.
struct Linear {
  std::string name; // empty: there is none
  bool bias = false;
  bool transposed = false;   // [inputs, outputs]
  int64_t first = 0, of = 0; // its outputs are those from `first` on of a layer with `of`; 0: all
};

/// Names within a layer; an empty one means that the layer has no such part.
struct LayerParts {
  std::string attentionNorm, attentionPostNorm, mlpNorm, mlpPostNorm;
  Linear query, key, value, output;
  std::string queryNorm, keyNorm; // of each head, before positions
  Linear gate, up, down;
};

/// What differs from layer to layer.
struct LayerKind {
  int64_t window = 0; // keys that a query sees, itself among them; 0: all
  int rope = 0;       // which of Decoder::ropes; -1: no positions
  double scale = 1;   // of scores
};

struct Sizes {
  int64_t vocabulary = 0, width = 0, layers = 0, heads = 0, groups = 0, headWidth = 0, hidden = 0, positions = 0;
  int64_t types = 0; // of tokens, an encoder's
};

/// Layers that read what stands before.
struct Decoder {
  Sizes sizes;
  Norm norm;
  Activation activation = Activation::Silu;
  std::string base;   // what names of tensors begin with, if the file has it: "model."
  std::string layers; // "layers.": a layer's number and a dot follow
  LayerParts parts;
  std::vector<LayerKind> kinds; // one for each layer
  std::vector<Rope> ropes;
  std::string embedding, positionTable, finalNorm; // no table: no learned positions
  Linear head;                                     // no name: the embedding's weight
  double embeddingScale = 1;
  double scoreCap = 0, logitCap = 0; // soft limits, cap * tanh(x / cap); 0: none
  std::vector<std::string> ignoredTensors;
};

/// Layers that read the whole text: norms stand behind the sums.
struct Encoder {
  Sizes sizes;
  Norm norm;
  Activation activation = Activation::Gelu;
  std::string base, layers;
  LayerParts parts; // attentionPostNorm and mlpPostNorm
  std::string embedding, positionTable, typeTable, embeddingNorm;
  bool takesFirst = false; // the embedding is the first token's, not the mean
  bool normalizes = false; // the embedding has length 1
  std::vector<std::string> ignoredTensors;
};

} // namespace mlir::ane::lm

#endif // ANE_LIB_IMPORT_LM_DESCRIPTION_H
