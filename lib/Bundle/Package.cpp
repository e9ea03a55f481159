//===- Package.cpp - writes a package of Core ML --------------------------===//

#include "ane/Bundle/Package.h"
#include "WeightFile.h"
#include "runtime/format/coreml/package.h"
#include "runtime/support/hash.h"

using namespace mlir;
using namespace mlir::ane;
namespace format = ::ane::rt::coreml;

LogicalResult mlir::ane::writePackage(ModuleOp module, const coreml::ExportOptions &options,
                                      BundleDirectory &directory) {
  auto fault = [&](const Twine &message) { module.emitError() << message; };
  FailureOr<format::Model> model = coreml::exportModel(module, options);
  if (failed(model))
    return failure();
  absl::StatusOr<std::string> bytes = format::print(*model);
  if (!bytes.ok())
    return module.emitError() << std::string(bytes.status().message());
  std::map<int64_t, BlobOp> records;
  module.walk<WalkOrder::PreOrder>([&](BlobOp op) {
    records[op.getOffset()] = op;
    return WalkResult::skip(); // what it is computed from is no record
  });
  auto path = directory.pathOf(format::kWeightsPath, fault);
  if (failed(path))
    return failure();
  auto weights = writeWeightFile(module, *path, format::kWeightsName, records, [](const WrittenBlob &) {});
  if (failed(weights))
    return failure();
  ::ane::rt::Hash hash;
  hash.update(bytes->data(), bytes->size());
  hash.update(weights->hash.data(), weights->hash.size());
  if (failed(directory.write(format::kModelPath, *bytes, fault)))
    return failure();
  return directory.write(format::kManifestPath, format::printManifest(hash.digest()), fault);
}
