//===- Llama2c.cpp - language models in llama2.c's checkpoints ------------===//

#include "Llama2c.h"
#include "runtime/format/llama2c/llama2c.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::lm;
using nlohmann::json;
namespace llama2c = ::ane::rt::llama2c;

bool mlir::ane::lm::isLlama2c(StringRef path) {
  uint64_t size;
  if (llvm::sys::fs::file_size(path, size))
    return false;
  auto begin = llvm::MemoryBuffer::getFileSlice(path, std::min<uint64_t>(size, llama2c::kHeaderBytes), 0);
  return begin &&
         llama2c::recognise(reinterpret_cast<const uint8_t *>((*begin)->getBufferStart()), (*begin)->getBufferSize());
}

static json configOf(const llama2c::Header &header) {
  // A text ends where the next one begins, or, in a chat, with a token of its own.
  json ends = json::array();
  for (int64_t id : {1, 2})
    if (id < header.vocabulary)
      ends.push_back(id);
  json config = {{"model_type", "llama"},
                 {"vocab_size", header.vocabulary},
                 {"hidden_size", header.width},
                 {"intermediate_size", header.hidden},
                 {"num_hidden_layers", header.layers},
                 {"num_attention_heads", header.heads},
                 {"num_key_value_heads", header.groups},
                 {"max_position_embeddings", header.positions},
                 {"tie_word_embeddings", header.isTied},
                 {"rms_norm_eps", 1e-5},
                 {"rope_theta", 10000.0},
                 {"eos_token_id", ends}};
  if (!ends.empty())
    config["bos_token_id"] = 1;
  return config;
}

llvm::Expected<Llama2cModel> Llama2cModel::open(StringRef path, MLIRContext *context) {
  auto file = llama2c::File::open(path.str());
  if (!file.ok())
    return llvm::createStringError(std::string(file.status().message()));
  int64_t group = file->sizes().groupSize;
  Llama2cModel model{Config(path.str(), configOf(file->sizes())), {}};
  model.source.origin = path.str();
  Type f32 = Float32Type::get(context), i8 = IntegerType::get(context, 8);
  for (const llama2c::Tensor &tensor : file->tensors()) {
    SmallVector<int64_t> shape(tensor.shape.begin(), tensor.shape.end());
    SourceBlocks blocks;
    if (tensor.scales) {
      blocks.group = group;
      int64_t scales = tensor.elements() / group;
      model.source.add(TensorSource::scalesOf(tensor.name),
                       {path.str(), tensor.scales, uint64_t(scales) * sizeof(float), {scales, 1}, f32});
    }
    model.source.add(tensor.name, {path.str(), tensor.offset, tensor.bytes(), shape, tensor.scales ? i8 : f32, blocks});
  }
  return model;
}

void Llama2cModel::adapt(Decoder &model) {
  model.base = "";
  model.layers = "layers.";
  model.embedding = "tok_embeddings.weight";
  model.finalNorm = "norm";
  if (!model.head.name.empty())
    model.head = {"output"};
  LayerParts &parts = model.parts;
  parts.attentionNorm = "attention_norm";
  parts.mlpNorm = "ffn_norm";
  parts.query = {"attention.wq"};
  parts.key = {"attention.wk"};
  parts.value = {"attention.wv"};
  parts.output = {"attention.wo"};
  parts.gate = {"feed_forward.w1"};
  parts.down = {"feed_forward.w2"};
  parts.up = {"feed_forward.w3"};
  for (Rope &rope : model.ropes)
    rope.isInterleaved = true;
}
