//===- Pipelines.cpp - phases and their pipelines -------------------------===//

#include "ane/Pipeline/Pipelines.h"
#include "ane/Autodiff/Passes.h"
#include "ane/Pipeline/Passes.h"
#include "ane/Transforms/IslandPipeline.h"
#include "ane/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;

static constexpr PhaseInfo phases[] = {
    {Phase::Input, "input", "well-formed ops on static shapes; may be illegal for every chip"},
    {Phase::Canonical, "canonical",
     "one flat function; composites raised; no shape computation; large data are #ane.weight"},
    {Phase::Legal, "legal", "every op is in an island that the target accepts, or carries a host mark with the reason"},
    {Phase::Partitioned, "partitioned", "programs, twins and CPU functions are outlined; the plan only calls them"},
    {Phase::Emittable, "emittable", "every op of a program has a MIL spelling, a name, and its weights a record"},
    {Phase::Bundle, "bundle", "files on disk that match the manifest"},
};

ArrayRef<PhaseInfo> mlir::ane::allPhases() { return phases; }

std::optional<Phase> mlir::ane::findPhase(StringRef name) {
  for (const PhaseInfo &info : phases)
    if (info.name == name)
      return info.phase;
  return std::nullopt;
}

std::string AdapterOptions::take(StringRef text) {
  std::string last;
  for (StringRef item : llvm::split(text, ',')) {
    auto [key, value] = item.split('=');
    if (!item.contains('='))
      std::tie(key, value) = std::pair(StringRef(last), item); // one more of a list
    last = key.str();
    bool isKnown = key == "rank" || key == "alpha" || key == "targets";
    bool isTaken = key == "rank"    ? !value.getAsInteger(10, rank) && rank >= 1
                   : key == "alpha" ? !value.getAsDouble(alpha) && std::isfinite(alpha) && alpha != 0
                                    : !value.empty();
    if (!isKnown || !isTaken)
      return ("'" + item + "' is none of rank=NUMBER, from 1, alpha=NUMBER, not 0, and targets=NAME,NAME,...").str();
    if (key == "targets")
      targets.push_back(value.str());
  }
  return targets.empty() ? "no targets are named, for instance rank=8,alpha=16,targets=q_proj,v_proj" : "";
}

static void buildAdapters(OpPassManager &pm, const PhaseOptions &options) {
  AddAdaptersOptions adapters;
  adapters.rank = options.adapters->rank;
  adapters.alpha = options.adapters->alpha;
  adapters.targets = options.adapters->targets;
  adapters.as = options.training ? "parameters" : "states";
  pm.addPass(createAddAdapters(adapters));
}

static void buildTraining(OpPassManager &pm, const PhaseOptions &phases) {
  const TrainingOptions &options = *phases.training;
  bool isOwn = options.loss == "model";
  AppendLossOptions loss;
  loss.kind = options.loss;
  loss.output = options.output;
  loss.temperature = options.temperature;
  loss.symmetric = options.isSymmetric;
  loss.ignore = options.ignore;
  loss.axis = options.classAxis;
  loss.classWeights = options.classWeights;
  loss.positiveWeights = options.positiveWeights;
  loss.smoothing = options.smoothing;
  pm.addPass(createAppendLoss(loss));
  if (!phases.adapters) {
    WeightsAsInputsOptions inputs;
    inputs.weights = options.trainable;
    inputs.frozen = options.frozen;
    pm.addPass(createWeightsAsInputs(inputs));
  }
  AutodiffOptions gradients;
  gradients.loss = "loss";
  gradients.lossScale = true;
  pm.addPass(createAutodiff(gradients));
  MakeTrainingOptions training;
  training.loss = options.loss;
  training.target = isOwn || options.loss == "contrastive" ? "" : "target";
  training.ignore = options.ignore;
  training.baked = options.baked;
  training.unbaked = options.unbaked;
  pm.addPass(createMakeTraining(training));
  OpPassManager &func = pm.nest<func::FuncOp>();
  func.addPass(createCanonicalizerPass());
  if (options.baked) // products of the backward pass have weights again
    func.addPass(createRaiseComposites());
  func.addPass(createCSEPass());
}

static void buildCanonical(OpPassManager &pm, const PhaseOptions &options) {
  OpPassManager &func = pm.nest<func::FuncOp>();
  func.addPass(createCanonicalizerPass());
  func.addPass(createCSEPass());
  func.addPass(createRaiseComposites());
  func.addPass(createCanonicalizerPass());
  func.addPass(createCSEPass());
  func.addPass(createBoundInputs());
  if (options.adapters)
    buildAdapters(pm, options);
  if (options.training)
    buildTraining(pm, options);
  pm.addNestedPass<func::FuncOp>(createSealConstants());
}

static void buildLegal(OpPassManager &pm, const PhaseOptions &options) {
  OpPassManager &func = pm.nest<func::FuncOp>();
  PartitionSetting partition = PartitionSetting::parse(options.partition).value_or(PartitionSetting());
  if (partition.engineParts != "all")
    func.addPass(createPlaceLayers({partition.engineParts.str()}));
  func.addPass(createLegalizeChannels({options.channelsOnHost}));
  func.addPass(createNarrowMasks());
  func.addPass(createSealConstants()); // rows of masks
  if (options.training) {
    func.addPass(createSplitProducts());
    func.addPass(createCSEPass()); // a weight is cut alike for its two products
    func.addPass(createPlace());   // what the CPU computes is not computed anew
    func.addPass(createPlaceGradients({options.weightGradients}));
    RecomputeOptions recompute;
    recompute.how = options.recompute;
    func.addPass(createRecompute(recompute));
  }
  buildIslandFormation(func, partition.chunks, partition.layers, options.constantsPerProgram);
  func.addPass(createLegalizeIslands({partition.chunks, partition.layers, options.constantsPerProgram}));
}

static void buildPartitioned(OpPassManager &pm, const PhaseOptions &options) {
  pm.addPass(createPartition());
  pm.addPass(createMergePrograms({options.procedures}));
}

static void buildEmittable(OpPassManager &pm, const PhaseOptions &) {
  pm.addPass(createAssignBlobs());
  pm.addPass(createAssignNames());
  pm.addPass(createAssignSurfaces());
}

void mlir::ane::buildPhases(OpPassManager &pm, Phase from, Phase to, const PhaseOptions &options) {
  using Build = void (*)(OpPassManager &, const PhaseOptions &);
  static constexpr std::pair<Phase, Build> steps[] = {{Phase::Canonical, buildCanonical},
                                                      {Phase::Legal, buildLegal},
                                                      {Phase::Partitioned, buildPartitioned},
                                                      {Phase::Emittable, buildEmittable}};
  pm.addPass(createVerifyPhase({phases[unsigned(from)].name.str()}));
  for (auto [phase, build] : steps)
    if (phase > from && phase <= to) {
      build(pm, options);
      pm.addPass(createVerifyPhase({phases[unsigned(phase)].name.str()}));
    }
}

void mlir::ane::buildPackage(OpPassManager &pm, Precision precision) {
  OpPassManager &func = pm.nest<func::FuncOp>();
  if (precision == Precision::Half) {
    func.addPass(createLegalizeChannels());
    func.addPass(createNarrowMasks());
    func.addPass(createSealConstants());
    buildIslandFormation(func);
    LegalizeIslandsOptions islands;
    islands.surfaces = false; // nobody but Core ML makes any
    func.addPass(createLegalizeIslands(islands));
    func.addPass(createInlineIslands());
    func.addPass(createCanonicalizerPass());
  }
  func.addPass(createLegalizeCoreML());
  pm.addPass(createOutlinePackage());
  pm.addPass(createAssignBlobs());
  AssignNamesOptions names;
  names.ports = "model";
  pm.addPass(createAssignNames(names));
}

void mlir::ane::registerPipelines() {
  for (const PhaseInfo &info : phases) {
    if (info.phase == Phase::Input || info.phase == Phase::Bundle)
      continue;
    Phase phase = info.phase;
    std::string name = ("ane-to-" + info.name).str();
    PassPipelineRegistration<>(name, ("input to phase " + info.name + ": " + info.contract).str(),
                               [phase](OpPassManager &pm) { buildPhases(pm, Phase::Input, phase, {}); });
  }
}
