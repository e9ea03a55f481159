//===- iosurface.h - Memory that engine and CPU share -----------*- C++ -*-===//
#ifndef ANE_RUNTIME_DEVICE_ANE_IOSURFACE_H
#define ANE_RUNTIME_DEVICE_ANE_IOSURFACE_H

#include "runtime/device/ane/foundation.h"
#include "runtime/device/device.h"

#include <memory>

namespace ane::rt::engine {

/// The C functions of IOSurface. For a shared pointer.
class SurfaceLibrary : public std::enable_shared_from_this<SurfaceLibrary> {
public:
  static absl::StatusOr<SurfaceLibrary> in(const objc::Libraries &libraries, const objc::Foundation &foundation);

  /// One row of bytes, as all sources make them (ane-programming.md 2.1), filled with zeros.
  absl::StatusOr<std::unique_ptr<Surface>> make(int64_t bytes) const;

private:
  friend class IOSurface;
  using Ref = struct IOSurfaceOfTheSystem *;

  explicit SurfaceLibrary(const objc::Foundation &foundation) : foundation(foundation) {}

  const objc::Foundation &foundation;
  Ref (*create)(objc::Id properties) = nullptr;
  int (*lock)(Ref, uint32_t options, uint32_t *seed) = nullptr;
  int (*unlock)(Ref, uint32_t options, uint32_t *seed) = nullptr;
  void *(*baseAddress)(Ref) = nullptr;
  size_t (*allocSize)(Ref) = nullptr;
  void (*release)(const void *) = nullptr;
  struct Keys {
    objc::Id width, height, elementBytes, rowBytes, bytes, format;
  } keys = {};
};

} // namespace ane::rt::engine
#endif // ANE_RUNTIME_DEVICE_ANE_IOSURFACE_H
