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

/// Methods of _ANEClient.
constexpr char kDirect[] = "doEvaluateDirectWithModel:options:request:qos:error:",
               kRealTime[] = "evaluateRealTimeWithModel:options:request:error:",
               kPrepare[] = "prepareChainingWithModel:options:chainingReq:qos:error:",
               kEnqueue[] = "enqueueSetsWithModel:outputSet:options:qos:error:",
               kReady[] = "buffersReadyWithModel:inputBuffers:options:qos:error:";

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
  made->surfaceLibrary = std::make_shared<const SurfaceLibrary>(*std::move(surfaces));
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
  const std::string domain = error ? foundation.text(runtime.send(error, "domain")) : "";
  return engine::statusOf(subject, text, code, domain);
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

absl::StatusOr<objc::Owned> Framework::client(EvaluationPath path) const {
  const char *name = nameOf(path);
  Id clientClass = runtime.classNamed("_ANEClient");
  const bool isDirect = path == EvaluationPath::Direct;
  const char *method = isDirect ? kDirect : kRealTime, *maker = "initWithRestrictedAccessAllowed:";
  auto has = [&](Id ofClass, const char *selector) {
    return runtime.send<Bool>(ofClass, "instancesRespondToSelector:", runtime.selector(selector)) != 0;
  };
  for (auto [ofClass, selector] : {std::pair(clientClass, method), {clientClass, maker}, {modelClass, "model"}})
    if (!ofClass || !has(ofClass, selector))
      return absl::UnimplementedError(
          absl::StrCat("the framework of this system has no ", name, " evaluation: ",
                       ofClass ? absl::StrCat("its ", ofClass == modelClass ? "models" : "clients", " lack ", selector)
                               : "it lacks the class _ANEClient"));
  // What alloc gives is retained.
  Id made = isDirect ? runtime.send(runtime.send(clientClass, "alloc"), maker, Bool(1))
                     : runtime.send(clientClass, "sharedConnection");
  objc::Owned client(runtime, made);
  if (isDirect)
    runtime.release(made);
  if (!client)
    return absl::UnimplementedError(
        absl::StrCat("the framework of this system gives no client for ", name, " evaluation"));
  return client;
}

absl::Status Framework::evaluate(const std::string &subject, Id model, Id request, EvaluationPath path,
                                 Id client) const {
  Id error = nullptr, shell = runtime.send(model, "model"), options = foundation.dictionary({});
  Bool done = 0;
  if (shell && path == EvaluationPath::Direct)
    done = runtime.send<Bool>(client, kDirect, shell, options, request, kQoS, &error);
  else if (shell)
    done = runtime.send<Bool>(client, kRealTime, shell, options, request, &error);
  return done ? absl::OkStatus() : statusOf(absl::StrCat(subject, " by ", nameOf(path), " evaluation"), done, error);
}

absl::Status Framework::chain(const std::string &subject, Id model, const std::vector<Bound> &inputs,
                              const std::vector<Bound> &outputs, int64_t procedure, Id client) const {
  auto missing = [&](const char *name) {
    return absl::UnimplementedError(absl::StrCat(subject, ": the framework of this system has no ", name));
  };
  Id chainClass = runtime.classNamed("_ANEChainingRequest"), bufferClass = runtime.classNamed("_ANEBuffer"),
     setClass = runtime.classNamed("_ANEIOSurfaceOutputSets"), readyClass = runtime.classNamed("_ANEInputBuffersReady"),
     enqueueClass = runtime.classNamed("_ANEOutputSetEnqueue");
  constexpr char make[] = "chainingRequestWithInputs:outputSets:lbInputSymbolId:lbOutputSymbolId:procedureIndex:"
                          "signalEvents:transactionHandle:fwEnqueueDelay:memoryPoolId:",
                 makeBuffer[] = "bufferWithIOSurfaceObject:symbolIndex:source:",
                 makeSet[] = "objectWithstatsSurRef:outputBuffer:",
                 makeReady[] = "inputBuffersWithProcedureIndex:inputBufferInfoIndex:inputFreeValue:executionDelay:",
                 makeEnqueue[] = "outputSetWithProcedureIndex:setIndex:signalValue:signalNotRequired:isOpenLoop:";
  for (auto [object, selector] : {std::pair(chainClass, make),
                                  {bufferClass, makeBuffer},
                                  {setClass, makeSet},
                                  {readyClass, makeReady},
                                  {enqueueClass, makeEnqueue},
                                  {client, kPrepare},
                                  {client, kEnqueue},
                                  {client, kReady}})
    if (!runtime.responds(object, selector))
      return missing(selector);
  // No statistics are wanted, but no set is made without a surface for them.
  auto statistics = surfaceLibrary->make(4096);
  if (!statistics.ok())
    return statistics.status();
  std::vector<Id> buffers[2], places, free;
  for (int i : {0, 1})
    for (const Bound &bound : i ? outputs : inputs)
      buffers[i].push_back(runtime.send(
          bufferClass, makeBuffer, runtime.send(surfaceClass, "objectWithIOSurface:", bound.surface->nativeHandle()),
          foundation.number(bound.index), static_cast<long long>(i)));
  for (size_t i = 0; i < inputs.size(); ++i) {
    places.push_back(foundation.number(static_cast<int64_t>(i)));
    free.push_back(foundation.number(0));
  }
  Id none = foundation.array({}), options = foundation.dictionary({}), zero = foundation.number(0);
  Id set = runtime.send(setClass, makeSet, (*statistics)->nativeHandle(), foundation.array(buffers[1]));
  Id request = set ? runtime.send(chainClass, make, foundation.array(buffers[0]), foundation.array({set}), none, none,
                                  foundation.number(procedure), none, Id(nullptr), zero, zero)
                   : nullptr;
  if (!request || !runtime.send<Bool>(request, "validate"))
    return refuse(Refusal::Program, absl::StrCat(subject, ": the framework takes no chain of it"));
  const auto index = static_cast<unsigned int>(procedure);
  Id enqueue = runtime.send(enqueueClass, makeEnqueue, index, 0U, 1ULL, Bool(0), Bool(0)),
     ready = runtime.send(readyClass, makeReady, index, foundation.array(places), foundation.array(free), 0ULL),
     shell = runtime.send(model, "model");
  for (auto [step, selector, argument] : {std::tuple("preparing", kPrepare, request),
                                          {"enqueuing its output of", kEnqueue, foundation.array({enqueue})},
                                          {"giving the input of", kReady, ready}}) {
    Id error = nullptr;
    const bool isPrepare = selector == kPrepare;
    // The first takes options before what it is about, the second and third behind it.
    const Bool done = shell ? runtime.send<Bool>(client, selector, shell, isPrepare ? options : argument,
                                                 isPrepare ? argument : options, kQoS, &error)
                            : Bool(0);
    if (absl::Status status = statusOf(absl::StrCat(subject, ": ", step, " a chain"), done, error); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

std::string Framework::temporaryFolder() const {
  auto *folder = libraries.function<Id()>("NSTemporaryDirectory");
  return folder ? foundation.text(folder()) : "";
}

} // namespace ane::rt::engine
