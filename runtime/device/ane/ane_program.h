//===- ane_program.h - A program on the engine ------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_DEVICE_ANE_ANE_PROGRAM_H
#define ANE_RUNTIME_DEVICE_ANE_ANE_PROGRAM_H

#include "runtime/device/ane/framework.h"
#include "runtime/device/ane/scratch.h"

namespace ane::rt::engine {

class AneProgram final : public DeviceProgram {
public:
  static absl::StatusOr<std::unique_ptr<DeviceProgram>> create(std::shared_ptr<const Framework> framework,
                                                               const ProgramDesc &desc);
  ~AneProgram() override;

  bool isCompiled() const override { return DeviceProgram::isCompiled() || isKept; }
  absl::Status load() override;
  void unload() override;
  absl::StatusOr<std::unique_ptr<Request>> request(size_t procedure, absl::Span<Surface *const> inputs,
                                                   absl::Span<Surface *const> outputs) override;
  absl::StatusOr<Completion> submit(const Request &request) override;

protected:
  absl::Status compileNow() override;
  absl::StatusOr<std::unique_ptr<DeviceProgram>> updateWeightsNow(WeightWay way, std::shared_ptr<const Folder> files,
                                                                  absl::Span<const WeightRange> changed) override;

private:
  AneProgram(std::shared_ptr<const Framework> framework, ProgramDesc desc)
      : framework(std::move(framework)), desc(std::move(desc)), subject("program " + this->desc.name) {}
  absl::Status mapWeights();
  absl::Status makeModel();
  absl::Status writeWeights() const;
  absl::Status unloadModel();
  /// Which symbols a procedure's surfaces are for, as the loaded model says, or else by the rule that was seen.
  absl::StatusOr<Symbols> symbolsOf(const ProcedureDesc &procedure) const;

  const std::shared_ptr<const Framework> framework;
  const ProgramDesc desc;
  const std::string subject;
  /// By their names in the text; the model shows their memory.
  std::vector<std::pair<std::string, MappedFile>> weights;
  Scratch scratch;
  objc::Owned model;   ///< null: it was patched, and is another program's
  bool isKept = false; ///< the system has kept what this was compiled to
  bool isLoaded = false;
  std::vector<Symbols> symbols; ///< of each procedure, while it is loaded
};

} // namespace ane::rt::engine
#endif // ANE_RUNTIME_DEVICE_ANE_ANE_PROGRAM_H
