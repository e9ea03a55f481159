// A config.json may say anything: each architecture describes a model or notes what is wrong, and a model without
// problems has what its builder takes for given.
#include "lib/Import/LM/Architectures.h"

#include <cstdio>
#include <cstdlib>

using namespace mlir::ane::lm;
using nlohmann::json;

static void check(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "config_fuzz: %s\n", what);
  std::abort();
}

static void checkSizes(const Sizes &sizes) {
  for (int64_t size : {sizes.vocabulary, sizes.width, sizes.layers, sizes.heads, sizes.groups, sizes.headWidth,
                       sizes.hidden, sizes.positions})
    check(size >= 1 && size <= 1 << 22, "a size that no model has");
  check(sizes.heads % sizes.groups == 0, "groups that do not divide the heads");
}

static void checkDecoder(const Decoder &model) {
  checkSizes(model.sizes);
  check(int64_t(model.kinds.size()) == model.sizes.layers, "not a kind for each layer");
  for (const LayerKind &kind : model.kinds)
    check(kind.window >= 0 && kind.rope >= -1 && kind.rope < int64_t(model.ropes.size()), "a layer without its rope");
  for (const Rope &rope : model.ropes)
    check(rope.width() >= 2 && rope.width() <= model.sizes.headWidth, "a rope that is wider than a head");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  json text = json::parse(data, data + size, nullptr, /*allow_exceptions=*/false);
  if (!text.is_object() || text.dump(-1, ' ', true, json::error_handler_t::replace).size() > 1 << 16)
    return 0;
  // More layers, which the importer refuses, take time.
  for (const char *field : {"num_hidden_layers", "n_layer"})
    if (auto found = text.find(field); found != text.end() && found->is_number() && found->get<double>() > 1024)
      return 0;
  constexpr int64_t context = 64;
  for (const Architecture *architecture : allArchitectures())
    for (bool isHuggingFace : {true, false}) {
      Config config("fuzz", text);
      setFields(config, *architecture, isHuggingFace);
      if (architecture->describeEncoder) {
        Encoder encoder = architecture->describeEncoder(config);
        if (config.finish().empty())
          checkSizes(encoder.sizes);
        continue;
      }
      Decoder model = architecture->describe(config, context);
      if (config.finish().empty())
        checkDecoder(model);
    }
  return 0;
}
