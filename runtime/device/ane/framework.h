//===- framework.h - The engine's framework as C++ sees it ------*- C++ -*-===//
//
// Four classes of AppleNeuralEngine take MIL text in memory and run it
// (ane-programming.md 1.1, 1.2). Others are there on some systems, to run it another
// way (1.6). Their methods are called here, and nowhere else.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_DEVICE_ANE_FRAMEWORK_H
#define ANE_RUNTIME_DEVICE_ANE_FRAMEWORK_H

#include "runtime/device/ane/evaluation_path.h"
#include "runtime/device/ane/iosurface.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ane::rt::engine {

/// What a loaded model says of a procedure (its modelAttributes).
struct Symbols {
  struct Port {
    std::string name; ///< of the parameter or result
    int64_t index;    ///< of its symbol
  };
  int64_t procedure = 0;
  std::vector<Port> inputs, outputs; ///< in the order in which they are bound
};

/// A surface for a symbol.
struct Bound {
  Surface *surface;
  int64_t index;
};

class Framework {
public:
  /// Of this process. `libraries` replaces the system's, which are found where it keeps them. Unimplemented where there
  /// is no such framework, or it lacks a class.
  static absl::StatusOr<std::shared_ptr<const Framework>> open(const std::vector<std::string> &libraries);

  /// The system's libraries; empty where the system has none.
  static std::vector<std::string> systemLibraries();

  /// _ANEInMemoryModel of a text and its weight files (names as the text has them, and what they hold), which the
  /// caller keeps. Unimplemented if the framework gives none.
  absl::StatusOr<objc::Owned>
  model(const std::string &subject, const std::string &text,
        const std::vector<std::pair<std::string, std::pair<const void *, uint64_t>>> &weights) const;
  /// Names its scratch folder, and what was compiled of it.
  std::string identifier(objc::Id model) const;
  /// Whether load() needs no compile(), as the system has kept what one has made, be it in another process.
  bool isCompiled(objc::Id model) const;
  absl::Status compile(const std::string &subject, objc::Id model) const;
  absl::Status load(const std::string &subject, objc::Id model) const;
  absl::Status unload(const std::string &subject, objc::Id model) const;
  /// Nothing where it says nothing.
  std::optional<Symbols> symbols(objc::Id model, const std::string &procedure) const;

  /// _ANERequest. Surfaces are in the order of symbols.
  absl::StatusOr<objc::Owned> request(const std::string &subject, const std::vector<Bound> &inputs,
                                      const std::vector<Bound> &outputs, int64_t procedure) const;
  absl::Status evaluate(const std::string &subject, objc::Id model, objc::Id request) const;

  /// _ANEClient, for a path other than the standard one. Unimplemented where the system lacks what the path needs.
  absl::StatusOr<objc::Owned> client(EvaluationPath path) const;
  /// By that path, with its client.
  absl::Status evaluate(const std::string &subject, objc::Id model, objc::Id request, EvaluationPath path,
                        objc::Id client) const;
  /// Hands the surfaces over as a chain of one link, through Direct's client, step by step as far as the system goes
  /// along. Nobody has seen one run (1.6): the outputs tell. Unimplemented where a class or method is missing.
  absl::Status chain(const std::string &subject, objc::Id model, const std::vector<Bound> &inputs,
                     const std::vector<Bound> &outputs, int64_t procedure, objc::Id client) const;

  std::string temporaryFolder() const;
  const SurfaceLibrary &surfaces() const { return *surfaceLibrary; }
  const objc::Foundation &objects() const { return foundation; }

private:
  Framework(objc::Libraries libraries, objc::Runtime runtime)
      : libraries(std::move(libraries)), foundation(runtime), runtime(foundation.runtime) {}
  absl::Status statusOf(const std::string &subject, objc::Bool succeeded, objc::Id error) const;

  const objc::Libraries libraries;
  const objc::Foundation foundation;
  const objc::Runtime &runtime;
  std::shared_ptr<const SurfaceLibrary> surfaceLibrary;
  objc::Id descriptorClass = nullptr, modelClass = nullptr, requestClass = nullptr, surfaceClass = nullptr;
};

} // namespace ane::rt::engine
#endif // ANE_RUNTIME_DEVICE_ANE_FRAMEWORK_H
