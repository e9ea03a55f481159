//===- memory.h - What a run of a function needs -----------------*- C++ -*-===//
#ifndef ANE_RUNTIME_FORMAT_MANIFEST_MEMORY_H
#define ANE_RUNTIME_FORMAT_MANIFEST_MEMORY_H

#include "runtime/format/manifest/manifest.h"
#include "runtime/support/memory_plan.h"

#include <functional>
#include <unordered_map>

namespace ane::rt::manifest {

/// When the values of a function are needed, by steps, but for those that are `elsewhere`. Inputs keep theirs from run
/// to run, outputs until the next one.
struct ValueLives {
  std::vector<int64_t> tensors;
  std::vector<Lifetime> lives; ///< of each
};
ValueLives valueLives(const Manifest &manifest, const Function &function,
                      const std::function<bool(int64_t)> &elsewhere);

/// The surfaces of a value: one for each layout that ports give it, as large as the largest of these (C18 makes the
/// inputs of a program equal in size, C02 its outputs).
class SurfaceKinds {
public:
  void add(const Surface &surface, int64_t bytes);
  void add(const Surface &surface) { add(surface, surface.bytes); }
  struct Kind {
    const Surface *first; ///< of the ports
    int64_t bytes;
  };
  const std::vector<Kind> &all() const { return kinds; }
  /// Of a surface that was added.
  int64_t bytesFor(const Surface &surface) const;

private:
  std::vector<Kind> kinds;
};

/// Finds the procedures of a manifest that has passed verify(), which outlives it.
class Procedures {
public:
  explicit Procedures(const Manifest &manifest);
  /// Of a step that evaluates one.
  const Procedure &of(const Step &step) const;

private:
  std::unordered_map<std::string_view, const Program *> programs;
};

/// Adds those of a function's values, by tensor.
void addSurfaces(const Procedures &procedures, const Function &function,
                 std::unordered_map<int64_t, SurfaceKinds> &kinds);

/// Bytes beside the surface of an input that is a mask, a tensor of `type`: for what becomes of it, and of the largest
/// elements of rows; 0: it is none.
int64_t narrowedBytes(const Surface &surface, const TensorType &type);

/// Bytes that a run of a function takes, other than its weights and states.
struct RunMemory {
  int64_t values = 0, scratch = 0, surfaces = 0;

  int64_t total() const { return values + scratch + surfaces; }
  /// "10.7 GB (8.6 GB for values, 2.1 GB for scratch memory of CPU code)"
  std::string text() const;
};
/// `values`: of the plan of the above. `onDevice`: programs run there, and not on the CPU.
RunMemory runMemory(const Manifest &manifest, const Function &function, int64_t values, bool onDevice);

/// "512 bytes", "8.6 MB" or "2.1 GB"
std::string sizeText(int64_t bytes);

} // namespace ane::rt::manifest
#endif // ANE_RUNTIME_FORMAT_MANIFEST_MEMORY_H
