//===- ane_program.h - A program on the engine ------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_DEVICE_ANE_ANE_PROGRAM_H
#define ANE_RUNTIME_DEVICE_ANE_ANE_PROGRAM_H

#include "runtime/device/ane/evaluator.h"
#include "runtime/device/ane/scratch.h"

#include <shared_mutex>

namespace ane::rt::engine {

/// What the framework has of a text and its weights. To it programs of one identifier are one: they share a folder,
/// which goes with the first of them, and each would take a place (ane-programming.md 1.5). So here they share a model.
class AneModel {
public:
  /// Weight files by their names in the text.
  using Weights = std::vector<std::pair<std::string, MappedFile>>;

  /// Also where another program has made it.
  static absl::StatusOr<std::shared_ptr<AneModel>> get(const std::shared_ptr<const Framework> &framework,
                                                       const ProgramDesc &desc, const std::string &subject);
  explicit AneModel(std::shared_ptr<const Framework> framework) : framework(std::move(framework)) {}
  ~AneModel();

  objc::Id object() const { return model.get(); }
  bool isCompiled() const { return compiled; }
  /// Then what it computes is not what its identifier says: it is never compiled.
  bool isPatched() const { return !patched.empty(); }

  absl::Status compile(const std::string &subject);
  /// Loads it unless it is loaded; after an evaluation that failed, anew. Returns an epoch for unload():
  /// it changes when all users lose the model.
  absl::StatusOr<int> load(const std::string &subject);
  absl::Status unload(const std::string &subject, int epoch);
  /// Evaluator::evaluate().
  absl::Status evaluate(const std::string &subject, objc::Id request, Evaluator &by, std::string &note);
  /// For whom alone has it, and nobody else may get it any more: who asks for this text and these weights now gets
  /// another one. False: others have it, in this process or another.
  static bool claim(const std::shared_ptr<AneModel> &model);
  /// Overwrites the weight files of one that was claimed, and is not loaded.
  absl::Status patch(const ProgramDesc &desc, const std::string &subject);
  /// Takes over what another one was compiled to, of the same text (ane-programming.md 1.7).
  absl::Status adopt(const AneModel &donor, const std::string &subject);

private:
  absl::Status make(const std::string &subject);
  absl::Status putFiles(const std::string &subject, bool isAnew);
  bool isKnown(const std::string &subject) const;

  const std::shared_ptr<const Framework> framework;
  std::string key; ///< of the table of models
  // The model shows their memory.
  std::string text;
  Weights weights;
  Weights patched;                      ///< what its folder has in their place, if any
  std::shared_ptr<const Folder> onDisk; ///< where the weights of its folder may be found
  Scratch scratch;
  bool hasCopies = false; ///< of weights, in its folder: they go with it
  objc::Owned model;
  std::atomic<bool> compiled{false};   ///< load() needs no compile()
  bool isOurs = false;                 ///< and this process has compiled it
  std::shared_mutex mutex;             ///< shared by evaluations
  int loads = 0;                       ///< who has it loaded
  int losses = 0;                      ///< how often all of them have lost it
  std::atomic<bool> isDoubtful{false}; ///< an evaluation has failed: it may be loaded no longer
};

class AneProgram final : public DeviceProgram {
public:
  static absl::StatusOr<std::unique_ptr<DeviceProgram>>
  create(std::shared_ptr<const Framework> framework, std::shared_ptr<Evaluator> evaluator, const ProgramDesc &desc);
  ~AneProgram() override;

  bool isCompiled() const override { return model && model->isCompiled(); }
  absl::Status load() override;
  void unload() override;
  absl::StatusOr<std::unique_ptr<Request>> request(size_t procedure, absl::Span<Surface *const> inputs,
                                                   absl::Span<Surface *const> outputs) override;
  absl::StatusOr<Completion> submit(const Request &request) override;
  /// Evaluator::chain().
  absl::Status chain(const Request &request);

protected:
  absl::Status compileNow() override;
  absl::StatusOr<std::unique_ptr<DeviceProgram>> updateWeightsNow(WeightWay way, std::shared_ptr<const Folder> files,
                                                                  absl::Span<const WeightRange> changed) override;

private:
  AneProgram(std::shared_ptr<const Framework> framework, std::shared_ptr<Evaluator> evaluator, ProgramDesc desc)
      : framework(std::move(framework)), evaluator(std::move(evaluator)), desc(std::move(desc)),
        subject("program " + this->desc.name) {}
  absl::Status unloadModel();
  absl::Status wasPatched() const;
  /// Which symbols a procedure's surfaces are for, as the loaded model says, or else by the rule that was seen.
  absl::StatusOr<Symbols> symbolsOf(const ProcedureDesc &procedure) const;

  const std::shared_ptr<const Framework> framework;
  const std::shared_ptr<Evaluator> evaluator;
  const ProgramDesc desc;
  const std::string subject;
  std::shared_ptr<AneModel> model; ///< null: it was patched, and is another program's
  bool isLoaded = false;
  int epoch = 0;                ///< AneModel::load()
  std::vector<Symbols> symbols; ///< of each procedure, while it is loaded
};

} // namespace ane::rt::engine
#endif // ANE_RUNTIME_DEVICE_ANE_ANE_PROGRAM_H
