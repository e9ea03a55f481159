//===- ForeignFile.cpp - files that are something else --------------------===//

#include "ForeignFile.h"
#include "ane/Import/ModelFormat.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/Path.h"

using llvm::StringLiteral;
using llvm::StringRef;

namespace {
constexpr StringLiteral torchRemedy =
    "export it with torch.onnx.export, or give the module to anemone.compile in Python";
constexpr StringLiteral weightsRemedy =
    "such a file holds weights and no graph; give the directory with it and the model's config.json";
constexpr StringLiteral kerasRemedy = "convert it to ONNX with tf2onnx";
constexpr StringLiteral unpackRemedy = "unpack it, and give the model inside";
constexpr StringLiteral downloadRemedy = "download the model itself";
constexpr StringLiteral programRemedy = "give the model; an executable or a library is none";

struct Signature {
  unsigned offset;
  StringLiteral bytes;
  StringLiteral what, remedy;
};

constexpr Signature signatures[] = {
    {4, "TFL3", "a TensorFlow Lite model", "convert it to ONNX with tf2onnx --tflite"},
    {4, "ORTM", "a model in ONNX Runtime's own format (.ort)", "give the .onnx file that it was made of"},
    {0, "\x89HDF\r\n\x1a\n", "an HDF5 file (Keras)", kerasRemedy},
    {0, "\x80\x02", "a Python pickle, as old versions of PyTorch write them", torchRemedy},
    {0, "\x93NUMPY", "a NumPy array (.npy)", "give the model; arrays are for --value and for inputs of ane-run"},
    {0, "\x1f\x8b", "compressed with gzip", unpackRemedy},
    {0, "\x28\xb5\x2f\xfd", "compressed with zstd", unpackRemedy},
    {0, "\xfd\x37zXZ", "compressed with xz", unpackRemedy},
    {0, "BZh", "compressed with bzip2", unpackRemedy},
    {257, "ustar", "a tar archive", unpackRemedy},
    {0, "\177ELF", "an ELF file, a program or a library of Linux", programRemedy},
    {0, "\xce\xfa\xed\xfe", "a Mach-O file of 32 bits, a program or a library of macOS", programRemedy},
    {0, "\xcf\xfa\xed\xfe", "a Mach-O file, a program or a library of macOS", programRemedy},
    {0, "\xca\xfe\xba\xbe", "a Mach-O file of several architectures, a program or a library of macOS", programRemedy},
    {0, "MZ", "a PE file, a program or a library of Windows", programRemedy},
    {0, "version https://git-lfs.github.com/spec/", "a pointer of Git LFS and not the model itself",
     "get the model with git lfs pull"},
};
} // namespace

static std::string sentence(StringRef what, StringRef remedy) { return ("is " + what + "; remedy: " + remedy).str(); }

/// PyTorch's .pt is a zip whose members lie in one folder, data.pkl among them.
static std::string describeZip(StringRef head) {
  if (head.contains("/data.pkl") || head.contains("/.format_version") || head.contains("/archive_format"))
    return sentence("a PyTorch model (.pt, .pth, .pt2)", torchRemedy);
  if (head.contains(".npy"))
    return sentence("an archive of NumPy arrays (.npz)", "give the model; it is no model");
  return sentence("a zip archive", unpackRemedy);
}

/// A length, and that many bytes of JSON.
static bool isSafetensors(StringRef contents) {
  if (contents.size() < 10)
    return false;
  uint64_t length = llvm::support::endian::read64le(contents.data());
  return length >= 2 && length <= contents.size() - 8 && contents[8] == '{';
}

// Core ML's kinds of models are fields from 200 on.
bool mlir::ane::isCoreML(StringRef contents) {
  constexpr ptrdiff_t maxNumber = 10; // bytes; of a longer one, decodeULEB128 shifts by more than it has bits
  const auto *at = contents.bytes_begin(), *end = contents.bytes_end();
  for (int field = 0; field < 3 && at < end; ++field) {
    const char *error = nullptr;
    unsigned size = 0;
    auto readNumber = [&] {
      uint64_t number = llvm::decodeULEB128(at, &size, at + std::min(end - at, maxNumber), &error);
      at += size;
      return number;
    };
    uint64_t tag = readNumber();
    if (error)
      return false;
    if (tag >> 3 >= 200 && tag >> 3 < 4000 && (tag & 7) == 2)
      return true;
    uint64_t length = readNumber();
    if (error || ((tag & 7) != 0 && (tag & 7) != 2))
      return false;
    if ((tag & 7) == 2) {
      if (length > uint64_t(end - at))
        return false;
      at += length;
    }
  }
  return false;
}

static std::string describeText(StringRef head, bool anyText) {
  StringRef text = head.ltrim();
  if (text.starts_with_insensitive("<!doctype html") || text.starts_with_insensitive("<html"))
    return sentence("a web page (HTML), which a download gave instead of the model", downloadRemedy);
  if (text.starts_with("<ir_version") || text.starts_with("ir_version"))
    return sentence("an ONNX model as text", "make it binary with Python's onnx.parser and onnx.save");
  if (text.starts_with("<?xml"))
    return sentence("an XML file", downloadRemedy);
  if (text.starts_with("{"))
    return sentence("a JSON file", "give the model, whose configuration it may be");
  return anyText ? sentence("a text file", downloadRemedy) : "";
}

std::string mlir::ane::describeForeignFile(StringRef contents, bool anyText) {
  StringRef head = contents.take_front(4096);
  std::optional<ModelFormat> format = formatOfContents(contents);
  if (format == ModelFormat::MIL)
    return sentence("a MIL program", "give it to ane-compile, or to ane-translate --mil-to-ane");
  if (format == ModelFormat::MLIR)
    return sentence("a module of MLIR", "give it to ane-compile");
  for (const Signature &signature : signatures)
    if (head.substr(signature.offset).starts_with(signature.bytes))
      return sentence(signature.what, signature.remedy);
  if (head.starts_with("PK\x03\x04"))
    return describeZip(head);
  if (isSafetensors(contents))
    return sentence("a safetensors file", weightsRemedy);
  // A message of protobuf begins with control characters.
  if (!head.empty() &&
      llvm::all_of(head, [](unsigned char c) { return c >= ' ' || c == '\n' || c == '\r' || c == '\t'; }))
    return describeText(head, anyText);
  return "";
}

std::string mlir::ane::describeForeignDirectory(StringRef path) {
  auto holds = [&](StringRef name) {
    llvm::SmallString<256> file(path);
    llvm::sys::path::append(file, name);
    return llvm::sys::fs::exists(file);
  };
  if (path.rtrim('/').ends_with(".mlpackage") || holds("Data/com.apple.CoreML"))
    return sentence("a Core ML package (.mlpackage) without Manifest.json", "copy the package anew, as a whole");
  if (path.rtrim('/').ends_with(".mlmodelc"))
    return sentence("a compiled Core ML model (.mlmodelc) without model.mil, as those of no program are",
                    "give the .mlpackage that it was made of");
  if (holds("saved_model.pb"))
    return sentence("a TensorFlow SavedModel", kerasRemedy);
  if (holds("manifest.json") && holds("programs"))
    return sentence("a bundle, compiled already", "run it with ane-run");
  return "";
}
