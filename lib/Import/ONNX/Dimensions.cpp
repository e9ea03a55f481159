//===- Dimensions.cpp - static shapes of a model's inputs -----------------===//

#include "Dimensions.h"
#include "Values.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

//===-- options -------------------------------------------------------------===//

/// Dimensions above this are typing errors.
static constexpr int64_t maxDim = int64_t(1) << 31;

static bool parseDim(StringRef text, int64_t &dim, int64_t minimum) {
  return !text.getAsInteger(10, dim) && dim >= minimum && dim <= maxDim;
}

std::string ONNXImportOptions::addDim(StringRef text) {
  auto [name, value] = text.rsplit('=');
  int64_t dim = 0;
  if (name.empty() || !parseDim(value, dim, 1))
    return ("'" + text + "' is not NAME=SIZE with a size between 1 and 2147483648").str();
  for (const auto &[other, size] : dims)
    if (other == name && size != dim)
      return ("dimension '" + name + "' is given as " + Twine(size) + " and as " + Twine(dim)).str();
  dims.push_back({name.str(), dim});
  return "";
}

std::string ONNXImportOptions::addShape(StringRef text) {
  auto [name, value] = text.rsplit('=');
  SmallVector<StringRef> parts;
  SmallVector<int64_t> shape;
  value.split(parts, 'x');
  for (StringRef part : parts)
    if (!parseDim(part, shape.emplace_back(), 0))
      name = "";
  if (name.empty())
    return ("'" + text + "' is not INPUT=AxBxC with sizes between 0 and 2147483648").str();
  for (const auto &[other, dims] : shapes)
    if (other == name && dims != shape)
      return ("input '" + name + "' is given two shapes").str();
  shapes.push_back({name.str(), shape});
  return "";
}

std::string ONNXImportOptions::addValue(StringRef text) {
  auto [name, value] = text.rsplit('=');
  if (name.empty() || value.empty())
    return ("'" + text + "' is not INPUT=VALUE with a number, numbers separated by commas, or the name of a .npy file")
        .str();
  for (const auto &[other, given] : values)
    if (other == name && given != value)
      return ("input '" + name + "' is given two values").str();
  values.push_back({name.str(), value.str()});
  return "";
}

std::string mlir::ane::onnx_import::didYouMean(StringRef name, ArrayRef<std::string> candidates) {
  StringRef best;
  unsigned bestDistance = ~0u;
  for (const std::string &candidate : candidates) {
    // A part of a name is near whatever its length.
    bool isPart = StringRef(candidate).contains_insensitive(name) || name.contains_insensitive(candidate);
    unsigned distance = isPart ? 1 : StringRef(candidate).edit_distance(name);
    if (distance < bestDistance && distance <= std::max<size_t>(2, name.size() / 2)) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best.empty() ? "" : (": did you mean '" + best + "'?").str();
}

//===-- binding -------------------------------------------------------------===//

namespace {
class Binder {
public:
  Binder(const Model &model, const ONNXImportOptions &options, MLIRContext *context)
      : model(model), options(options), context(context) {}

  llvm::Expected<std::vector<ModelInput>> bind();

private:
  void collectInputs();
  void applyShapes();
  void applyValues();
  /// The input that flag `flag` names; null, and a problem, if there is none.
  const onnx::ValueInfoProto *findInput(StringRef name, StringRef flag);
  void applyShape(const onnx::ValueInfoProto &input, ArrayRef<int64_t> shape, const std::string &flag);
  void checkDims();
  void bindInput(const onnx::ValueInfoProto &input);
  /// Binds symbol `name`, which other inputs may use, to `size`.
  void bindSymbol(StringRef name, int64_t size, const Twine &origin);

  const Model &model;
  const ONNXImportOptions &options;
  MLIRContext *context;
  std::vector<const onnx::ValueInfoProto *> inputs;
  std::vector<std::string> inputNames, symbolNames;
  /// Shapes and values by the input's name.
  llvm::StringMap<SmallVector<int64_t>> shapes;
  llvm::StringMap<GivenValue> values;
  llvm::StringMap<std::pair<int64_t, std::string>> bound;
  /// Symbol -> where it is used, for those that stay unbound.
  llvm::MapVector<StringRef, std::vector<std::string>> unbound;
  std::vector<std::string> problems;
  std::vector<ModelInput> result;
};
} // namespace

static const onnx::TensorShapeProto &shapeOf(const onnx::ValueInfoProto &input) {
  return input.type().tensor_type().shape();
}

/// The name of a dimension, which binds all of that name to one size. Exporters write "?" for dimensions that are
/// unknown one by one: that is no name.
static StringRef symbolOf(const onnx::TensorShapeProto::Dimension &dim) {
  StringRef name = dim.dim_param();
  return llvm::any_of(name, llvm::isAlnum) ? name : StringRef();
}

void Binder::collectInputs() {
  const onnx::GraphProto &graph = model.proto().graph();
  // Up to IR version 3 initializers were inputs, too.
  llvm::StringSet<> initializers;
  for (const onnx::TensorProto &tensor : graph.initializer())
    initializers.insert(tensor.name());
  for (const onnx::SparseTensorProto &tensor : graph.sparse_initializer())
    initializers.insert(tensor.values().name());
  llvm::StringSet<> seen;
  for (const onnx::ValueInfoProto &input : graph.input()) {
    if (initializers.contains(input.name()))
      continue;
    if (!seen.insert(input.name()).second) {
      problems.push_back("two inputs have the name '" + input.name() + "'");
      continue;
    }
    inputs.push_back(&input);
    inputNames.push_back(input.name());
    for (const auto &dim : shapeOf(input).dim())
      if (StringRef name = symbolOf(dim); !name.empty() && !llvm::is_contained(symbolNames, name))
        symbolNames.push_back(name.str());
  }
}

void Binder::bindSymbol(StringRef name, int64_t size, const Twine &origin) {
  auto [entry, inserted] = bound.try_emplace(name, size, origin.str());
  if (!inserted && entry->second.first != size)
    problems.push_back(("dimension '" + name + "' is " + Twine(entry->second.first) + " by " + entry->second.second +
                        ", but " + Twine(size) + " by " + origin)
                           .str());
}

void Binder::checkDims() {
  for (const auto &[name, size] : options.dims) {
    std::string flag = (name == options.bucket ? "--bucket " : "--dim ") + name + "=" + std::to_string(size);
    if (llvm::is_contained(symbolNames, name)) {
      bindSymbol(name, size, flag);
      continue;
    }
    std::string known = symbolNames.empty() ? "; it has no named dimension"
                                            : "; its named dimensions: " + llvm::join(symbolNames, ", ");
    problems.push_back(flag + ": no input has a dimension of that name" + didYouMean(name, symbolNames) + known);
  }
}

const onnx::ValueInfoProto *Binder::findInput(StringRef name, StringRef flag) {
  auto input = llvm::find_if(inputs, [&](const auto *info) { return info->name() == name; });
  if (input != inputs.end())
    return *input;
  problems.push_back((flag + ": the model has no such input" + didYouMean(name, inputNames) +
                      "; its inputs: " + llvm::join(inputNames, ", "))
                         .str());
  return nullptr;
}

void Binder::applyShape(const onnx::ValueInfoProto &input, ArrayRef<int64_t> shape, const std::string &flag) {
  auto [known, isNew] = shapes.try_emplace(input.name(), SmallVector<int64_t>(shape));
  if (!isNew && ArrayRef<int64_t>(known->second) != shape)
    problems.push_back(flag + ": the input has another shape by --shape");
  if (!input.type().tensor_type().has_shape())
    return;
  const onnx::TensorShapeProto &declared = shapeOf(input);
  if (size_t(declared.dim_size()) != shape.size()) {
    problems.push_back(flag + ": the input has rank " + std::to_string(declared.dim_size()) + ", not " +
                       std::to_string(shape.size()));
    return;
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    const auto &dim = declared.dim(i);
    if (StringRef name = symbolOf(dim); !name.empty())
      bindSymbol(name, shape[i], flag);
    else if (dim.has_dim_value() && dim.dim_value() > 0 && dim.dim_value() != shape[i])
      problems.push_back(flag + ": axis " + std::to_string(i) + " of the input is fixed to " +
                         std::to_string(dim.dim_value()));
  }
}

void Binder::applyShapes() {
  for (const auto &[name, shape] : options.shapes) {
    std::string flag =
        "--shape " + name + "=" + llvm::join(llvm::map_range(shape, [](int64_t d) { return std::to_string(d); }), "x");
    if (const onnx::ValueInfoProto *input = findInput(name, flag))
      applyShape(*input, shape, flag);
  }
}

void Binder::applyValues() {
  for (const auto &[name, text] : options.values) {
    std::string flag = "--value " + name + "=" + text;
    const onnx::ValueInfoProto *input = findInput(name, flag);
    if (!input)
      continue;
    auto value = GivenValue::parse(text);
    if (!value) {
      problems.push_back(flag + ": " + llvm::toString(value.takeError()));
      continue;
    }
    if (auto shape = value->shapeFor(input->type().tensor_type().has_shape() ? &shapeOf(*input) : nullptr))
      applyShape(*input, *shape, flag);
    values.try_emplace(name, std::move(*value));
  }
}

void Binder::bindInput(const onnx::ValueInfoProto &input) {
  std::string subject = "input '" + input.name() + "'";
  if (input.type().value_case() != onnx::TypeProto::kTensorType) {
    problems.push_back(subject + " is not a tensor: sequences, maps, optionals and sparse tensors are not supported");
    return;
  }
  auto explicitShape = shapes.find(input.name());
  const SmallVector<int64_t> *given = explicitShape == shapes.end() ? nullptr : &explicitShape->second;
  SmallVector<int64_t> shape;
  bool complete = true;
  if (!input.type().tensor_type().has_shape()) {
    if (given) {
      shape = *given;
    } else {
      problems.push_back(subject + " has no shape in the model: give --shape " + input.name() + "=AxBxC");
      complete = false;
    }
  }
  for (int i = 0; i < shapeOf(input).dim_size(); ++i) {
    const auto &dim = shapeOf(input).dim(i);
    std::string place = "axis " + std::to_string(i) + " of '" + input.name() + "'";
    if (StringRef name = symbolOf(dim); !name.empty()) {
      auto symbol = bound.find(name);
      if (symbol == bound.end()) {
        unbound[name].push_back(place);
        complete = false;
      } else {
        shape.push_back(symbol->second.first);
      }
    } else if (dim.has_dim_value() && dim.dim_value() > 0) {
      shape.push_back(dim.dim_value());
    } else if (given && size_t(i) < given->size()) {
      shape.push_back((*given)[i]);
    } else {
      // Exporters write 0 and -1 for unknown sizes, so that an empty input has to be asked for.
      std::string size = dim.has_dim_value() ? "size " + std::to_string(dim.dim_value()) : "no name and no size";
      problems.push_back(place + " has " + size + ": give the whole shape, --shape " + input.name() + "=AxBxC");
      complete = false;
    }
  }
  if (!complete)
    return;
  auto type = tensorType(input.type().tensor_type().elem_type(), shape, subject, context);
  if (!type) {
    problems.push_back(llvm::toString(type.takeError()));
    return;
  }
  result.push_back({input.name(), *type, TypedAttr()});
  auto value = values.find(input.name());
  if (value == values.end())
    return;
  auto constant = value->second.constant(*type, subject);
  if (constant)
    result.back().value = *constant;
  else
    problems.push_back(llvm::toString(constant.takeError()));
}

llvm::Expected<std::vector<ModelInput>> Binder::bind() {
  collectInputs();
  checkDims();
  applyShapes();
  applyValues();
  for (const onnx::ValueInfoProto *input : inputs)
    bindInput(*input);
  for (auto &[name, places] : unbound)
    problems.push_back(
        ("dimension '" + name + "' (" + llvm::join(places, ", ") + ") is not bound: give --dim " + name + "=SIZE")
            .str());
  if (problems.empty())
    return std::move(result);
  return makeError("the model's inputs can't be bound:\n  " + llvm::join(problems, "\n  "));
}

llvm::Expected<std::vector<ModelInput>>
mlir::ane::onnx_import::bindInputs(const Model &model, const ONNXImportOptions &options, MLIRContext *context) {
  return Binder(model, options, context).bind();
}
