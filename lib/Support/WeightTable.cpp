//===- WeightTable.cpp - mapped weight files ------------------------------===//

#include "ane/Support/WeightTable.h"
#include "ane/IR/ANE.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
using namespace mlir::ane;

FailureOr<ArrayRef<char>> WeightTable::map(StringRef file, function_ref<InFlightDiagnostic()> emitError) {
  std::lock_guard<std::mutex> lock(mutex);
  auto &buffer = files[file];
  if (!buffer) {
    // Without the terminator LLVM maps the file whatever its size.
    auto opened = llvm::MemoryBuffer::getFile(file, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!opened)
      return emitError() << "can't read weight file '" << file << "': " << opened.getError().message(), failure();
    buffer = std::move(*opened);
  }
  return ArrayRef<char>(buffer->getBufferStart(), buffer->getBufferSize());
}

FailureOr<ArrayRef<char>> WeightTable::lookup(WeightAttr weight, function_ref<InFlightDiagnostic()> emitError) {
  FailureOr<ArrayRef<char>> file = map(weight.getFile(), emitError);
  if (failed(file))
    return failure();
  if (weight.getOffset() > file->size() || weight.getBytes() > file->size() - weight.getOffset())
    return emitError() << "weight file '" << weight.getFile() << "' has " << file->size() << " bytes, but "
                       << weight.getBytes() << " bytes at offset " << weight.getOffset() << " are needed",
           failure();
  ArrayRef<char> bytes = file->slice(weight.getOffset(), weight.getBytes());
  if (weight.getSha256()) {
    llvm::SHA256 hash;
    hash.update(ArrayRef<uint8_t>(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
    std::string actual = llvm::toHex(hash.final(), /*LowerCase=*/true);
    if (actual != weight.getSha256().getValue())
      return emitError() << "weight file '" << weight.getFile() << "' changed: sha256 of " << weight.getBytes()
                         << " bytes at offset " << weight.getOffset() << " is " << actual << ", expected "
                         << weight.getSha256().getValue(),
             failure();
  }
  return bytes;
}
