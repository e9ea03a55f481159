// The readers of Core ML's models and manifests never crash; what of a model is read is written, and is the same when
// it is read again; a manifest names a file below the package or none.
#include "runtime/format/coreml/package.h"

#include <cstdlib>

using namespace ane::rt;

static int readManifest(std::string_view text) {
  absl::StatusOr<std::string> path = coreml::parseManifest(text, "fuzz");
  if (path.ok() && path->rfind("Data/", 0) != 0)
    std::abort();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  if (!bytes.empty() && bytes.front() == '{')
    return readManifest(bytes);
  absl::StatusOr<coreml::Model> model = coreml::parse(bytes);
  if (!model.ok()) {
    if (model.status().message().empty())
      std::abort();
    return 0;
  }
  absl::StatusOr<std::string> written = coreml::print(*model);
  if (!written.ok())
    std::abort();
  absl::StatusOr<coreml::Model> again = coreml::parse(*written);
  if (!again.ok() || again->program != model->program || *coreml::print(*again) != *written)
    std::abort();
  return 0;
}
