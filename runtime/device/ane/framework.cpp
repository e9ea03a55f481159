//===- framework.cpp - The engine's framework as C++ sees it --------------===//
#include "runtime/device/ane/framework.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/device/ane/errors.h"

namespace ane::rt::engine {

using objc::Bool;
using objc::Id;

namespace {

/// What everybody passes; no value was seen to make a difference (ane-programming.md 1.2).
constexpr unsigned int kQoS = 21;

} // namespace

std::vector<std::string> Framework::systemLibraries() {
#ifdef __APPLE__
  return {"/usr/lib/libobjc.A.dylib", "/System/Library/Frameworks/Foundation.framework/Foundation",
          "/System/Library/Frameworks/CoreFoundation.framework/CoreFoundation",
          "/System/Library/Frameworks/IOSurface.framework/IOSurface",
          "/System/Library/PrivateFrameworks/AppleNeuralEngine.framework/AppleNeuralEngine"};
#else
  return {};
#endif
}

absl::StatusOr<std::shared_ptr<const Framework>> Framework::open(const std::vector<std::string> &paths) {
  if (paths.empty())
    return absl::UnimplementedError("there is no Neural Engine on this system; device cpu runs everything, device "
                                    "emulator shows what the engine computes");
  auto libraries = objc::Libraries::open(paths);
  if (!libraries.ok())
    return libraries.status();
  auto runtime = objc::Runtime::in(*libraries);
  if (!runtime.ok())
    return runtime.status();
  std::shared_ptr<Framework> made(new Framework(*std::move(libraries), *runtime));
  auto surfaces = SurfaceLibrary::in(made->libraries, made->foundation);
  if (!surfaces.ok())
    return surfaces.status();
  made->surfaceLibrary.emplace(*std::move(surfaces));
  for (auto [place, name] : {std::pair(&made->descriptorClass, "_ANEInMemoryModelDescriptor"),
                             {&made->modelClass, "_ANEInMemoryModel"},
                             {&made->requestClass, "_ANERequest"},
                             {&made->surfaceClass, "_ANEIOSurfaceObject"}}) {
    *place = made->runtime.classNamed(name);
    if (!*place)
      return absl::UnimplementedError(absl::StrCat("the framework of the Neural Engine has no class ", name));
  }
  return std::shared_ptr<const Framework>(std::move(made));
}

absl::Status Framework::statusOf(const std::string &subject, Bool succeeded, Id error) const {
  if (succeeded)
    return absl::OkStatus();
  const std::string text = error ? foundation.text(runtime.send(error, "localizedDescription")) : "";
  const long code = error ? runtime.send<long>(error, "code") : 0;
  return engine::statusOf(subject, text, code);
}

absl::StatusOr<objc::Owned>
Framework::model(const std::string &subject, const std::string &text,
                 const std::vector<std::pair<std::string, std::pair<const void *, uint64_t>>> &weights) const {
  // NSData, and a dictionary even if it is empty: strings and nil are said to crash (ane-programming.md 1.2).
  std::vector<std::pair<Id, Id>> files;
  for (const auto &[name, content] : weights)
    files.push_back(
        {foundation.string(name),
         foundation.dictionary({{foundation.string("offset"), foundation.number(0)},
                                {foundation.string("data"), foundation.dataOf(content.first, content.second)}})});
  Id descriptor = runtime.send(descriptorClass,
                               "modelWithMILText:weights:optionsPlist:", foundation.dataOf(text.data(), text.size()),
                               foundation.dictionary(files), Id(nullptr));
  if (!descriptor)
    return refuse(Refusal::Program, absl::StrCat(subject, ": the framework makes no descriptor of the text"));
  objc::Owned model(runtime, runtime.send(modelClass, "inMemoryModelWithDescriptor:", descriptor));
  if (!model)
    return refuse(Refusal::Program, absl::StrCat(subject, ": the framework makes no model of the text"));
  return model;
}

std::string Framework::identifier(Id model) const {
  return foundation.text(runtime.send(model, "hexStringIdentifier"));
}

bool Framework::isCompiled(Id model) const {
  return runtime.responds(model, "compiledModelExists") && runtime.send<Bool>(model, "compiledModelExists") != 0;
}

absl::Status Framework::compile(const std::string &subject, Id model) const {
  Id error = nullptr;
  const Bool done = runtime.send<Bool>(model, "compileWithQoS:options:error:", kQoS, foundation.dictionary({}), &error);
  return statusOf(absl::StrCat(subject, ": compiling"), done, error);
}

absl::Status Framework::load(const std::string &subject, Id model) const {
  Id error = nullptr;
  const Bool done = runtime.send<Bool>(model, "loadWithQoS:options:error:", kQoS, foundation.dictionary({}), &error);
  return statusOf(absl::StrCat(subject, ": loading"), done, error);
}

absl::Status Framework::unload(const std::string &subject, Id model) const {
  Id error = nullptr;
  const Bool done = runtime.send<Bool>(model, "unloadWithQoS:error:", kQoS, &error);
  return statusOf(absl::StrCat(subject, ": unloading"), done, error);
}

std::optional<Symbols> Framework::symbols(Id model, const std::string &procedure) const {
  if (!runtime.responds(model, "modelAttributes"))
    return std::nullopt;
  Id description = foundation.valueOf(runtime.send(model, "modelAttributes"), "ANEFModelDescription");
  Id id = foundation.valueOf(foundation.valueOf(description, "kANEFModelProcedureNameToIDMapKey"), procedure.c_str());
  if (!id)
    return std::nullopt;
  Symbols symbols;
  symbols.procedure = runtime.send<long long>(id, "longLongValue");
  Id own = nullptr;
  for (Id each : foundation.objects(foundation.valueOf(description, "ANEFModelProcedures")))
    if (Id number = foundation.valueOf(each, "ANEFModelProcedureID");
        number && runtime.send<long long>(number, "longLongValue") == symbols.procedure)
      own = each;
  for (auto [indexKey, nameKey, ports] :
       {std::tuple("ANEFModelInputSymbolIndexArray", "kANEFModelInputSymbolsArrayKey", &symbols.inputs),
        std::tuple("ANEFModelOutputSymbolIndexArray", "kANEFModelOutputSymbolsArrayKey", &symbols.outputs)}) {
    const std::vector<std::string> names = foundation.texts(foundation.valueOf(description, nameKey));
    for (int64_t index : foundation.numbers(foundation.valueOf(own, indexKey))) {
      if (index < 0 || index >= static_cast<int64_t>(names.size()))
        return std::nullopt;
      // An output is called name@output.
      ports->push_back({std::string(absl::StripSuffix(names[static_cast<size_t>(index)], "@output")), index});
    }
  }
  return symbols;
}

absl::StatusOr<objc::Owned> Framework::request(const std::string &subject, const std::vector<Bound> &inputs,
                                               const std::vector<Bound> &outputs, int64_t procedure) const {
  std::vector<Id> surfaces[2], indices[2];
  for (int i : {0, 1})
    for (const Bound &bound : i ? outputs : inputs) {
      surfaces[i].push_back(runtime.send(surfaceClass, "objectWithIOSurface:", bound.surface->nativeHandle()));
      indices[i].push_back(foundation.number(bound.index));
    }
  objc::Owned made(
      runtime,
      runtime.send(requestClass,
                   "requestWithInputs:inputIndices:outputs:outputIndices:weightsBuffer:perfStats:procedureIndex:",
                   foundation.array(surfaces[0]), foundation.array(indices[0]), foundation.array(surfaces[1]),
                   foundation.array(indices[1]), Id(nullptr), Id(nullptr), foundation.number(procedure)));
  if (!made)
    return refuse(Refusal::Program, absl::StrCat(subject, ": the framework makes no request of its surfaces"));
  return made;
}

absl::Status Framework::evaluate(const std::string &subject, Id model, Id request) const {
  Id error = nullptr;
  const Bool done = runtime.send<Bool>(model, "evaluateWithQoS:options:request:error:", kQoS, foundation.dictionary({}),
                                       request, &error);
  return done ? absl::OkStatus() : statusOf(subject, done, error);
}

std::string Framework::temporaryFolder() const {
  auto *folder = libraries.function<Id()>("NSTemporaryDirectory");
  return folder ? foundation.text(folder()) : "";
}

} // namespace ane::rt::engine
