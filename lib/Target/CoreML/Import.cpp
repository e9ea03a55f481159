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
  Importer(StringRef path, MLIRContext *context) : path(path), context(context) {}
  using Make = OwningOpRef<ModuleOp> (*)(const text::Program &, const mil::DeserializeOptions &, MLIRContext *);
  /// `make` builds the module from the syntax tree.
  OwningOpRef<ModuleOp> run(Make make);

private:
  InFlightDiagnostic error() { return emitError(FileLineColLoc::get(context, path, 0, 0)); }
  FailureOr<format::Package> read();
  LogicalResult prepare(text::Function &function, const format::Interface &interface);
  LogicalResult returnProbabilities(text::Function &function);

  StringRef path;
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

/// Gives inputs whose shape may vary the one that the model says is usual.
LogicalResult Importer::prepare(text::Function &function, const format::Interface &interface) {
  for (text::Variable &param : function.params) {
    if (!llvm::is_contained(param.type.dims, text::kUnknownDim))
      continue;
    auto feature =
        llvm::find_if(interface.inputs, [&](const format::Feature &each) { return each.name == param.name; });
    if (feature == interface.inputs.end() || feature->shape.size() != param.type.dims.size())
      return error() << "function '" << function.name << "': the shape of input '" << param.name
                     << "' may vary, and the model's description has no shape of " << param.type.dims.size()
                     << " axes for it";
    param.type.dims = feature->shape;
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
  for (text::Function &function : package->model.program.functions)
    for (const format::Interface &interface : package->model.interfaces)
      if (interface.name == function.name && failed(prepare(function, interface)))
        return {};
  return make(package->model.program, {path.str(), package->folder}, context);
}

OwningOpRef<ModuleOp> mlir::ane::coreml::importModel(StringRef path, MLIRContext *context) {
  return Importer(path, context).run(mil::importProgram);
}

OwningOpRef<ModuleOp> mlir::ane::coreml::readModel(StringRef path, MLIRContext *context) {
  return Importer(path, context).run(mil::deserialize);
}
