//===- WeightFile.cpp - records of blobs ----------------------------------===//

#include "WeightFile.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/Dtype.h"
#include "runtime/format/blob/blob.h"
#include "runtime/support/hash.h"

using namespace mlir;
using namespace mlir::ane;
namespace blob = ::ane::rt::blob;

/// The value of a record, in the packing of files. Returns its hash.
static absl::StatusOr<std::string> append(blob::Writer &writer, const ConstantStream &value,
                                          ::ane::rt::ElementType type) {
  absl::Status status;
  ::ane::rt::Hash hash;
  auto write = [&](auto bytes) {
    hash.update(bytes.data(), bytes.size());
    return (status = writer.append(bytes.data(), bytes.size())).ok();
  };
  if (::ane::rt::bitWidth(type) < 8) {
    ConstantBuffer whole = value.evaluate();
    write(blob::pack(type, {whole.bytes().begin(), whole.bytes().end()}));
  } else {
    value.read([&](ArrayRef<char> part) { return write(part); });
  }
  if (!status.ok())
    return status;
  return hash.digest();
}

FailureOr<::ane::rt::manifest::File> mlir::ane::writeWeightFile(ModuleOp module, StringRef path, StringRef name,
                                                                const std::map<int64_t, BlobOp> &records,
                                                                function_ref<void(const WrittenBlob &)> tell) {
  auto writer = blob::Writer::create(path.str(), records.size());
  if (!writer.ok())
    return LogicalResult(module.emitError() << std::string(writer.status().message()));
  for (auto [offset, op] : records) {
    FailureOr<ConstantStream> value = streamConstant(op.getResult());
    if (failed(value))
      return failure();
    auto type = elementTypeOf(value->getType().getElementType());
    if (!type)
      return LogicalResult(op->emitOpError() << "holds elements of type " << value->getType().getElementType()
                                             << ", which a blob file has no code for");
    auto position = writer->begin(*type, value->getType().getNumElements());
    absl::Status status = position.status();
    WrittenBlob written{op, offset + int64_t(blob::kRecordBytes), 0, ""};
    if (status.ok()) {
      auto appended = append(*writer, *value, *type);
      status = appended.status();
      written.hash = std::move(appended).value_or("");
    }
    if (status.ok())
      status = writer->end();
    if (!status.ok())
      return LogicalResult(op->emitOpError() << std::string(status.message()));
    if (int64_t(*position) != offset)
      return LogicalResult(op->emitOpError()
                           << "is assigned record " << offset << " of " << name << ", but lies at " << *position);
    written.bytes = int64_t(writer->size()) - written.offset;
    tell(written);
  }
  if (absl::Status status = writer->finish(); !status.ok())
    return LogicalResult(module.emitError() << std::string(status.message()));
  return ::ane::rt::manifest::File{name.str(), int64_t(writer->size()), writer->digest()};
}
