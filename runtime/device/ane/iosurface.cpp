//===- iosurface.cpp - Memory that engine and CPU share -------------------===//
#include "runtime/device/ane/iosurface.h"

#include "absl/strings/str_cat.h"

namespace ane::rt::engine {
namespace {

/// kIOSurfaceLockReadOnly: the seed stays, by which others know that nothing was written.
constexpr uint32_t kReadOnly = 1;

} // namespace

class IOSurface final : public Surface {
public:
  IOSurface(std::shared_ptr<const SurfaceLibrary> library, SurfaceLibrary::Ref surface)
      : library(std::move(library)), surface(surface) {}
  ~IOSurface() override { library->release(surface); }

  int64_t bytes() const override { return static_cast<int64_t>(library->allocSize(surface)); }
  void *nativeHandle() const override { return surface; }

protected:
  absl::StatusOr<uint8_t *> lock(Access access) override {
    int error = library->lock(surface, options(access), nullptr);
    if (error != 0) // as with other calls, a second try: without it what was computed is lost
      error = library->lock(surface, options(access), nullptr);
    if (error != 0)
      return absl::ResourceExhaustedError(
          absl::StrCat("a surface of ", bytes(), " bytes: IOSurfaceLock gives ", error));
    auto *memory = static_cast<uint8_t *>(library->baseAddress(surface));
    if (memory)
      return memory;
    library->unlock(surface, options(access), nullptr);
    return absl::ResourceExhaustedError(absl::StrCat("a surface of ", bytes(), " bytes has no address"));
  }
  void unlock(Access access) noexcept override { library->unlock(surface, options(access), nullptr); }

private:
  static uint32_t options(Access access) { return access == Access::Read ? kReadOnly : 0; }

  const std::shared_ptr<const SurfaceLibrary> library; ///< surfaces may outlive their device
  const SurfaceLibrary::Ref surface;
};

absl::StatusOr<SurfaceLibrary> SurfaceLibrary::in(const objc::Libraries &libraries,
                                                  const objc::Foundation &foundation) {
  SurfaceLibrary library(foundation);
  library.create = libraries.function<Ref(objc::Id)>("IOSurfaceCreate");
  library.lock = libraries.function<int(Ref, uint32_t, uint32_t *)>("IOSurfaceLock");
  library.unlock = libraries.function<int(Ref, uint32_t, uint32_t *)>("IOSurfaceUnlock");
  library.baseAddress = libraries.function<void *(Ref)>("IOSurfaceGetBaseAddress");
  library.allocSize = libraries.function<size_t(Ref)>("IOSurfaceGetAllocSize");
  library.release = libraries.function<void(const void *)>("CFRelease");
  for (auto [key, name] : {std::pair(&library.keys.width, "kIOSurfaceWidth"),
                           {&library.keys.height, "kIOSurfaceHeight"},
                           {&library.keys.elementBytes, "kIOSurfaceBytesPerElement"},
                           {&library.keys.rowBytes, "kIOSurfaceBytesPerRow"},
                           {&library.keys.bytes, "kIOSurfaceAllocSize"},
                           {&library.keys.format, "kIOSurfacePixelFormat"}})
    if (auto *constant = static_cast<objc::Id *>(libraries.symbol(name)))
      *key = *constant;
  const auto &keys = library.keys;
  if (!library.create || !library.lock || !library.unlock || !library.baseAddress || !library.allocSize ||
      !library.release || !keys.width || !keys.height || !keys.elementBytes || !keys.rowBytes || !keys.bytes ||
      !keys.format)
    return absl::UnimplementedError("the IOSurface framework lacks a function or key that this runtime needs");
  return library;
}

absl::StatusOr<std::unique_ptr<Surface>> SurfaceLibrary::make(int64_t bytes) const {
  objc::Runtime::Pool pool(foundation.runtime);
  objc::Id size = foundation.number(bytes), one = foundation.number(1);
  Ref made = create(foundation.dictionary({{keys.width, size},
                                           {keys.height, one},
                                           {keys.elementBytes, one},
                                           {keys.rowBytes, size},
                                           {keys.bytes, size},
                                           {keys.format, foundation.number(0)}}));
  if (!made)
    return absl::ResourceExhaustedError(absl::StrCat("IOSurfaceCreate gives no surface of ", bytes, " bytes"));
  return std::make_unique<IOSurface>(shared_from_this(), made);
}

} // namespace ane::rt::engine
