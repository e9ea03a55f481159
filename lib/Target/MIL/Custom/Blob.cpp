//===- Blob.cpp - constants and weight files ------------------------------===//

#include "runtime/format/blob/blob.h"
#include "Custom.h"
#include "ane/Target/MIL/MIL.h"
#include "runtime/support/folder.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::mil;
using ::ane::rt::ElementType;
using ::ane::rt::Folder;
using ::ane::rt::MappedFile;
namespace blob = ::ane::rt::blob;

bool mlir::ane::mil::isConstant(Operation *op) { return isa<ConstOp, BlobOp>(op); }

FailureOr<std::optional<text::Value>> mlir::ane::mil::constantValue(Operation *op) {
  auto emitError = [op] { return op->emitOpError(); };
  if (auto record = dyn_cast<BlobOp>(op)) {
    FailureOr<text::Type> type = toText(record.getType(), emitError);
    if (failed(type))
      return failure();
    return std::optional(text::Value::blob(std::move(*type), (modelPath + record.getFile()).str(), record.getOffset()));
  }
  auto constant = dyn_cast<ConstOp>(op);
  if (!constant)
    return std::optional<text::Value>();
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!elements)
    return emitError() << "names bytes of the model, not a record of a weight file; run --ane-assign-blobs first";
  FailureOr<text::Value> value = toText(elements, emitError);
  if (failed(value))
    return failure();
  return std::optional(std::move(*value));
}

static LogicalResult emitStatus(Location loc, const absl::Status &status) {
  return mlir::emitError(loc) << std::string(status.message());
}

/// Where the data of a record in `file` of `weightsDir` are. Nothing is read but the record, and files that are not
/// there are taken on trust: text without its weights can still be looked at. A link is refused: it could lead out of
/// the folder.
static FailureOr<uint64_t> payloadOffset(StringRef weightsDir, StringRef file, const text::Value &value,
                                         RankedTensorType type, Location loc) {
  absl::StatusOr<Folder> folder = Folder::open(weightsDir.str());
  absl::StatusOr<MappedFile> content = folder.ok() ? folder->map(file) : folder.status();
  if (absl::IsNotFound(content.status()))
    return value.offset + blob::kRecordBytes;
  if (!content.ok())
    return emitStatus(loc, content.status());
  auto reader = blob::Reader::of(*std::move(content), folder->nameOf(file));
  if (!reader.ok())
    return emitStatus(loc, reader.status());
  std::vector<std::string> deviations;
  auto record = reader->readAs(value.offset, *elementTypeFor(type.getElementType()), type.getNumElements(), deviations);
  if (!record.ok())
    return emitStatus(loc, record.status());
  for (const std::string &deviation : deviations)
    mlir::emitWarning(loc) << deviation;
  return record->offset;
}

FailureOr<Value> mlir::ane::mil::buildBlob(OpBuilder &builder, Location loc, const text::Value &value,
                                           RankedTensorType type, StringRef weightsDir) {
  StringRef file = value.path;
  if (!file.consume_front(modelPath) || llvm::sys::path::is_absolute(file) ||
      llvm::is_contained(llvm::make_range(llvm::sys::path::begin(file), llvm::sys::path::end(file)), ".."))
    return LogicalResult(mlir::emitError(loc) << "BLOBFILE path '" << value.path << "' must be inside " << modelPath);
  if (value.offset < blob::kHeaderBytes || value.offset > INT64_MAX / 2)
    return LogicalResult(mlir::emitError(loc)
                         << "BLOBFILE offset " << value.offset << " names no record: the first is at "
                         << blob::kHeaderBytes << " (C08)");
  std::optional<ElementType> element = elementTypeFor(type.getElementType());
  if (!element || !blob::dtypeCode(*element))
    return LogicalResult(mlir::emitError(loc) << "a BLOBFILE can't hold elements of type " << type.getElementType());
  FailureOr<uint64_t> offset = payloadOffset(weightsDir, file, value, type, loc);
  if (failed(offset))
    return failure();
  SmallString<128> path(weightsDir);
  llvm::sys::path::append(path, file);
  auto weight = WeightAttr::get(builder.getContext(), type, builder.getStringAttr(path), *offset,
                                *blob::packedBytes(*element, type.getNumElements()), StringAttr());
  if (value.offset % blob::kAlignment != 0) {
    mlir::emitWarning(loc) << "BLOBFILE offset " << value.offset << " is no multiple of " << blob::kAlignment
                           << " (C08); the constant is taken out of its record";
    return builder.create<ConstOp>(loc, weight).getResult();
  }
  auto record = builder.create<BlobOp>(loc, type, builder.getStringAttr(file), builder.getI64IntegerAttr(value.offset));
  OpBuilder body = OpBuilder::atBlockEnd(&record.getBody().emplaceBlock());
  Value data = body.create<ConstOp>(loc, weight);
  body.create<YieldOp>(loc, data);
  return record.getResult();
}
