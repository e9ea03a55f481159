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

/// The file of a BLOBFILE, from the folder that @model_path stands for.
static FailureOr<StringRef> fileOf(const text::Value &value, Location loc) {
  StringRef file = value.path;
  if (!file.consume_front(modelPath) || llvm::sys::path::is_absolute(file) ||
      llvm::is_contained(llvm::make_range(llvm::sys::path::begin(file), llvm::sys::path::end(file)), ".."))
    return LogicalResult(mlir::emitError(loc) << "BLOBFILE path '" << value.path << "' must be inside " << modelPath);
  return file;
}

/// Hands the record in `file` of `weightsDir` to `use`, while its file is mapped. A link is refused: it could lead out
/// of the folder. False if the file is not there.
static FailureOr<bool> withRecord(StringRef weightsDir, StringRef file, const text::Value &value, RankedTensorType type,
                                  Location loc, llvm::function_ref<void(const blob::Blob &)> use) {
  absl::StatusOr<Folder> folder = Folder::open(weightsDir.str());
  absl::StatusOr<MappedFile> content = folder.ok() ? folder->map(file) : folder.status();
  if (absl::IsNotFound(content.status()))
    return false;
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
  use(*record);
  return true;
}

FailureOr<text::Value> mlir::ane::mil::readBlob(const text::Value &value, RankedTensorType type, StringRef weightsDir,
                                                Location loc) {
  FailureOr<StringRef> file = fileOf(value, loc);
  if (failed(file))
    return failure();
  DenseElementsAttr elements;
  auto copy = [&](const blob::Blob &record) {
    if (::ane::rt::bitWidth(record.type) >= 8)
      elements = DenseElementsAttr::getFromRawBuffer(
          type, ArrayRef(reinterpret_cast<const char *>(record.data), record.bytes));
  };
  FailureOr<bool> found = withRecord(weightsDir, *file, value, type, loc, copy);
  if (failed(found))
    return failure();
  if (!elements)
    return LogicalResult(mlir::emitError(loc) << (*found ? "a parameter can't be in elements of less than 8 bits"
                                                         : "a parameter is in a file that is not there: ")
                                              << (*found ? "" : value.path));
  return toText(elements, [loc] { return mlir::emitError(loc); });
}

FailureOr<Value> mlir::ane::mil::buildBlob(OpBuilder &builder, Location loc, const text::Value &value,
                                           RankedTensorType type, StringRef weightsDir) {
  FailureOr<StringRef> file = fileOf(value, loc);
  if (failed(file))
    return failure();
  if (value.offset < blob::kHeaderBytes || value.offset > INT64_MAX / 2)
    return LogicalResult(mlir::emitError(loc)
                         << "BLOBFILE offset " << value.offset << " names no record: the first is at "
                         << blob::kHeaderBytes << " (C08)");
  std::optional<ElementType> element = elementTypeFor(type.getElementType());
  if (!element || !blob::dtypeCode(*element))
    return LogicalResult(mlir::emitError(loc) << "a BLOBFILE can't hold elements of type " << type.getElementType());
  // Nothing is read but the record, and files that are not there are taken on trust: text without its weights can still
  // be looked at.
  uint64_t offset = value.offset + blob::kRecordBytes;
  if (failed(
          withRecord(weightsDir, *file, value, type, loc, [&](const blob::Blob &record) { offset = record.offset; })))
    return failure();
  SmallString<128> path(weightsDir);
  llvm::sys::path::append(path, *file);
  auto weight = WeightAttr::get(builder.getContext(), type, builder.getStringAttr(path), offset,
                                *blob::packedBytes(*element, type.getNumElements()), StringAttr());
  if (value.offset % blob::kAlignment != 0) {
    mlir::emitWarning(loc) << "BLOBFILE offset " << value.offset << " is no multiple of " << blob::kAlignment
                           << " (C08); the constant is taken out of its record";
    return builder.create<ConstOp>(loc, weight).getResult();
  }
  auto record =
      builder.create<BlobOp>(loc, type, builder.getStringAttr(*file), builder.getI64IntegerAttr(value.offset));
  OpBuilder body = OpBuilder::atBlockEnd(&record.getBody().emplaceBlock());
  Value data = body.create<ConstOp>(loc, weight);
  body.create<YieldOp>(loc, data);
  return record.getResult();
}
