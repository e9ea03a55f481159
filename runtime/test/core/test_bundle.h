//===- test_bundle.h - A small bundle, written by hand ----------*- C++ -*-===//
//
// out = e + (2 e + 1) with e = weights[ids]: a host step, a program, a host
// step. The program has a transposed surface; its twin is native code.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_TEST_CORE_TEST_BUNDLE_H
#define ANE_RUNTIME_TEST_CORE_TEST_BUNDLE_H

#include "runtime/format/manifest/manifest.h"
#include <string>

namespace ane::rt::test {

inline constexpr int kIds = 8, kColumns = 64, kVocabulary = 10;

/// Removes its directory at the end.
class TestBundle {
public:
  /// `hostLibrary` is the file of TestHostLibrary.
  explicit TestBundle(const std::string &hostLibrary);
  ~TestBundle();
  TestBundle(const TestBundle &) = delete;

  /// Writes `content` as the manifest, with sizes and hashes of the files.
  void write();
  std::string dir() const { return root + "/bundle"; }
  std::string path(const std::string &name) const { return dir() + "/" + name; }

  static float weight(int64_t id, int column) { return static_cast<float>(id * 10 + column % 7); }
  static float expected(int64_t id, int column) { return 3 * weight(id, column) + 1; }

  manifest::Manifest content;

private:
  std::string root;
};

} // namespace ane::rt::test
#endif // ANE_RUNTIME_TEST_CORE_TEST_BUNDLE_H
