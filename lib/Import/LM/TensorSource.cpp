//===- TensorSource.cpp - the tensors of a language model -----------------===//

#include "TensorSource.h"
#include "ane/IR/Dtype.h"
#include "runtime/format/safetensors/safetensors.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::lm;

static constexpr size_t maxListed = 20;

llvm::Expected<TensorSource> TensorSource::openDirectory(StringRef path, MLIRContext *context) {
  auto checkpoint = ::ane::rt::safetensors::Checkpoint::open(path.str());
  if (!checkpoint.ok())
    return llvm::createStringError(std::string(checkpoint.status().message()));
  TensorSource source;
  source.origin = checkpoint->files().size() == 1 ? checkpoint->files().front() : path.str();
  for (const auto &[name, tensor] : checkpoint->tensors())
    source.add(name, {checkpoint->files()[tensor.file], tensor.offset, tensor.bytes,
                      SmallVector<int64_t>(tensor.shape.begin(), tensor.shape.end()),
                      parseDtypeName(context, ::ane::rt::milName(tensor.type))});
  return source;
}

bool TensorSource::hasPrefix(StringRef prefix) const {
  auto first = tensors.lower_bound(prefix.str());
  return first != tensors.end() && StringRef(first->first).starts_with(prefix);
}

static std::string spelled(ArrayRef<int64_t> shape) {
  return "[" + llvm::join(llvm::map_range(shape, [](int64_t size) { return std::to_string(size); }), ", ") + "]";
}

WeightAttr TensorSource::take(StringRef name, ArrayRef<int64_t> shape) {
  // Every function of a model takes the same tensors.
  auto [known, isNew] = taken.try_emplace(name.str());
  if (!isNew)
    return known->second;
  auto found = tensors.find(name.str());
  if (found == tensors.end()) {
    problems.push_back((origin + ": tensor '" + name + "' is missing; the model wants " + spelled(shape)).str());
    return {};
  }
  const SourceTensor &tensor = found->second;
  auto wrong = [&](const Twine &problem) {
    problems.push_back((tensor.file + ": tensor '" + name + "' " + problem).str());
    return WeightAttr();
  };
  if (ArrayRef<int64_t>(tensor.shape) != shape)
    return wrong("has shape " + spelled(tensor.shape) + ", the configuration wants " + spelled(shape));
  if (!tensor.element || !(isa<FloatType>(tensor.element) || tensor.blocks.group > 0))
    return wrong("is no tensor of floats");
  auto type = RankedTensorType::get(shape, tensor.element);
  if (const SourceBlocks &blocks = tensor.blocks; blocks.elements > 0) {
    // The reader has seen that rows are whole blocks.
    SmallVector<int64_t> bytes(shape);
    bytes.back() = shape.back() / blocks.elements * blocks.bytes;
    type = RankedTensorType::get(bytes, IntegerType::get(type.getContext(), 8, IntegerType::Unsigned));
  }
  return known->second =
             WeightAttr::get(type.getContext(), type, tensor.file, tensor.offset, tensor.bytes, StringAttr());
}

void TensorSource::ignore(StringRef pattern) { ignored.push_back(pattern.str()); }

/// `*` stands for any text; there is at most one.
static bool matches(StringRef name, StringRef pattern) {
  auto [head, tail] = pattern.split('*');
  if (!pattern.contains('*'))
    return name == pattern;
  return name.size() >= head.size() + tail.size() && name.starts_with(head) && name.ends_with(tail);
}

const std::vector<std::string> &TensorSource::finish() {
  for (const auto &[name, tensor] : tensors)
    if (!taken.count(name) &&
        llvm::none_of(ignored, [&, &name = name](auto &pattern) { return matches(name, pattern); }))
      problems.push_back(tensor.file + ": tensor '" + name + "' " + spelled(tensor.shape) +
                         " is no part of the model that the configuration describes");
  if (problems.size() > maxListed) {
    size_t more = problems.size() - maxListed;
    problems.resize(maxListed);
    problems.push_back("and " + std::to_string(more) + " more");
  }
  return problems;
}

DictionaryAttr TensorSource::names(MLIRContext *context) const {
  Builder builder(context);
  SmallVector<NamedAttribute> list;
  for (const auto &[name, weight] : taken)
    if (weight)
      list.push_back(builder.getNamedAttr(name, weight));
  return builder.getDictionaryAttr(list);
}
