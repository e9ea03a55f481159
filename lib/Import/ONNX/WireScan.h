//===- WireScan.h - finds tensor bytes in a serialised ONNX model --*- C++ -*-===//
//
// libprotobuf copies every tensor into memory and refuses messages of 2 GiB. This scan walks the protobuf wire format
// of a (mapped) model, notes where the bytes of each tensor stand, and copies everything else to a reduced model that
// libprotobuf parses quickly. Wire format: protobuf.dev/programming-guides/encoding; field numbers: onnx.proto.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_IMPORT_ONNX_WIRESCAN_H
#define ANE_LIB_IMPORT_ONNX_WIRESCAN_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::ane::onnx_import {

/// Bytes of the scanned buffer, little-endian elements: of the tensor's type, or of the field's whatever the type.
struct ByteRange {
  enum Field { RawData, FloatData, DoubleData };

  uint64_t offset = 0;
  uint64_t size = 0;
  Field field = RawData;
};

struct ScannedModel {
  /// The model with every `TensorProto.raw_data` replaced by a key (see `rawData`), and `float_data` and `double_data`
  /// replaced by `raw_data` with a key where they are one packed block; without training graphs.
  std::string reduced;
  /// Where the raw data were, in the order of their keys.
  std::vector<ByteRange> rawData;

  /// The range that the `raw_data` of a tensor of the parsed reduced model stands for. Nothing if `key` is not the
  /// scan's own.
  std::optional<ByteRange> lookup(llvm::StringRef key) const;
};

/// Scans a serialised ModelProto. An error names the byte offset and the field at which the file is damaged: a length
/// that leaves the enclosing message, an endless varint, a wire type that does not exist, messages nested too deeply.
llvm::Expected<ScannedModel> scanWireFormat(llvm::StringRef file);

} // namespace mlir::ane::onnx_import

#endif // ANE_LIB_IMPORT_ONNX_WIRESCAN_H
