//===- WeightTable.cpp - mapped weight files ------------------------------===//

#include "ane/Support/WeightTable.h"
#include "ane/Support/InputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
using namespace mlir::ane;

FailureOr<ArrayRef<char>> WeightTable::map(StringRef file, function_ref<InFlightDiagnostic()> emitError) {
  std::lock_guard<std::mutex> lock(mutex);
  auto &buffer = files[file];
  if (!buffer) {
    auto opened = readInputFile(file, /*isText=*/false);
    if (!opened)
      return emitError() << "weight file: " << llvm::toString(opened.takeError()), failure();
    buffer = std::move(*opened);
  }
  return ArrayRef<char>(buffer->getBufferStart(), buffer->getBufferSize());
}

FailureOr<ArrayRef<char>> WeightTable::lookup(const WeightRange &weight, function_ref<InFlightDiagnostic()> emitError) {
  FailureOr<ArrayRef<char>> file = map(weight.file, emitError);
  if (failed(file))
    return failure();
  if (weight.offset > file->size() || weight.bytes > file->size() - weight.offset)
    return emitError() << "weight file '" << weight.file << "' has " << file->size() << " bytes, but " << weight.bytes
                       << " bytes at offset " << weight.offset << " are needed",
           failure();
  ArrayRef<char> bytes = file->slice(weight.offset, weight.bytes);
  if (!weight.sha256.empty()) {
    llvm::SHA256 hash;
    hash.update(ArrayRef<uint8_t>(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
    std::string actual = llvm::toHex(hash.final(), /*LowerCase=*/true);
    if (actual != weight.sha256)
      return emitError() << "weight file '" << weight.file << "' changed: sha256 of " << weight.bytes
                         << " bytes at offset " << weight.offset << " is " << actual << ", expected " << weight.sha256,
             failure();
  }
  return bytes;
}
