//===- Import.cpp - a model of Core ML as a module ------------------------===//

#include "ane/Support/InputFile.h"
#include "ane/Target/CoreML/CoreML.h"
#include "ane/Target/MIL/MIL.h"
#include "mlir/IR/Diagnostics.h"
#include "runtime/format/coreml/package.h"
#include "runtime/format/mil/parser.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::ane;
namespace format = ::ane::rt::coreml;
namespace text = ::ane::rt::mil;

namespace {
class Importer {
public:
  Importer(StringRef path, const coreml::InputShapes &shapes, MLIRContext *context)
      : path(path), shapes(shapes), context(context) {}
  using Make = OwningOpRef<ModuleOp> (*)(const text::Program &, const mil::DeserializeOptions &, MLIRContext *);
  /// `make` builds the module from the syntax tree.
  OwningOpRef<ModuleOp> run(Make make);

private:
  InFlightDiagnostic error() { return emitError(FileLineColLoc::get(context, path, 0, 0)); }
  FailureOr<format::Package> read();
  FailureOr<std::vector<int64_t>> shapeOf(const text::Variable &param, const format::Interface &interface);
  LogicalResult checkNames(const format::Model &model);
  LogicalResult prepare(text::Function &function, const format::Interface &interface);
  LogicalResult returnProbabilities(text::Function &function);

  StringRef path;
  const coreml::InputShapes &shapes;
  MLIRContext *context;
};
} // namespace

/// From a package, or from the file of a model alone, beside which its weights lie.
FailureOr<format::Package> Importer::read() {
  auto fail = [&](const absl::Status &status) { return LogicalResult(error() << std::string(status.message())); };
  if (format::findModel(path.str()) == format::Kind::Package) {
    absl::StatusOr<format::Package> package = format::readPackage(path.str());
    if (!package.ok())
      return fail(package.status());
    return *std::move(package);
  }
  auto buffer = readInputFile(path, /*isText=*/false);
  if (!buffer)
    return LogicalResult(error() << llvm::toString(buffer.takeError()));
  absl::StatusOr<format::Model> model = format::parse({(*buffer)->getBufferStart(), (*buffer)->getBufferSize()});
  if (!model.ok())
    return LogicalResult(error() << "'" << path << "' " << std::string(model.status().message()));
  StringRef folder = llvm::sys::path::parent_path(path);
  return format::Package{*std::move(model), folder.empty() ? "." : folder.str()};
}

/// `classify` makes a label and a dictionary of probabilities, which no tensor is: the function returns the
/// probabilities alone.
LogicalResult Importer::returnProbabilities(text::Function &function) {
  for (auto statement = function.statements.begin(); statement != function.statements.end(); ++statement) {
    if (statement->op != "classify")
      continue;
    const text::Value *probabilities = statement->argument("probabilities");
    if (!probabilities || !probabilities->isReference())
      return error() << "function '" << function.name << "': 'classify' has no probabilities";
    llvm::erase_if(function.outputs, [&](const std::string &output) {
      return llvm::any_of(statement->results, [&](const text::Variable &result) { return result.name == output; });
    });
    function.outputs.push_back(probabilities->name);
    function.statements.erase(statement);
    return success();
  }
  return success();
}

/// The shape that an input has as a rule, as the program sees it.
static std::vector<int64_t> usualShape(const format::Feature &feature) {
  using Colors = format::Feature::Colors;
  if (feature.kind != format::Feature::Kind::Image)
    return feature.shape;
  bool isGray = feature.colors == Colors::Gray || feature.colors == Colors::GrayHalf;
  return {1, isGray ? 1 : 3, feature.height, feature.width};
}

/// Whether the model allows `shape` for an input, beside the usual one.
static bool allows(const format::Feature &feature, ArrayRef<int64_t> shape) {
  if (shape == ArrayRef(usualShape(feature)))
    return true;
  if (llvm::any_of(feature.shapes, [&](const std::vector<int64_t> &each) { return shape == ArrayRef(each); }))
    return true;
  return !feature.ranges.empty() && feature.ranges.size() == shape.size() &&
         llvm::all_of(llvm::zip(feature.ranges, shape), [](const auto &axis) {
           auto [range, size] = axis;
           return size >= range.first && (range.second < 0 || size <= range.second);
         });
}

/// The shape of an input that may vary: the one that was asked for, else the one that the model says is usual.
FailureOr<std::vector<int64_t>> Importer::shapeOf(const text::Variable &param, const format::Interface &interface) {
  auto feature = llvm::find_if(interface.inputs, [&](const format::Feature &each) { return each.name == param.name; });
  std::vector<int64_t> usual = feature == interface.inputs.end() ? std::vector<int64_t>() : usualShape(*feature);
  auto fits = [](int64_t size, int64_t own) { return size == text::kUnknownDim || size == own; };
  if (!std::equal(param.type.dims.begin(), param.type.dims.end(), usual.begin(), usual.end(), fits))
    return LogicalResult(error() << "function '" << interface.name << "': the shape of input '" << param.name
                                 << "' may vary, " << param.type.str()
                                 << ", and the model's description has no shape for it that fits, found ["
                                 << llvm::ArrayRef(usual) << "]");
  auto asked = llvm::find_if(shapes, [&](const auto &each) { return each.first == param.name; });
  if (asked == shapes.end())
    return usual;
  if (allows(*feature, asked->second))
    return std::vector<int64_t>(asked->second.begin(), asked->second.end());
  InFlightDiagnostic diag = error() << "--shape: input '" << param.name << "' can't have shape ";
  llvm::interleave(asked->second, diag, "x");
  diag << ": the model allows ";
  auto print = [&](ArrayRef<int64_t> shape) { llvm::interleave(shape, diag, "x"); };
  if (feature->ranges.empty()) {
    print(usual);
    for (const std::vector<int64_t> &each : feature->shapes)
      if (each != usual) {
        diag << ", ";
        print(each);
      }
    return LogicalResult(diag);
  }
  llvm::interleave(
      feature->ranges, diag,
      [&](const auto &range) {
        diag << range.first;
        if (range.second < 0)
          diag << " and more";
        else if (range.second != range.first)
          diag << " to " << range.second;
      },
      ", ");
  return LogicalResult(diag);
}

/// A shape of an input that is not there, or has only one, would be ignored.
LogicalResult Importer::checkNames(const format::Model &model) {
  for (const auto &[name, shape] : shapes) {
    bool isKnown = false;
    for (const text::Function &function : model.program.functions)
      for (const text::Variable &param : function.params)
        if (param.name == name) {
          isKnown = true;
          if (!llvm::is_contained(param.type.dims, text::kUnknownDim) && ArrayRef(param.type.dims) != ArrayRef(shape))
            return error() << "--shape: input '" << name << "' is " << param.type.str()
                           << " in the model, and no other";
        }
    if (!isKnown)
      return error() << "--shape: the model has no input '" << name << "'";
  }
  return success();
}

/// Gives inputs whose shape may vary the one that they are to have.
LogicalResult Importer::prepare(text::Function &function, const format::Interface &interface) {
  for (text::Variable &param : function.params) {
    if (!llvm::is_contained(param.type.dims, text::kUnknownDim))
      continue;
    FailureOr<std::vector<int64_t>> shape = shapeOf(param, interface);
    if (failed(shape))
      return failure();
    param.type.dims = std::move(*shape);
  }
  return returnProbabilities(function);
}

OwningOpRef<ModuleOp> Importer::run(Make make) {
  if (format::findModel(path.str()) == format::Kind::Compiled) {
    std::string file = (path.rtrim('/') + "/" + format::kCompiledPath).str();
    auto buffer = readInputFile(file, /*isText=*/true);
    text::ParseError wrong;
    std::optional<text::Program> program;
    if (!buffer)
      error() << llvm::toString(buffer.takeError());
    else if (program = text::parse({(*buffer)->getBufferStart(), (*buffer)->getBufferSize()}, {}, wrong); !program)
      emitError(FileLineColLoc::get(context, file, wrong.loc.line, wrong.loc.column)) << wrong.message;
    return program ? make(*program, {file, path.str()}, context) : OwningOpRef<ModuleOp>();
  }
  FailureOr<format::Package> package = read();
  if (failed(package))
    return {};
  if (failed(checkNames(package->model)))
    return {};
  for (text::Function &function : package->model.program.functions)
    for (const format::Interface &interface : package->model.interfaces)
      if (interface.name == function.name && failed(prepare(function, interface)))
        return {};
  return make(package->model.program, {path.str(), package->folder}, context);
}

OwningOpRef<ModuleOp> mlir::ane::coreml::importModel(StringRef path, const InputShapes &shapes, MLIRContext *context) {
  return Importer(path, shapes, context).run(mil::importProgram);
}

OwningOpRef<ModuleOp> mlir::ane::coreml::readModel(StringRef path, MLIRContext *context) {
  return Importer(path, {}, context).run(mil::deserialize);
}
