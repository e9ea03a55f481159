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
  /// Also where another program has made it.
  static absl::StatusOr<std::shared_ptr<AneModel>> get(const std::shared_ptr<const Framework> &framework,
                                                       const ProgramDesc &desc, const std::string &subject);
  explicit AneModel(std::shared_ptr<const Framework> framework) : framework(std::move(framework)) {}
  ~AneModel();

  objc::Id object() const { return model.get(); }
  const Scratch &folder() const { return scratch; }
  absl::Status writeWeights(const ProgramDesc &desc) const;
  bool isCompiled() const { return isKept; }

  absl::Status compile(const std::string &subject);
  /// Each is followed by an unload(); the first one loads it, and one after an evaluation that failed loads it anew.
  absl::Status load(const std::string &subject);
  absl::Status unload(const std::string &subject);
  /// Evaluator::evaluate().
  absl::Status evaluate(const std::string &subject, objc::Id request, Evaluator &by, std::string &note);
  /// For whom alone has it: who asks for this text and these weights now gets another one, since they are to be no
  /// longer this one's. False: others have it, too.
  static bool take(const std::shared_ptr<AneModel> &model);

private:
  absl::Status map(const ProgramDesc &desc, const std::string &subject);
  absl::Status make(const ProgramDesc &desc, const std::string &subject);

  const std::shared_ptr<const Framework> framework;
  std::string key; ///< of the table of models
  // The model shows their memory.
  std::string text;
  std::vector<std::pair<std::string, MappedFile>> weights; ///< by their names in the text
  Scratch scratch;
  objc::Owned model;
  std::atomic<bool> isKept{false}; ///< the system has kept what this was compiled to
  std::shared_mutex mutex;         ///< shared by evaluations
  int loads = 0;
  std::atomic<bool> isDoubtful{false}; ///< an evaluation has failed: it may be loaded no longer
};

class AneProgram final : public DeviceProgram {
public:
  static absl::StatusOr<std::unique_ptr<DeviceProgram>>
  create(std::shared_ptr<const Framework> framework, std::shared_ptr<Evaluator> evaluator, const ProgramDesc &desc);
  ~AneProgram() override;

  bool isCompiled() const override { return DeviceProgram::isCompiled() || (model && model->isCompiled()); }
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
  /// Which symbols a procedure's surfaces are for, as the loaded model says, or else by the rule that was seen.
  absl::StatusOr<Symbols> symbolsOf(const ProcedureDesc &procedure) const;

  const std::shared_ptr<const Framework> framework;
  const std::shared_ptr<Evaluator> evaluator;
  const ProgramDesc desc;
  const std::string subject;
  std::shared_ptr<AneModel> model; ///< null: it was patched, and is another program's
  bool isLoaded = false;
  std::vector<Symbols> symbols; ///< of each procedure, while it is loaded
};

} // namespace ane::rt::engine
#endif // ANE_RUNTIME_DEVICE_ANE_ANE_PROGRAM_H
