//===- CompileFlags.h - what the command line of ane-compile says -*- C++ -*-===//
#ifndef ANE_LIB_TOOLS_COMPILEFLAGS_H
#define ANE_LIB_TOOLS_COMPILEFLAGS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlir::ane {

/// The flags. lld, which links the CPU code in this process, resets those of the command line: they are read once.
struct CompileFlags {
  std::string output, target, route, strictness, prefer, weights, compileTo, report, explain, diagnostics, targets,
      findStates, bucketPad, procedures, tokenizer, partition, train, lossOutput, parameters, adapters, activations,
      documents, cacheType, weightGradients, batchNorm, classAxis, precision, minimumOS;
  std::vector<std::string> inputs, dims, shapes, values, states, stateValues, buckets, trainable, frozen, unbaked, host,
      keep, why, head, recompute;
  std::vector<int64_t> prefill;
  int64_t os;
  std::optional<int64_t> context, parallel, sequence, batch;
  std::optional<int64_t> ignoreLabel;
  std::vector<double> classWeights, positiveWeights;
  std::optional<double> temperature, smoothing;
  double requireEngine;
  std::string kernelCache;
  bool f64, f32, deterministic, channelsOnHost, json, quiet, listTargets, symmetric;
  bool wantsReport; // --report or --json
  bool wantsExplanation, wantsMatrix, wantsTraining;
  bool preferGiven;
  bool proceduresGiven, partitionGiven;
  std::optional<int64_t> constantsPerProgram;
  /// What is wrong with these, or "".
  std::string checkConstants(bool isInMemory, int64_t os) const;
  /// Makes the folder of --kernel-cache. What is wrong with it, or "".
  std::string checkKernelCache() const;
  /// Whether `path` is the output or leads into it, links aside.
  bool isInsideOutput(const std::string &path) const;
  /// Whether a package of Core ML is asked for, by the name of the output.
  bool isPackage() const;
  bool targetGiven; // one of the flags that describe the target
};

/// "95", "99.9999": as it was written, and not rounded.
std::string percent(double share);

/// Parses the command line; ends the process after --help or an unknown flag.
CompileFlags parseCompileFlags(int argc, char **argv);

/// What is wrong with flags of functions that train, or an empty string.
std::string checkTrainingFlags(const CompileFlags &flags);

} // namespace mlir::ane

#endif // ANE_LIB_TOOLS_COMPILEFLAGS_H
