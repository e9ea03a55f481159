//===- constants.h - Values that the text or a weight file holds ----------===//

#ifndef ANE_RUNTIME_DEVICE_EMULATOR_CONSTANTS_H
#define ANE_RUNTIME_DEVICE_EMULATOR_CONSTANTS_H

#include "absl/status/statusor.h"
#include "runtime/device/device.h"
#include "runtime/device/emulator/limits.h"
#include "runtime/device/emulator/tensor.h"
#include "runtime/format/blob/blob.h"
#include "runtime/format/mil/ast.h"

#include <map>
#include <memory>
#include <string>
#include <tuple>

namespace ane::rt::emulator {

struct ConstantOptions {
  /// Where the weight files are; null: nowhere. Outlives the pool.
  const Folder *folder = nullptr;
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

/// The type of a MIL tensor or scalar that the emulator can hold: known
/// dimensions, bounded rank and size. An axis of size 0 is only in a list
/// without elements, `tensor<int32, [0]>`, which is a parameter (the shape of a
/// scalar, say). MIL has empty tensors of run time with flexible shapes only,
/// and programs of the engine are static.
absl::StatusOr<TensorType> tensorType(const mil::Type &type);

/// Decodes constants; each blob of a file once, however often it is named.
class ConstantPool {
public:
  ConstantPool(ConstantOptions options, const Limits &limits) : options(std::move(options)), limits(limits) {}

  absl::StatusOr<std::shared_ptr<const Constant>> decode(const mil::Value &value);
  /// What stands now where a constant of a file was.
  absl::StatusOr<std::shared_ptr<const Constant>> decodeAgain(const Constant &constant);

  /// Refuses more memory for what is known at load than the constants of the
  /// program and Limits::bytes explain.
  absl::Status take(int64_t elements);

private:
  struct WeightFile {
    blob::Reader reader;
  };
  using Key = std::tuple<std::string, uint64_t, std::string>;

  absl::StatusOr<MappedFile> map(const std::string &name) const;
  absl::StatusOr<std::shared_ptr<const WeightFile>> weightFile(const std::string &name);
  absl::StatusOr<std::shared_ptr<const Constant>> decodeWrongBytes(const mil::Value &value, const TensorType &type);
  absl::StatusOr<std::shared_ptr<const Constant>> decodeBlob(const mil::Value &value, const TensorType &type);
  absl::StatusOr<std::shared_ptr<const Constant>> decodeLiteral(const mil::Value &value, const TensorType &type);

  ConstantOptions options;
  Limits limits;
  int64_t sourceBytes = 0; ///< of weight files and literals
  int64_t bytesUsed = 0;
  int64_t wideBytesUsed = 0;
  std::map<std::string, std::shared_ptr<const WeightFile>> files;
  std::map<Key, std::shared_ptr<const Constant>> blobs;
};

/// Memory of a constant with `count` elements, for callers that fill it.
std::shared_ptr<void> makeElements(int64_t count);

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_CONSTANTS_H
