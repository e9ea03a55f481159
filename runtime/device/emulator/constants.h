//===- constants.h - Values that the text or a weight file holds ----------===//

#ifndef ANE_RUNTIME_DEVICE_EMULATOR_CONSTANTS_H
#define ANE_RUNTIME_DEVICE_EMULATOR_CONSTANTS_H

#include "absl/status/statusor.h"
#include "runtime/device/emulator/tensor.h"
#include "runtime/format/blob/blob.h"
#include "runtime/format/mil/ast.h"

#include <map>
#include <memory>
#include <string>
#include <tuple>

namespace ane::rt::emulator {

struct ConstantOptions {
  /// What `@model_path` stands for.
  std::string modelDir;
  /// Weight records must say what the text says about type and size. Without
  /// it the text is believed, as the engine does (ane-programming.md 3.4).
  bool strictBlobs = true;
  /// A record that cannot be read gives what bytes are there, as on the engine
  /// (C08), in place of an error.
  bool readWrongBytes = false;
  /// Bytes that fp16 constants may take as fp32; from there on they stay in the
  /// file and are widened at each use.
  int64_t wideBytes = int64_t(2) << 30;
};

/// The type of a MIL tensor or scalar; InvalidArgument for any other kind and
/// for unknown dimensions.
absl::StatusOr<TensorType> tensorType(const mil::Type &type);

/// Decodes constants; each blob of a file once, however often it is named.
class ConstantPool {
public:
  explicit ConstantPool(ConstantOptions options) : options(std::move(options)) {}

  absl::StatusOr<std::shared_ptr<const Constant>> decode(const mil::Value &value);

private:
  struct WeightFile {
    blob::Reader reader;
  };
  using Key = std::tuple<std::string, uint64_t, std::string>;

  absl::StatusOr<std::shared_ptr<const WeightFile>> weightFile(const std::string &path);
  absl::StatusOr<std::shared_ptr<const Constant>> decodeWrongBytes(const mil::Value &value, const TensorType &type);
  absl::StatusOr<std::shared_ptr<const Constant>> decodeBlob(const mil::Value &value, const TensorType &type);

  ConstantOptions options;
  int64_t wideBytesUsed = 0;
  std::map<std::string, std::shared_ptr<const WeightFile>> files;
  std::map<Key, std::shared_ptr<const Constant>> blobs;
};

/// Memory of a constant with `count` elements, for callers that fill it.
std::shared_ptr<void> makeElements(int64_t count);

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_CONSTANTS_H
