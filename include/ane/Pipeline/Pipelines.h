//===- Pipelines.h - phases and their pipelines ----------------*- C++ -*-===//
//
//   input -> canonical -> legal -> partitioned -> emittable -> bundle
//
// Every phase has a contract that its verifier checks without changing anything; `ane-compile --compile-to=PHASE` stops
// there and prints the module.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_PIPELINE_PIPELINES_H
#define ANE_PIPELINE_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::ane {

enum class Phase { Input, Canonical, Legal, Partitioned, Emittable, Bundle };

struct PhaseInfo {
  Phase phase;
  llvm::StringRef name;
  llvm::StringRef contract;
};

/// All phases in order.
llvm::ArrayRef<PhaseInfo> allPhases();
std::optional<Phase> findPhase(llvm::StringRef name);

/// Which functions of training the function @main becomes, in phase canonical.
struct TrainingOptions {
  /// cross-entropy, mse or bce: of an output and a new input, `target`; contrastive: of the embeddings of pairs; model:
  /// an output is the loss.
  std::string loss = "cross-entropy";
  /// The output that the loss compares, or is; empty: the only one that can be.
  std::string output;
  /// Patterns of names of weights: those that are trained beside the model's parameters, and those that are not.
  std::vector<std::string> trainable, frozen;
  /// Programs have the parameters as weights, and not as inputs, but for those that the patterns name.
  bool baked = false;
  std::vector<std::string> unbaked = {};
  /// Of a contrastive loss: ane-append-loss.
  double temperature = 0.05;
  bool isSymmetric = false;
  /// Of cross-entropy and bce: the target that does not count, the axis of classes (a number or auto), factors of
  /// classes and of positive targets, and what of a target all classes have.
  int64_t ignore = -100;
  std::string classAxis = "auto";
  std::vector<double> classWeights = {}, positiveWeights = {};
  double smoothing = 0;
};

/// Low-rank adapters beside linear layers: ane-add-adapters.
struct AdapterOptions {
  int64_t rank = 8;
  double alpha = 16;
  std::vector<std::string> targets;

  /// Takes "rank=8,alpha=16,targets=q_proj,v_proj". Returns what is wrong with it, or an empty string.
  std::string take(llvm::StringRef text);
};

struct PhaseOptions {
  /// Channels beyond the limit go to the CPU instead of being split (C16).
  bool channelsOnHost = false;
  /// When programs become procedures of one: ane-merge-programs.
  std::string procedures = "auto";
  /// Into which programs functions are cut: what PartitionSetting::parse takes.
  std::string partition = "auto";
  /// Most weight constants of a program, where they count (C224); 0: as many as the record says.
  int64_t constantsPerProgram = 0;
  /// What a backward pass computes anew: as of ane-recompute.
  std::vector<std::string> recompute;
  /// Which device computes gradients of weights: as of ane-place-gradients.
  std::string weightGradients = "auto";
  std::optional<TrainingOptions> training = std::nullopt;
  /// With `training` nothing but the adapters is trained; without, they are states.
  std::optional<AdapterOptions> adapters = std::nullopt;
};

/// The passes from phase `from` (exclusive) to phase `to` (inclusive), each phase followed by its verifier, which runs
/// MLIR's, too: a tool that compiles whole models switches that off after every pass, where it takes a third of the
/// time. `pm` runs on modules that have a target.
void buildPhases(OpPassManager &pm, Phase from, Phase to, const PhaseOptions &options);

/// What a package of Core ML computes in: Half is fp16 for what the engine takes, and the model's types for the rest;
/// Single is the model's types everywhere.
enum class Precision { Half, Single };

/// From phase canonical to the program of a package, with names and records. `pm` runs on modules whose target has
/// route coreml.
void buildPackage(OpPassManager &pm, Precision precision);

/// ane-to-canonical, ane-to-legal, ... for ane-opt.
void registerPipelines();

} // namespace mlir::ane

#endif // ANE_PIPELINE_PIPELINES_H
