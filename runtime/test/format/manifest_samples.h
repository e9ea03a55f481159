//===- manifest_samples.h - a manifest that tests change --------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEST_FORMAT_MANIFEST_SAMPLES_H
#define ANE_RUNTIME_TEST_FORMAT_MANIFEST_SAMPLES_H

#include "runtime/format/manifest/manifest.h"
#include <gtest/gtest.h>

namespace ane::rt::manifest {

inline void expectWords(const absl::Status &status, const std::string &words) {
  EXPECT_NE(std::string(status.message()).find(words), std::string::npos) << words << " not in: " << status.message();
}

inline constexpr char kNoHash[] = "99aa06d3014798d86001c324468d497f";

/// Two inputs, one host step, one program step, one output.
inline Manifest sample() {
  Manifest m;
  m.producer = "ane-compile 0.1";
  m.target = {"h16g", "in-memory", "macos-15", "ios18", "catalog"};
  TensorType ids{ElementType::Int64, {1, 8}};
  TensorType hidden{ElementType::Float32, {1, 8, 64}};
  m.tensors = {{"ids", ids}, {"hidden", hidden}, {"result", hidden}};
  m.hostFunctions = {{"embed", "main_host_0", {ids}, {hidden}, 4096},
                     {"main_0_twin", "main_0_twin", {hidden}, {hidden}, 0}};
  Surface in{"x", ElementType::Float16, {1, 64, 1, 8}, 64, 4096, {8, 64}, {1, 0}};
  Surface out = in;
  out.name = "y";
  m.programs = {{"main_0", "programs/main_0.mil", {"weights/w.bin"}, {{"main", "main_0_twin", {in}, {out}}}}};
  m.functions = {{"main",
                  {{"input_ids", 0}},
                  {{"last_hidden_state", 2}},
                  {{Step::Kind::Host, "embed", {0}, {1}}, {Step::Kind::Program, "main_0", {1}, {2}, "main"}}}};
  m.hostLibraries = {{"x86_64-unknown-linux-gnu", "host/x86_64.so", "", "int8"}};
  m.hostWeights = {"weights/w.bin"};
  m.files = {{"host/x86_64.so", 0, kNoHash}, {"programs/main_0.mil", 0, kNoHash}, {"weights/w.bin", 0, kNoHash}};
  return m;
}

} // namespace ane::rt::manifest

#endif // ANE_RUNTIME_TEST_FORMAT_MANIFEST_SAMPLES_H
