//===- ModelFormat.cpp - what the file of a model is ----------------------===//

#include "ane/Import/ModelFormat.h"
#include "ForeignFile.h"
#include "ane/Support/InputFile.h"
#include "runtime/format/coreml/package.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::ane;

std::optional<ModelFormat> mlir::ane::formatOfContents(StringRef contents) {
  if (contents.starts_with("\x08")) // the tag of ir_version, which writers of protobuf put first
    return isCoreML(contents) ? ModelFormat::CoreML : ModelFormat::ONNX;
  if (contents.starts_with("ML\xefR"))
    return ModelFormat::MLIR;
  StringRef text = contents.take_front(4096).ltrim();
  while (text.consume_front("//"))
    text = text.split('\n').second.ltrim();
  StringRef word = text.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '"'; });
  if (word == "program" && text.drop_front(word.size()).ltrim().starts_with("("))
    return ModelFormat::MIL;
  if (llvm::is_contained({"module", "builtin.module", "\"builtin.module\"", "func.func"}, word) ||
      text.starts_with("#ane"))
    return ModelFormat::MLIR;
  return std::nullopt;
}

ModelFormat mlir::ane::formatOfFile(StringRef path) {
  if (::ane::rt::coreml::findModel(path.str()) != ::ane::rt::coreml::Kind::None)
    return ModelFormat::CoreML;
  auto buffer = readInputFile(path, /*isText=*/false);
  StringRef contents = buffer ? (*buffer)->getBuffer() : "";
  if (!buffer)
    llvm::consumeError(buffer.takeError());
  if (std::optional<ModelFormat> format = formatOfContents(contents))
    return *format;
  if (!describeForeignFile(contents, /*anyText=*/false).empty())
    return ModelFormat::ONNX;
  return llvm::StringSwitch<ModelFormat>(llvm::sys::path::extension(path))
      .Case(".mil", ModelFormat::MIL)
      .Case(".mlir", ModelFormat::MLIR)
      .Default(ModelFormat::ONNX);
}
