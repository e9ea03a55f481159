//===- guarded_device.h - Surfaces that are touched only while mapped -*- C++ -*-===//
//
// As an IOSurface may be: without a mapping its pages can't be touched, and with
// mappings for reading alone they can't be written. A signal ends the process
// then. Mappings are counted, and one of them can be made to fail.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_TEST_CORE_GUARDED_DEVICE_H
#define ANE_RUNTIME_TEST_CORE_GUARDED_DEVICE_H

#include "runtime/device/device.h"
#include <atomic>
#include <mutex>
#include <sys/mman.h>

namespace ane::rt::test {

struct Mappings {
  std::atomic<int64_t> made{0}, open{0};
  std::atomic<int64_t> failAt{-1}; ///< the mapping that fails, counted from 0
};

class GuardedSurface final : public Surface {
public:
  GuardedSurface(int64_t bytes, Mappings &all) : all(all), size(bytes) {
    void *pages = ::mmap(nullptr, length(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memory = pages == MAP_FAILED ? nullptr : static_cast<uint8_t *>(pages);
  }
  ~GuardedSurface() override { ::munmap(memory, length()); }
  int64_t bytes() const override { return size; }

protected:
  absl::StatusOr<uint8_t *> lock(Access access) override {
    std::lock_guard<std::mutex> guard(mutex);
    if (all.made++ == all.failAt)
      return absl::ResourceExhaustedError("the surface can't be mapped");
    ++all.open;
    ++(access == Access::Read ? readers : writers);
    protect();
    return memory;
  }
  void unlock(Access access) noexcept override {
    std::lock_guard<std::mutex> guard(mutex);
    --all.open;
    --(access == Access::Read ? readers : writers);
    protect();
  }

private:
  size_t length() const { return static_cast<size_t>(size > 0 ? size : 1); }
  void protect() { ::mprotect(memory, length(), writers ? PROT_READ | PROT_WRITE : readers ? PROT_READ : PROT_NONE); }

  Mappings &all;
  const int64_t size;
  int readers = 0, writers = 0;
  uint8_t *memory;
  std::mutex mutex;
};

/// Another device with such surfaces.
class GuardedDevice final : public Device {
public:
  GuardedDevice(std::unique_ptr<Device> device, Mappings &all) : device(std::move(device)), all(all) {}
  std::string_view name() const override { return device->name(); }
  absl::StatusOr<std::unique_ptr<DeviceProgram>> create(const ProgramDesc &program) override {
    return device->create(program);
  }
  ProgramBudgets budgets() const override { return device->budgets(); }
  absl::StatusOr<std::unique_ptr<Surface>> allocate(const SurfaceDesc &surface) override {
    return std::make_unique<GuardedSurface>(surface.bytes, all);
  }

private:
  std::unique_ptr<Device> device;
  Mappings &all;
};

} // namespace ane::rt::test
#endif // ANE_RUNTIME_TEST_CORE_GUARDED_DEVICE_H
