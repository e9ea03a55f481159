//===- Bundle.cpp - writes a bundle ---------------------------------------===//

#include "ane/Bundle/Bundle.h"
#include "ManifestBuilder.h"
#include "StoredBlob.h"
#include "WeightFile.h"
#include "ane/Bundle/BundleDirectory.h"
#include "ane/Host/BlobSink.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/Dtype.h"
#include "ane/IR/HuggingFace.h"
#include "ane/IR/Training.h"
#include "ane/Target/MIL/MIL.h"
#include "runtime/format/blob/blob.h"
#include "runtime/format/manifest/memory.h"
#include "runtime/format/safetensors/writer.h"
#include "runtime/support/hash.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace mlir;
using namespace mlir::ane;
namespace manifest = ::ane::rt::manifest;

static constexpr StringLiteral hostWeightsPath = "weights/host.bin";
static constexpr StringLiteral initialValuesPath = "states.bin";
static constexpr StringLiteral initialParametersPath = "training/weights.safetensors";
static constexpr StringLiteral huggingFacePath = "training/huggingface.json";

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
    if (failed(writeHost()) || failed(writeInitialValues()) || failed(writeParameters()) || failed(writeForm()))
      return failure();
    if (failed(file("report.json", report)))
      return failure();
    for (const auto &[path, contents] : options.others)
      if (failed(file(path, contents)))
        return failure();
    for (const std::string &path : files) {
      auto described = directory.describe(path, fault());
      if (failed(described))
        return failure();
      manifest.addFile(*described);
    }
    auto finished = manifest.finish();
    if (failed(finished))
      return failure();
    if (absl::Status status = manifest::verify(*finished); !status.ok())
      return module.emitError() << "the manifest does not hold: " << std::string(status.message());
    for (const manifest::Function &function : finished->functions)
      warnOfMemory(*finished, function);
    return directory.write(manifest::kFileName, manifest::print(*finished), fault());
  }

private:
  /// Dimensions may be bound to any size; that a run of them needs a large machine should not come as a surprise there.
  void warnOfMemory(const manifest::Manifest &finished, const manifest::Function &function) {
    constexpr int64_t large = int64_t(1) << 32;
    auto isState = [&](int64_t tensor) {
      return llvm::any_of(function.states, [&](auto &use) { return use.read == tensor || use.write == tensor; });
    };
    manifest::ValueLives needed = manifest::valueLives(finished, function, isState);
    auto plan = ::ane::rt::planMemory(needed.lives);
    manifest::RunMemory memory =
        manifest::runMemory(finished, function, plan.ok() ? plan->bytes : 0, /*onDevice=*/false);
    if (plan.ok() && memory.total() <= large)
      return;
    InFlightDiagnostic warning = module.emitWarning();
    if (!plan.ok()) {
      warning << "function '" << function.name << "' can't run: " << std::string(plan.status().message());
      return;
    }
    warning << "a run of function '" << function.name << "' needs " << memory.text()
            << "; smaller sizes (--dim, --shape) need less";
    auto largest = llvm::max_element(needed.lives, [](auto &a, auto &b) { return a.bytes < b.bytes; });
    if (largest != needed.lives.end()) {
      const manifest::Tensor &tensor = finished.tensors[needed.tensors[largest - needed.lives.begin()]];
      warning << "; the largest value is '" << tensor.name << "', " << manifest::typeText(tensor.type);
    }
  }

  /// Several blobs, of several programs, may share one.
  struct Record {
    BlobOp blob;
    std::vector<std::string> programs;
  };

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
    program.walk<WalkOrder::PreOrder>([&](BlobOp op) {
      paths.insert(op.getFile().str());
      Record &record = weightFiles[op.getFile().str()][op.getOffset()];
      record.blob = op;
      if (!llvm::is_contained(record.programs, program.getName()))
        record.programs.push_back(program.getName().str());
      return WalkResult::skip(); // what it is computed from is no record
    });
    // Weights that few numbers in the text are computed from.
    program.walk([&](ConstOp op) {
      auto sources = attrs::sources.get(op);
      if (!sources)
        return;
      manifest::StoredWeight stored;
      stored.file = "programs/" + program.getName().str() + ".mil";
      stored.hash = ::ane::rt::Hash().digest();
      stored.programs = {program.getName().str()};
      stored.fixed = "numbers in the text of the program";
      manifest.addStored(sources.getValue(), stored);
    });
    return manifest.addProgram(program, {paths.begin(), paths.end()});
  }

  LogicalResult writeBlobs(StringRef path, const std::map<int64_t, Record> &records) {
    auto full = directory.pathOf(path, fault());
    if (failed(full))
      return failure();
    std::map<int64_t, BlobOp> blobs;
    for (auto &[offset, record] : records)
      blobs[offset] = record.blob;
    auto file = writeWeightFile(module, *full, path, blobs, [&](const WrittenBlob &written) {
      SmallVector<Attribute> sources;
      manifest::StoredWeight stored = describeBlob(written.blob, sources);
      stored.file = path.str();
      stored.offset = written.offset;
      stored.bytes = written.bytes;
      stored.hash = written.hash;
      stored.programs = records.at(BlobOp(written.blob).getOffset()).programs;
      manifest.addStored(sources, stored);
    });
    if (failed(file))
      return failure();
    manifest.addFile(*file);
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
    auto insideFolder = directory.pathOf("host/.", fault());
    if (failed(weights) || failed(insideFolder))
      return failure();
    HostOptions host;
    host.targets = options.hosts;
    host.f64 = options.f64;
    host.f32 = options.f32;
    host.weights = options.weights;
    host.activations = options.activations;
    host.kernelCache = options.kernelCache;
    std::map<std::string, std::string> paths; // on disk -> in the bundle
    const StringRef hostFolder = llvm::sys::path::parent_path(*insideFolder);
    host.libraryPath = [&](const HostTarget &target) {
      std::string full = (hostFolder + "/" + target.fileName()).str();
      paths[full] = "host/" + target.fileName();
      return full;
    };
    host.progress = [this](size_t done, size_t all) {
      if (done % 10 == 0)
        note("compiling CPU code: kernel " + Twine(done) + " of " + Twine(all));
    };
    HostBlobSink sink(*weights);
    std::vector<HostWeight> tensors;
    FailureOr<HostBuild> build = compileHost(module, functions, host, sink, tensors);
    if (failed(build))
      return failure();
    if (options.activations == ActivationKind::Int8 &&
        llvm::none_of(build->libraries, [](const HostLibrary &library) { return library.isRounded; }))
      note("compiled CPU code: --activations=int8 changes nothing, as no product has a weight in blocks of integers");
    if (!options.kernelCache.empty())
      note("compiled CPU code: kernels from " + options.kernelCache + ": " + Twine(build->kernelsFromCache));
    auto file = sink.wait();
    if (!file.ok())
      return module.emitError() << std::string(file.status().message());
    manifest.addFile({hostWeightsPath.str(), int64_t(file->bytes), file->hash});
    for (const HostLibrary &library : build->libraries)
      files.push_back(paths[library.path]);
    manifest.addHost(*build, tensors, hostWeightsPath, file->tensorHashes, paths);
    return success();
  }

  /// The initial values of states that do not begin with zeros, each at a multiple of 64.
  LogicalResult writeInitialValues() {
    std::string bytes;
    for (auto state : module.getOps<StateOp>()) {
      auto initial = attrs::initial.get(state);
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

  /// What parameters are when training begins, in the order of the module.
  LogicalResult writeParameters() {
    if (!module->hasAttr(trainingName))
      return success();
    note("writing parameters");
    namespace safetensors = ::ane::rt::safetensors;
    std::vector<safetensors::TensorRecord> records;
    for (auto parameter : module.getOps<ParameterOp>()) {
      auto type = cast<RankedTensorType>(parameter.getType());
      records.push_back({parameter.getName().str(), *elementTypeOf(type.getElementType()), type.getShape().vec()});
    }
    auto path = directory.pathOf(initialParametersPath, fault());
    if (failed(path))
      return failure();
    auto fail = [&](const absl::Status &status) { return module.emitError() << std::string(status.message()); };
    absl::StatusOr<safetensors::Writer> writer = safetensors::Writer::create(*path, records);
    if (!writer.ok())
      return fail(writer.status());
    for (auto parameter : module.getOps<ParameterOp>()) {
      FailureOr<ConstantStream> value = streamConstant(parameter.getValue());
      if (failed(value))
        return failure();
      absl::Status status;
      if (!value->read([&](auto part) { return (status = writer->write(part.data(), part.size())).ok(); }))
        return fail(status);
    }
    if (absl::Status status = writer->commit(); !status.ok())
      return fail(status);
    files.push_back(initialParametersPath.str());
    manifest.addInitialParameters(initialParametersPath);
    return success();
  }

  /// How Hugging Face's files have what is trained here; it is read by who exports it.
  LogicalResult writeForm() {
    auto form = module->getAttrOfType<DictionaryAttr>(huggingFaceName);
    if (!form || !module->hasAttr(trainingName))
      return success();
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::json::OStream json(stream, 2);
    json.object([&] {
      // As it is: a number's spelling tells floats from integers.
      if (auto config = form.getAs<StringAttr>("config")) {
        json.attributeBegin("config");
        json.rawValue(config.getValue());
        json.attributeEnd();
      }
      if (auto refused = form.getAs<StringAttr>("refused"))
        json.attribute("refused", refused.getValue());
      json.attributeObject("tensors", [&] {
        for (NamedAttribute each : form.getAs<DictionaryAttr>("tensors"))
          json.attributeObject(each.getName().getValue(), [&] {
            auto tensor = cast<DictionaryAttr>(each.getValue());
            json.attribute("name", tensor.getAs<StringAttr>("name").getValue());
            if (auto heads = tensor.getAs<IntegerAttr>("heads"))
              json.attribute("heads", heads.getInt());
            for (StringRef flag : {"transposed", "centred"})
              if (tensor.contains(flag))
                json.attribute(flag, true);
          });
      });
    });
    return file(huggingFacePath, text + "\n");
  }

  ModuleOp module;
  const BundleOptions &options;
  BundleDirectory &directory;
  ManifestBuilder manifest;
  std::map<std::string, std::map<int64_t, Record>> weightFiles; // by path and offset
  std::vector<std::string> files;
};
} // namespace

LogicalResult mlir::ane::writeBundle(ModuleOp module, const BundleOptions &options, BundleDirectory &directory,
                                     StringRef report) {
  return BundleWriter(module, options, directory).run(report);
}
