//===- device.h - What runs a program -------------------------------------===//
//
// A device compiles a MIL program once, loads and unloads it as there is room, and
// evaluates its procedures many times on surfaces. The plan executor sees nothing
// else of it, so the engine, its emulator and a simulated framework are
// interchangeable. Compiling, loading, binding surfaces and evaluating are four
// things: the engine's framework compiles in a second and no more than 119 times a
// process (C05), loads what was compiled in milliseconds, and takes requests whose
// surfaces stay as they are (ane-programming.md 1).
//
//===----------------------------------------------------------------------===//

#ifndef ANE_RUNTIME_DEVICE_DEVICE_H
#define ANE_RUNTIME_DEVICE_DEVICE_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/format/mil/program_desc.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ane::rt {

/// What mapped memory is for: a surface that is only read keeps what others know of it (an IOSurface's seed).
enum class Access : uint8_t { Read, Write };

/// Memory that a device can read and write, and the CPU while it is mapped. A device that evaluates a program may
/// wait for mappings of its surfaces to end, so none is kept longer than it is used.
class Surface {
public:
  /// Of a scope. Mappings of a surface may overlap; each is counted.
  class Mapping {
  public:
    Mapping(Mapping &&other) noexcept
        : surface(std::exchange(other.surface, nullptr)), access(other.access), memory(other.memory) {}
    Mapping &operator=(Mapping &&) = delete;
    ~Mapping() {
      if (surface)
        surface->unlock(access);
    }
    /// Start of the allocation, aligned to 64 bytes.
    uint8_t *data() const { return memory; }

  private:
    friend class Surface;
    Mapping(Surface &surface, Access access, uint8_t *memory) : surface(&surface), access(access), memory(memory) {}
    Surface *surface;
    Access access;
    uint8_t *memory;
  };

  virtual ~Surface();
  virtual int64_t bytes() const = 0;
  /// ResourceExhausted, or what the system says, where the memory can't be had.
  absl::StatusOr<Mapping> map(Access access);
  /// What the platform calls it: an IOSurfaceRef. Null: nothing but this class knows it.
  virtual void *nativeHandle() const { return nullptr; }

protected:
  virtual absl::StatusOr<uint8_t *> lock(Access access) = 0;
  /// Once for each lock() that has succeeded.
  virtual void unlock(Access access) noexcept = 0;
};

/// A surface in ordinary memory, zero-filled.
absl::StatusOr<std::unique_ptr<Surface>> makeHostSurface(int64_t bytes);

/// A part of a weight file, such as one that has changed.
struct WeightRange {
  std::string path; ///< below ProgramDesc::folder
  int64_t offset = 0, bytes = 0;
};

/// How a program gets other weights than it was compiled with (C07). Which of the ways
/// work depends on the machine, and where one does not there is no error, but values of
/// the old weights: whoever relies on one has probed it (core/weight_ways.h).
enum class WeightWay : uint8_t {
  Patch,    ///< unload, overwrite its weight files, load
  Donor,    ///< a new program with these files, which takes over what was compiled of this one
  Recompile ///< a new program, compiled with these files: Device::compile
};

/// "patch", "donor" or "recompile".
std::string_view nameOf(WeightWay way);

/// One evaluation of a procedure, which may be submitted many times: its surfaces stay the same. It keeps none of them
/// alive, and is to be destroyed before they are used for anything else.
class Request {
public:
  Request(size_t procedure, absl::Span<Surface *const> inputs, absl::Span<Surface *const> outputs)
      : procedure(procedure), inputs(inputs.begin(), inputs.end()), outputs(outputs.begin(), outputs.end()) {}
  Request(const Request &) = delete;
  virtual ~Request();

  const size_t procedure;
  const std::vector<Surface *> inputs, outputs;
};

/// What an evaluation has cost.
struct Completion {
  std::optional<int64_t> energyNj; ///< nothing: the device does not tell
  std::string note;                ///< what went otherwise than asked, though it went well; "" as a rule
};

/// A program: first described, then compiled, then loaded, as often as there is room. Destroying it unloads it.
class DeviceProgram {
public:
  virtual ~DeviceProgram();

  /// Whether load() needs no compile(), which a process may call a bounded number of times: after it, and where the
  /// device has kept what an earlier program of the same text and weights, also of another process, was compiled to.
  virtual bool isCompiled() const { return compiled; }
  absl::Status compile();

  /// Takes a place on the device, also after unload(). Nothing happens if it has one.
  virtual absl::Status load() { return absl::OkStatus(); }
  /// Gives up the place. What was compiled stays. While nobody evaluates it.
  virtual void unload() {}

  /// An evaluation of a procedure, by its place in the description that the program was made with; `inputs` and
  /// `outputs` are in the order of that, too. Of a program that is loaded, until it is unloaded; later it is only to be
  /// destroyed.
  virtual absl::StatusOr<std::unique_ptr<Request>> request(size_t procedure, absl::Span<Surface *const> inputs,
                                                           absl::Span<Surface *const> outputs);
  /// Runs it to its end. From any thread, several at a time, but each request once at a time.
  virtual absl::StatusOr<Completion> submit(const Request &request) = 0;

  /// This program with weight files that have other bytes in the ranges `changed`, and
  /// only there: another one, loaded, which shares what it can with this one. Ranges are
  /// in the order of paths and offsets, and don't overlap. No compilation. `files` takes
  /// the place of ProgramDesc::folder; null: they are the same. After a Patch, also one that failed, this one is gone,
  /// and only to be destroyed, or a Donor; a Donor stays. Unimplemented for Recompile, and where it has to be loaded
  /// anew, as where it has computed with such a weight. Of a loaded program, while nobody evaluates it.
  absl::StatusOr<std::unique_ptr<DeviceProgram>> updateWeights(WeightWay way, std::shared_ptr<const Folder> files,
                                                               absl::Span<const WeightRange> changed);

  /// A request for one evaluation, and that.
  absl::Status evaluate(size_t procedure, absl::Span<Surface *const> inputs, absl::Span<Surface *const> outputs);

protected:
  virtual absl::Status compileNow() { return absl::OkStatus(); }
  virtual absl::StatusOr<std::unique_ptr<DeviceProgram>>
  updateWeightsNow(WeightWay way, std::shared_ptr<const Folder> files, absl::Span<const WeightRange> changed);

private:
  std::atomic<bool> compiled{false};
};

/// How many programs a process may give to a device, as far as the records of its
/// target know. 0: no limit.
struct ProgramBudgets {
  int64_t compilations = 0; ///< in the life of the process
  int64_t loaded = 0;       ///< programs at a time
  int64_t bytes = 0;        ///< of their files, at a time
};

/// Functions of a device are safe from any thread, several at a time.
///
/// Statuses that devices give, each with a message that names the program and
/// the reason: InvalidArgument (the text is wrong: line, column and op),
/// Unimplemented (a valid program that this device does not run), NotFound (a
/// file is missing), DataLoss (a weight file is damaged), FailedPrecondition
/// (the device refuses the program in its present state), ResourceExhausted.
class Device {
public:
  virtual ~Device();

  virtual std::string_view name() const = 0;

  /// A program that is only described yet.
  virtual absl::StatusOr<std::unique_ptr<DeviceProgram>> create(const ProgramDesc &program) = 0;
  /// Creates it, compiles it and loads it.
  absl::StatusOr<std::unique_ptr<DeviceProgram>> load(const ProgramDesc &program);

  virtual ProgramBudgets budgets() const { return {}; }

  /// Memory that this device reads and writes without a copy.
  virtual absl::StatusOr<std::unique_ptr<Surface>> allocate(const SurfaceDesc &surface);
};

} // namespace ane::rt

#endif // ANE_RUNTIME_DEVICE_DEVICE_H
