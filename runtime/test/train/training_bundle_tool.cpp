// training_bundle_tool DIR [program|baked]: leaves the bundle of training_bundle.h there.
#include "runtime/test/train/training_bundle.h"
#include <cstdio>
#include <filesystem>

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fputs("usage: training_bundle_tool DIR [program|baked]\n", stderr);
    return 2;
  }
  ane::rt::test::TrainingBundle bundle(ANE_TEST_TRAINING_LIBRARY);
  if (argc > 2) {
    argv[2] == std::string("baked") ? bundle.bakeTable() : bundle.useProgram();
    bundle.write();
  }
  std::error_code failed;
  std::filesystem::copy(bundle.dir(), argv[1], std::filesystem::copy_options::recursive, failed);
  if (failed)
    std::fprintf(stderr, "%s: %s\n", argv[1], failed.message().c_str());
  return failed ? 1 : 0;
}
