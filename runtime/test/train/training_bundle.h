//===- training_bundle.h - A small training bundle, by hand ------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEST_TRAIN_TRAINING_BUNDLE_H
#define ANE_RUNTIME_TEST_TRAIN_TRAINING_BUNDLE_H

#include "runtime/format/manifest/manifest.h"
#include "runtime/test/temporary_folder.h"
#include <array>
#include <string>

namespace ane::rt::test {

/// The model of training_library.c. Parameters are b [1], table [5, 8] and w [3, 1]; their first values are 0.5, all
/// zero, and 1, -1, 0.25.
class TrainingBundle {
public:
  static constexpr int kRows = 4, kColumns = 3, kTable = 40, kSweep = 16;
  using X = std::array<float, kRows * kColumns>;
  using Y = std::array<float, kRows>;

  /// `hostLibrary` is the file of TestTrainingLibrary.
  explicit TrainingBundle(const std::string &hostLibrary);

  /// Has `step` read the table through a program, which rounds it to fp16; then comes write().
  void useProgram();
  /// Has `step` and `evaluate` compute the table by a program, of which it is the weight, in fp16; its CPU code has it
  /// in fp32. It is no input then. Then comes write().
  void bakeTable();
  /// Writes `content` as the manifest, with sizes and hashes of the files.
  void write();
  /// Writes the weights; then comes write().
  void writeWeights(const std::string &header, const std::string &data);
  const std::string &dir() const { return root; }
  std::string path(const std::string &name) const { return root + "/" + name; }

  /// The i-th micro-batch.
  static X x(int i);
  static Y y(int i);

  manifest::Manifest content;

private:
  TemporaryFolder folder;
  std::string root;
};

} // namespace ane::rt::test
#endif // ANE_RUNTIME_TEST_TRAIN_TRAINING_BUNDLE_H
