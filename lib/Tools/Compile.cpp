//===- Compile.cpp - the compiler driver ----------------------------------===//

#include "ane/Tools/Compile.h"
#include "CompileFlags.h"
#include "ModelDiagnostics.h"
#include "Models.h"
#include "OutputFile.h"
#include "PackageFlags.h"
#include "TargetCompiler.h"
#include "ane/Bundle/Bundle.h"
#include "ane/Bundle/BundleDirectory.h"
#include "ane/Bundle/Package.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/Training.h"
#include "ane/IR/WeightFacts.h"
#include "ane/InitAll.h"
#include "ane/Report/Targets.h"
#include "ane/Report/Why.h"
#include "ane/Tools/ToolMain.h"
#include "ane/Transforms/IslandPipeline.h"
#include "ane/Transforms/RecomputeRules.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <csignal>
#include <thread>
#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace mlir;
using namespace mlir::ane;

namespace {
/// The driver: one bundle, or one answer.
class Driver {
public:
  explicit Driver(CompileFlags given)
      : options(std::move(given)), diagnostics(&context, options.diagnostics == "json") {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// Returns the exit code.
  int run() {
    if (failed(checkFlags()))
      return usageError;
    return failed(answer());
  }

private:
  LogicalResult error(const Twine &message) {
    diagnostics.say("error", message);
    return failure();
  }

  void progress(const Twine &step) {
    if (!options.quiet)
      diagnostics.say("progress", step);
  }

  //===-- output ------------------------------------------------------------===//

  /// Nothing or the error.
  LogicalResult check(const std::string &wrong) { return wrong.empty() ? success() : error(wrong); }

  /// The flag that says where the report, the answer or the module goes, and the place.
  std::pair<StringRef, const std::string &> placeOfOutput() const {
    if (options.why.empty() && !options.wantsMatrix && *phase != Phase::Bundle)
      return {"-o", options.output};
    return {"--report", options.report};
  }

  /// What can't be written is an error before the work begins.
  LogicalResult openOutput() { return check(output.open(placeOfOutput().second)); }

  LogicalResult write(StringRef text) {
    return check(output.write([&](llvm::raw_ostream &os) { os << text; }));
  }

  LogicalResult finish() { return check(output.commit()); }

  LogicalResult print(StringRef text) { return success(succeeded(write(text)) && succeeded(finish())); }

  LogicalResult answer() {
    if (options.wantsExplanation)
      return print(explanation);
    if (options.listTargets)
      return print(options.json ? targetsJSON(route, options.os) : targetsText(route, options.os));
    if (failed(openOutput()))
      return failure();
    if (options.wantsMatrix)
      return compileMatrix();
    return options.why.empty() ? compile() : traceNodes();
  }

  //===-- flags -------------------------------------------------------------===//

  LogicalResult notKnown() {
    return error("no constraint and no op '" + options.explain + "': --explain without a value lists all constraints");
  }

  LogicalResult explain() {
    llvm::raw_string_ostream os(explanation);
    if (options.explain.empty() && options.json) {
      llvm::json::Array all;
      for (const ConstraintInfo &record : allConstraints())
        all.push_back(constraintJSON(&context, record.id, options.os));
      os << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(all)));
    } else if (options.explain.empty()) {
      listConstraints(os);
    } else if (options.json) {
      std::optional<llvm::json::Object> object = explainJSON(&context, options.explain, options.os);
      if (!object)
        return notKnown();
      os << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(*object)));
    } else if (!mlir::ane::explain(&context, options.explain, route, options.os, os)) {
      return notKnown();
    }
    return success();
  }

  /// What questions need, too.
  LogicalResult checkTarget() {
    std::string wrong;
    FailureOr<Route> parsed = parseRoute(options.route, wrong);
    if (failed(parsed))
      return error(wrong);
    route = *parsed;
    if (wrong = checkOS(options.os); !wrong.empty())
      return error(wrong);
    return success();
  }

  /// Everything that can be said of the flags before the model is read.
  LogicalResult checkFlags() {
    if (options.diagnostics != "text" && options.diagnostics != "json")
      return error("no format of messages '" + options.diagnostics + "': text or json");
    if (failed(checkTarget()))
      return failure();
    if (options.wantsExplanation)
      return explain();
    if (options.listTargets)
      return success();
    if (std::string wrong = models.take(options); !wrong.empty())
      return error(wrong);
    phase = findPhase(options.compileTo);
    if (!phase) {
      auto names = llvm::map_range(allPhases(), [](const PhaseInfo &info) { return info.name; });
      return error("no phase '" + options.compileTo + "': one of " + llvm::join(names, ", "));
    }
    if (std::string wrong = checkTrainingFlags(options); !wrong.empty())
      return error(wrong);
    if (options.weights != "source" && options.weights != "fp16")
      return error("no kind of weights '" + options.weights + "': source or fp16");
    if (options.activations != "exact" && options.activations != "int8")
      return error("no kind of activations '" + options.activations + "': exact or int8");
    if (options.f64 && options.f32)
      return error("--cpu-f64 computes all in double and --cpu-f32 nothing: leave one out");
    if (options.activations == "int8" && (options.f64 || options.wantsTraining))
      return error(Twine("--activations=int8 rounds, which ") +
                   (options.f64 ? "--cpu-f64, the reference" : "--train, whose gradients are exact") +
                   ", can't: leave one out");
    if (!(options.requireEngine >= 0 && options.requireEngine <= 100)) // NaN is none
      return error("--require-engine=" + percent(options.requireEngine) + ": a share is 0 to 100 percent");
    if (failed(checkAnswer()) || failed(checkOutput()))
      return failure();
    std::optional<Strictness> level = symbolizeStrictness(options.strictness);
    if (!level)
      return error("no strictness '" + options.strictness + "': catalog or evidence");
    std::string wrong;
    FailureOr<std::vector<const HostTarget *>> machines = findHostTargets(options.host, options.deterministic, wrong);
    if (failed(machines))
      return error("--host: " + wrong);
    hosts = *machines;
    if (failed(check(options.checkKernelCache())))
      return failure();
    if (options.isPackage() && *phase == Phase::Bundle)
      if (wrong = package.take(options); !wrong.empty())
        return error(wrong);
    FailureOr<TargetAttr> parsed = parseTarget(&context, options.target, wrong, package.route.value_or(route),
                                               package.os.value_or(options.os), *level);
    if (failed(parsed))
      return error(wrong);
    target = package.opset ? withOpset(*parsed, *package.opset) : *parsed;
    if (options.prefer != "accuracy" && options.prefer != "speed")
      return error("nothing to prefer '" + options.prefer + "': accuracy or speed");
    if (!llvm::is_contained({"auto", "never", "always"}, options.procedures))
      return error("no answer '" + options.procedures + "' to --procedures: auto, never or always");
    if (!PartitionSetting::parse(options.partition))
      return error("no partition '" + options.partition +
                   "' (--partition): auto, layers, layer-halves, layer-thirds, layer-sixths, layer-tenths, or "
                   "chunks:N, where N is 1 to 4096");
    if ((options.partition == "layer-sixths" || options.partition == "layer-tenths") && !options.wantsTraining)
      return error("--partition=" + options.partition + " cuts layers and their gradients: add --train");
    if (!options.recompute.empty() && !options.wantsTraining)
      return error("--recompute is for functions that train: add --train");
    if (!llvm::is_contained({"auto", "engine", "cpu"}, options.weightGradients))
      return error("no device '" + options.weightGradients + "' for --weight-gradients: auto, engine or cpu");
    if (options.weightGradients != "auto" && !options.wantsTraining)
      return error("--weight-gradients is for functions that train: add --train");
    if (auto rules = RecomputeRules::create(options.recompute); !rules)
      return error(llvm::toString(rules.takeError()));
    std::vector<std::string> kept = options.keep;
    if (wrong = options.checkConstants(route == Route::InMemory, options.os); !wrong.empty())
      return error(wrong);
    if (options.constantsPerProgram)
      kept.push_back("C224");
    FailureOr<ArrayAttr> rules = parseKeep(&context, kept, wrong);
    if (failed(rules))
      return error(wrong);
    keep = *rules;
    return success();
  }

  LogicalResult checkOutput() {
    auto [flag, place] = placeOfOutput();
    if (models.reads(place))
      return error(flag + " " + place + ": this is the model that is read: choose another place");
    return success();
  }

  /// The flags that ask for an answer instead of a bundle.
  LogicalResult checkAnswer() {
    StringRef question = options.wantsMatrix ? "--targets" : options.why.empty() ? "" : "--why";
    if (question.empty()) {
      if (*phase == Phase::Bundle && (options.output.empty() || options.output == "-"))
        return error("a bundle is a directory and needs a name: add -o NAME.anebundle, or --compile-to=PHASE");
      if (*phase == Phase::Bundle && !options.report.empty() && options.isInsideOutput(options.report))
        return error("--report=" + options.report +
                     ": this folder is replaced as a whole by the bundle, which has a "
                     "report.json of its own: choose another place");
      if (*phase != Phase::Bundle && options.requireEngine > 0)
        return error("--require-engine reads what phase emittable tells: it does not go with --compile-to");
      return success();
    }
    if (options.wantsMatrix && !options.why.empty())
      return error("--targets and --why are two questions: ask one");
    if (options.wantsMatrix && failed(findMatrixChips()))
      return failure();
    if (!options.output.empty())
      return error(question + " writes no bundle: leave out -o (--report=FILE takes the answer)");
    if (*phase != Phase::Bundle)
      return error(question + " and --compile-to are two answers: ask for one");
    return success();
  }

  LogicalResult findMatrixChips() {
    // Of a chip without a path for MIL programs the answer is the same for every model.
    bool isEvery = options.targets == "every";
    if (isEvery || options.targets == "all") {
      for (const ChipInfo &chip : allChips())
        if (isEvery || chip.hasMIL)
          matrixChips.push_back(&chip);
      return success();
    }
    std::string wrong;
    FailureOr<SmallVector<const ChipInfo *>> found = findChips(options.targets, wrong);
    if (failed(found))
      return error(wrong);
    matrixChips = *found;
    return success();
  }

  //===-- compiling ---------------------------------------------------------===//

  PhaseOptions phaseOptions() const {
    PhaseOptions phases{options.channelsOnHost, options.procedures,
                        options.partition,      options.constantsPerProgram.value_or(0),
                        options.recompute,      options.weightGradients};
    if (options.wantsTraining && !options.proceduresGiven) // functions that train share no run, and seldom weights
      phases.procedures = "never";
    if (options.wantsTraining)
      phases.training = TrainingOptions{options.train,
                                        options.lossOutput,
                                        options.trainable,
                                        options.frozen,
                                        options.parameters == "baked",
                                        options.unbaked,
                                        options.temperature.value_or(TrainingOptions().temperature),
                                        options.symmetric,
                                        options.ignoreLabel.value_or(TrainingOptions().ignore),
                                        options.classAxis,
                                        options.classWeights,
                                        options.positiveWeights,
                                        options.smoothing.value_or(0)};
    if (!options.adapters.empty())
      (void)phases.adapters.emplace().take(options.adapters);
    return phases;
  }

  LogicalResult run(function_ref<void(PassManager &)> build) {
    PassManager pm(&context);
    if (failed(applyPassManagerCLOptions(pm)))
      return failure();
    applyDefaultTimingPassManagerCLOptions(pm);
    pm.enableVerifier(false);
    build(pm);
    return pm.run(*module);
  }

  LogicalResult runPhases(Phase from, Phase to, std::unique_ptr<PassInstrumentation> instrumentation = nullptr) {
    return run([&](PassManager &pm) {
      if (instrumentation)
        pm.addInstrumentation(std::move(instrumentation));
      buildPhases(pm, from, to, phaseOptions());
    });
  }

  LogicalResult importForTarget() {
    progress("importing " + models.title());
    auto read = models.read(&context, [&](const Twine &message) { return error(message); });
    if (failed(read))
      return failure();
    module = std::move(*read);
    if (failed(takeOwnPhase()) || failed(takeOwnTarget()))
      return failure();
    if (from > Phase::Canonical)
      return success();
    setTarget(*module, target, keep);
    if (options.preferGiven)
      setPreference(*module, options.prefer == "speed");
    return success();
  }

  /// What --compile-to printed says which phase it is of; compilation goes on from there.
  LogicalResult takeOwnPhase() {
    auto own = attrs::phase.get(*module);
    if (!own)
      return success();
    std::optional<Phase> known = findPhase(own.getValue());
    if (!known || *known == Phase::Bundle)
      return error("ane.phase of the module: no phase '" + own.getValue() + "' of modules");
    from = *known;
    attrs::phase.remove(*module);
    if (*phase < from)
      return error("the module is of phase " + own.getValue() + ", after " + options.compileTo +
                   ": no phase goes back");
    // What a phase has decided stays.
    const std::tuple<StringRef, bool, Phase> deciders[] = {
        {"--channels-on-host", options.channelsOnHost, Phase::Legal},
        {"--train", options.wantsTraining, Phase::Canonical},
        {"--lora", !options.adapters.empty(), Phase::Canonical},
        {"--partition", options.partitionGiven, Phase::Legal},
        {"--constants-per-program", options.constantsPerProgram.has_value(), Phase::Legal},
        {"--procedures", options.proceduresGiven, Phase::Partitioned}};
    for (auto [flag, isGiven, decided] : deciders)
      if (isGiven && from >= decided)
        return error(flag + " says what phase " + allPhases()[unsigned(decided)].name +
                     " does, and the module is of phase " + own.getValue() +
                     ": give it to the compilation from an earlier phase");
    StringRef question = options.wantsMatrix ? "--targets" : options.why.empty() ? "" : "--why";
    if (from > Phase::Canonical && !question.empty())
      return error(question + " tells what a compilation does from phase canonical on; the module is of phase " +
                   own.getValue());
    return success();
  }

  /// A module of the dialect may say itself what it is for; flags have precedence, unless it has been legalised.
  LogicalResult takeOwnTarget() {
    auto own = attrs::target.get(*module);
    bool isBound = from > Phase::Canonical, speed = attrs::prefer.isOn(*module);
    if (isBound && (!own || (options.targetGiven && own != target) ||
                    (options.preferGiven && speed != (options.prefer == "speed"))))
      return error("a module of phase " + Twine(allPhases()[unsigned(from)].name) +
                   " is legal for one target: give --target and --prefer to the compilation from phase canonical");
    if (!own || (options.targetGiven && !isBound))
      return success();
    std::string wrong;
    FailureOr<TargetAttr> checked =
        parseTarget(&context, own.getChip(), wrong, own.getRoute(), own.getOs(), own.getStrictness());
    if (failed(checked))
      return error("ane.target of the module: " + wrong);
    target =
        TargetAttr::get(&context, checked->getChip(), own.getRoute(), own.getOs(), own.getOpset(), own.getStrictness());
    keep = attrs::keep.get(*module);
    return success();
  }

  /// What of a package the records let the engine take, where somebody asks: Core ML decides itself.
  LogicalResult forecast() {
    if (!options.wantsReport && options.requireEngine == 0)
      return success();
    OwningOpRef<ModuleOp> canonical = module->clone();
    if (failed(runPhases(Phase::Canonical, Phase::Emittable)))
      return failure();
    Report report = makeReport(*module);
    module = std::move(canonical);
    if (failed(writeReport(report)))
      return failure();
    if (!isResident(report)) {
      (void)finish();
      return failure();
    }
    return success();
  }

  /// Of a whole model, as one program of Core ML.
  LogicalResult compilePackage() {
    auto fault = [&](const Twine &message) { (void)error(message); };
    auto directory = BundleDirectory::create(options.output, fault);
    if (failed(directory) || failed(importForTarget()))
      return failure();
    progress("compiling for Core ML, opset " + stringifyOpset(target.getOpset()));
    if (failed(runPhases(from, Phase::Canonical)) || failed(forecast()) ||
        failed(run([&](PassManager &pm) { buildPackage(pm, package.precision); })) ||
        failed(writePackage(*module, package.text, *directory)))
      return failure();
    progress("syncing " + options.output);
    if (failed(directory->commit(fault, [&] { return finish(); })))
      return failure();
    progress("wrote " + options.output);
    return success();
  }

  LogicalResult compile() {
    if (options.isPackage() && *phase == Phase::Bundle)
      return compilePackage();
    auto fault = [&](const Twine &message) { (void)error(message); };
    FailureOr<BundleDirectory> directory = BundleDirectory();
    if (*phase == Phase::Bundle)
      directory = BundleDirectory::create(options.output, fault);
    if (failed(directory) || failed(importForTarget()))
      return failure();
    std::optional<FactsAhead> facts; // which the manifest wants
    if (*phase == Phase::Bundle)
      facts.emplace(*module);
    BundleOptions bundle;
    if (*phase == Phase::Bundle && failed(readTexts(bundle)))
      return failure();
    progress("compiling for " + target.getChip());
    OwningOpRef<ModuleOp> canonical;
    bool tellsLifts =
        *phase == Phase::Bundle && from <= Phase::Canonical && target.getStrictness() == Strictness::Evidence;
    if (tellsLifts) {
      if (failed(runPhases(from, Phase::Canonical)))
        return failure();
      canonical = module->clone();
    }
    if (failed(runPhases(tellsLifts ? Phase::Canonical : from, std::min(*phase, Phase::Emittable))))
      return failure();
    if (*phase != Phase::Bundle)
      return printModule();
    tellParameters();
    Report report = makeReport(*module);
    report.activations = options.activations;
    if (tellsLifts && failed(TargetCompiler(*canonical, phaseOptions()).addLifts(report, target, keep)))
      return failure();
    if (!isResident(report)) {
      if (succeeded(writeReport(report)))
        (void)finish();
      return failure();
    }
    bundle.hosts = hosts;
    bundle.weights = options.weights == "fp16" ? WeightKind::Fp16 : WeightKind::Source;
    bundle.activations = options.activations == "int8" ? ActivationKind::Int8 : ActivationKind::Exact;
    bundle.f64 = options.f64;
    bundle.f32 = options.f32;
    bundle.kernelCache = options.kernelCache;
    bundle.progress = [&](StringRef step) { progress(step); };
    // The report may fail, too, and then there is no bundle.
    if (failed(writeBundle(*module, bundle, *directory, report.json())) || failed(writeReport(report)))
      return failure();
    progress("syncing " + options.output);
    if (failed(directory->commit(fault, [&] { return finish(); })))
      return failure();
    progress("wrote " + options.output);
    return success();
  }

  /// What is trained, before anything runs.
  void tellParameters() {
    int64_t elements = 0;
    size_t count = 0;
    std::string list;
    for (auto parameter : module->getOps<ParameterOp>()) {
      auto type = cast<RankedTensorType>(parameter.getType());
      bool isStatistic = attrs::statistic.isOn(parameter);
      count += !isStatistic;
      elements += isStatistic ? 0 : type.getNumElements();
      llvm::raw_string_ostream(list) << "\n  " << parameter.getName() << " ["
                                     << llvm::join(llvm::map_range(type.getShape(),
                                                                   [](int64_t size) { return std::to_string(size); }),
                                                   ", ")
                                     << "]" << (isStatistic ? " (running statistic)" : "");
    }
    if (count)
      progress("training " + Twine(count) + " parameters of " + Twine(elements) + " elements:" + list);
  }

  /// What is wrong with a tokenizer is said before all the work.
  LogicalResult readTexts(BundleOptions &bundle) {
    auto texts = readTextFiles(*module);
    if (failed(texts))
      return failure();
    for (TextFile &text : *texts)
      bundle.others.emplace_back(std::move(text.path), std::move(text.contents));
    return success();
  }

  /// The gate of --require-engine; names the ops that are in the way.
  bool isResident(const Report &report) {
    const ReportedFunction *below = report.findBelow(options.requireEngine / 100);
    if (!below)
      return true;
    std::string which = report.functions.size() > 1 ? " of function '" + below->name + "'" : "";
    (void)error(percentText(below->engineFlops, below->flops) + " of the FLOPs" + which + " run on the engine of " +
                report.target + ", " + percent(options.requireEngine) +
                " % are required (--require-engine); on the CPU are\n" + StringRef(report.culprits()).rtrim() +
                "\n'ane-compile --explain=ID' tells about a constraint");
    return false;
  }

  LogicalResult compileMatrix() {
    if (failed(importForTarget()))
      return failure();
    progress("compiling for " + Twine(matrixChips.size()) + " targets");
    if (failed(runPhases(from, Phase::Canonical)))
      return failure();
    FailureOr<Matrix> matrix = TargetCompiler(*module, phaseOptions())
                                   .matrix(models.title(/*isShort=*/true), matrixChips, target.getRoute(),
                                           target.getOs(), target.getStrictness(), keep);
    if (failed(matrix) || failed(print(options.json ? matrix->json() : matrix->text())))
      return failure();
    bool resident = true;
    for (const Matrix::Row &row : matrix->rows)
      resident &= isResident(row.report);
    return success(resident);
  }

  LogicalResult traceNodes() {
    NodeTrace trace(options.why);
    context.disableMultithreading();
    if (failed(importForTarget()))
      return failure();
    std::string wrong;
    if (failed(trace.begin(*module, wrong)))
      return error(wrong);
    progress("compiling for " + target.getChip());
    if (failed(runPhases(from, Phase::Emittable, trace.instrumentation())))
      return failure();
    trace.end(*module);
    return print(options.json ? trace.json() : trace.text());
  }

  LogicalResult writeReport(const Report &report) {
    return options.wantsReport ? write(options.json ? report.json() : report.text()) : success();
  }

  /// With locations, which name the model's nodes, and the phase: compilation goes on from the text as it would have.
  LogicalResult printModule() {
    OpPrintingFlags flags = OpPrintingFlags().enableDebugInfo();
    attrs::phase.set(*module, StringAttr::get(&context, options.compileTo));
    if (failed(check(output.write([&](llvm::raw_ostream &os) { module->print(os, flags); }))))
      return failure();
    return finish();
  }

  const CompileFlags options;
  PackageFlags package;
  MLIRContext context;
  ModelDiagnostics diagnostics;
  OutputFile output;
  Models models;
  std::string explanation;
  std::optional<Phase> phase;
  Phase from = Phase::Input; // of the module that was read
  Route route = Route::InMemory;
  TargetAttr target;
  ArrayAttr keep;
  SmallVector<const ChipInfo *> matrixChips; // of --targets
  std::vector<const HostTarget *> hosts;
  OwningOpRef<ModuleOp> module;
};
} // namespace

/// glibc gives threads up to eight arenas for each processor; what is free in one is of no use to the others. One for
/// each processor takes a tenth off the peak of a compilation for all hosts.
static void limitArenas() {
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, std::max(2u, std::thread::hardware_concurrency()));
#endif
}

int mlir::ane::compileMain(int argc, char **argv) {
  limitArenas();
  describeTool("ane-compile");
  removeUnfinishedOnInterrupt();
  llvm::InitLLVM init(argc, argv);
  // A file-size limit is an error of writing, not a reason to die and leave a mess.
  std::signal(SIGXFSZ, SIG_IGN);
  return Driver(parseCompileFlags(argc, argv)).run();
}
