//===- Export.cpp - a program as a model of Core ML -----------------------===//

#include "ane/IR/ANE.h"
#include "ane/Target/CoreML/CoreML.h"
#include "ane/Target/MIL/MIL.h"

using namespace mlir;
using namespace mlir::ane;
namespace format = ::ane::rt::coreml;
namespace text = ::ane::rt::mil;
using ::ane::rt::ElementType;

static format::Feature featureOf(const std::string &name, const text::Type &type, format::Feature::Kind kind) {
  format::Feature feature;
  feature.name = name;
  feature.kind = kind;
  feature.dtype = type.dtype;
  feature.shape = type.dims;
  return feature;
}

static format::Interface interfaceOf(const text::Function &function) {
  format::Interface interface;
  interface.name = function.name;
  for (const text::Variable &param : function.params)
    if (param.type.kind == text::Type::Kind::State)
      interface.states.push_back(featureOf(param.name, param.type.params.front(), format::Feature::Kind::State));
    else
      interface.inputs.push_back(featureOf(param.name, param.type, format::Feature::Kind::Array));
  llvm::StringMap<const text::Type *> types;
  for (const text::Variable &param : function.params) // which a program of another hand may return
    types[param.name] = &param.type;
  for (const text::Statement &statement : function.statements)
    for (const text::Variable &result : statement.results)
      types[result.name] = &result.type;
  for (const std::string &output : function.outputs)
    interface.outputs.push_back(featureOf(output, *types[output], format::Feature::Kind::Array));
  return interface;
}

FailureOr<format::Model> mlir::ane::coreml::exportModel(ModuleOp module, const ExportOptions &options) {
  FailureOr<text::Program> program = mil::buildProgram(*module.getOps<ProgramOp>().begin());
  if (failed(program))
    return failure();
  format::Model model;
  model.summary = options.summary;
  model.version = options.version;
  model.author = options.author;
  model.license = options.license;
  // What the engine's compiler wants to see there is for text alone.
  program->attributes.clear();
  for (const text::Function &function : program->functions) {
    format::Interface interface = interfaceOf(function);
    model.specification = std::max(model.specification, *format::specificationOf(function.opset));
    if (!interface.states.empty())
      model.specification = std::max(model.specification, format::kFunctions);
    for (const auto *features : {&interface.inputs, &interface.outputs})
      for (const format::Feature &feature : *features)
        if (feature.dtype == ElementType::Float16)
          model.specification = std::max(model.specification, format::kHalfArrays);
    model.interfaces.push_back(std::move(interface));
  }
  if (model.interfaces.size() > 1) {
    model.specification = std::max(model.specification, format::kFunctions);
    model.defaultFunction = model.interfaces.front().name;
  }
  model.program = std::move(*program);
  return model;
}
