//===- probe_program.h - A program to try a device with ---------*- C++ -*-===//
#ifndef ANE_RUNTIME_CORE_PROBE_PROGRAM_H
#define ANE_RUNTIME_CORE_PROBE_PROGRAM_H

#include "runtime/device/device.h"
#include <memory>
#include <string>

namespace ane::rt {

/// Convolutions by 1x1, one behind the other, the spelling that all chips read (C29) of the op that sources have tried
/// most with. Their matrices are constants of weight files, no two alike up to as many as there are channels, and move
/// what they don't multiply.
class ProbeProgram {
public:
  struct Size {
    int64_t constants = 1, files = 1;    ///< no more files than constants
    int64_t channels = 32, columns = 32; ///< multiples of 32, so that no row is padded (C04)
  };
  /// With memory of the device for its input, which is filled, and its output. Programs with different tags are
  /// different to the device.
  static absl::StatusOr<ProbeProgram> create(Device &device, std::string name, Size size, const std::string &tag = "");

  /// Weight files of a program that multiplies by `factor`.
  absl::StatusOr<std::shared_ptr<const Folder>> filesWith(float factor) const;
  /// Of the smallest: its file and, as good as, its text.
  static int64_t bytes();
  /// Where its file has the matrix with the factor.
  static WeightRange firstMatrix();

  /// What all elements are multiplied by; NaN where they differ. A second try, as for any program.
  absl::StatusOr<float> evaluate(DeviceProgram &program) const;
  /// The same in steps: an evaluation, what it leaves, and what the output has before it, so that it leaves something.
  absl::StatusOr<std::unique_ptr<Request>> request(DeviceProgram &program) const;
  absl::StatusOr<float> factor() const;
  absl::Status clear() const;

  /// `folder` is to be set.
  ProgramDesc desc;

private:
  ProbeProgram() = default;

  Size size;
  std::unique_ptr<Surface> input, output;
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_PROBE_PROGRAM_H
