// The configuration of an adapter: what is taken is of use.
#include "runtime/adapter/config.h"
#include <cmath>
#include <cstdlib>

using namespace ane::rt;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto config = adapter::parseConfig({reinterpret_cast<const char *>(data), size}, "input");
  if (config.ok() && (config->rank < 1 || !std::isfinite(config->scale())))
    std::abort();
  if (config.ok())
    (void)config->isTarget("model.layers.0.self_attn.q_proj");
  return 0;
}
