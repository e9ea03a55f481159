//===- Bundle.cpp - writes a bundle ---------------------------------------===//

#include "ane/Bundle/Bundle.h"
#include "ManifestBuilder.h"
#include "ane/Bundle/BundleDirectory.h"
#include "ane/Host/BlobSink.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/Dtype.h"
#include "ane/Target/MIL/MIL.h"
#include "runtime/format/blob/blob.h"
#include <set>

using namespace mlir;
using namespace mlir::ane;
namespace blob = ::ane::rt::blob;
namespace manifest = ::ane::rt::manifest;

static constexpr StringLiteral hostWeightsPath = "weights/host.bin";
static constexpr StringLiteral initialValuesPath = "states.bin";

namespace {
class BundleWriter {
public:
  BundleWriter(ModuleOp module, const BundleOptions &options, BundleDirectory &directory)
      : module(module), options(options), directory(directory), manifest(module) {}

  LogicalResult run(StringRef report) {
    for (auto program : module.getOps<ProgramOp>()) {
      note("writing program " + program.getName());
      if (failed(writeProgram(program)))
        return failure();
    }
    for (auto &[path, records] : weightFiles)
      if (failed(writeBlobs(path, records)))
        return failure();
    if (failed(writeHost()) || failed(writeInitialValues()))
      return failure();
    if (failed(file("report.json", report)))
      return failure();
    for (const std::string &path : files) {
      auto described = directory.describe(path, fault());
      if (failed(described))
        return failure();
      manifest.addFile(*described);
    }
    auto finished = manifest.finish();
    if (absl::Status status = manifest::verify(finished); !status.ok())
      return module.emitError() << "the manifest does not hold: " << std::string(status.message());
    return directory.write(manifest::kFileName, manifest::print(finished), fault());
  }

private:
  void note(const Twine &step) {
    if (options.progress)
      options.progress(step.str());
  }

  std::function<void(const Twine &)> fault() {
    return [this](const Twine &message) { module.emitError() << message; };
  }

  LogicalResult file(StringRef path, StringRef contents) {
    files.push_back(path.str());
    return directory.write(path, contents, fault());
  }

  LogicalResult writeProgram(ProgramOp program) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    if (failed(mil::serialize(program, stream)) || failed(file(("programs/" + program.getName() + ".mil").str(), text)))
      return failure();
    std::set<std::string> paths;
    program.walk([&](BlobOp op) {
      weightFiles[op.getFile().str()].try_emplace(op.getOffset(), op);
      paths.insert(op.getFile().str());
    });
    return manifest.addProgram(program, {paths.begin(), paths.end()});
  }

  /// The value of a record, in the packing of files.
  static absl::Status append(blob::Writer &writer, const ConstantStream &value, ::ane::rt::ElementType type) {
    absl::Status status;
    if (::ane::rt::bitWidth(type) < 8) {
      ConstantBuffer whole = value.evaluate();
      std::vector<uint8_t> bytes = blob::pack(type, {whole.bytes().begin(), whole.bytes().end()});
      return writer.append(bytes.data(), bytes.size());
    }
    value.read([&](ArrayRef<char> part) { return (status = writer.append(part.data(), part.size())).ok(); });
    return status;
  }

  LogicalResult writeBlobs(StringRef path, const std::map<int64_t, BlobOp> &records) {
    auto full = directory.pathOf(path, fault());
    if (failed(full))
      return failure();
    auto writer = blob::Writer::create(*full, records.size());
    if (!writer.ok())
      return module.emitError() << std::string(writer.status().message());
    for (auto [offset, op] : records) {
      FailureOr<ConstantStream> value = streamConstant(op.getResult());
      if (failed(value))
        return failure();
      auto type = elementTypeOf(value->getType().getElementType());
      if (!type)
        return op->emitOpError() << "holds elements of type " << value->getType().getElementType()
                                 << ", which a blob file has no code for";
      auto position = writer->begin(*type, value->getType().getNumElements());
      absl::Status status = position.status();
      if (status.ok())
        status = append(*writer, *value, *type);
      if (status.ok())
        status = writer->end();
      if (!status.ok())
        return op->emitOpError() << std::string(status.message());
      if (int64_t(*position) != offset)
        return op->emitOpError() << "is assigned record " << offset << " of " << path << ", but lies at " << *position;
    }
    if (absl::Status status = writer->finish(); !status.ok())
      return module.emitError() << std::string(status.message());
    manifest.addFile({path.str(), int64_t(writer->size()), writer->digest()});
    return success();
  }

  LogicalResult writeHost() {
    SmallVector<func::FuncOp> functions;
    for (auto function : module.getOps<func::FuncOp>())
      if (function.isPrivate() && !function.isExternal())
        functions.push_back(function);
    if (functions.empty())
      return success();
    if (options.hosts.empty()) {
      // Without native code the plan still says what it would call.
      manifest.addSignatures(functions);
      return success();
    }
    note("compiling CPU code");
    auto weights = directory.pathOf(hostWeightsPath, fault());
    auto hostFolder = directory.pathOf("host/.", fault());
    if (failed(weights) || failed(hostFolder))
      return failure();
    HostOptions host;
    host.targets = options.hosts;
    host.f64 = options.f64;
    host.weights = options.weights;
    host.kernelCache = options.kernelCache;
    std::map<std::string, std::string> paths; // on disk -> in the bundle
    host.libraryPath = [&](const HostTarget &target) {
      std::string relative = "host/" + target.fileName();
      std::string full = *directory.pathOf(relative, fault());
      paths[full] = relative;
      return full;
    };
    host.progress = [this](size_t done, size_t all) {
      if (done % 10 == 0)
        note("compiling CPU code: kernel " + Twine(done) + " of " + Twine(all));
    };
    HostBlobSink sink(*weights);
    FailureOr<HostBuild> build = compileHost(module, functions, host, sink);
    if (failed(build))
      return failure();
    if (!options.kernelCache.empty())
      note("compiled CPU code: kernels from " + options.kernelCache + ": " + Twine(build->kernelsFromCache));
    auto file = sink.wait();
    if (!file.ok())
      return module.emitError() << std::string(file.status().message());
    manifest.addFile({hostWeightsPath.str(), int64_t(file->bytes), file->hash});
    for (const HostLibrary &library : build->libraries)
      files.push_back(paths[library.path]);
    manifest.addHost(*build, hostWeightsPath, paths);
    return success();
  }

  /// The initial values of states that do not begin with zeros, each at a multiple of 64.
  LogicalResult writeInitialValues() {
    std::string bytes;
    for (auto state : module.getOps<StateOp>()) {
      auto initial = state->getAttrOfType<TypedAttr>("ane.initial");
      if (!initial)
        continue;
      OwningOpRef<ConstOp> constant = OpBuilder(module.getContext()).create<ConstOp>(state.getLoc(), initial);
      FailureOr<ConstantBuffer> value = evaluateConstant(constant->getResult());
      if (failed(value))
        return failure();
      bytes.resize(llvm::alignTo(bytes.size(), 64));
      manifest.addInitialValue(state.getSymNameAttr(), initialValuesPath, int64_t(bytes.size()));
      bytes.append(value->bytes().data(), value->bytes().size());
    }
    return bytes.empty() ? success() : file(initialValuesPath, bytes);
  }

  ModuleOp module;
  const BundleOptions &options;
  BundleDirectory &directory;
  ManifestBuilder manifest;
  /// By path, records in the order of their offsets. Several blobs, of several programs, may share one.
  std::map<std::string, std::map<int64_t, BlobOp>> weightFiles;
  std::vector<std::string> files;
};
} // namespace

LogicalResult mlir::ane::writeBundle(ModuleOp module, const BundleOptions &options, BundleDirectory &directory,
                                     StringRef report) {
  return BundleWriter(module, options, directory).run(report);
}
