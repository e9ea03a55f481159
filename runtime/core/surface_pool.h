//===- surface_pool.h - Surfaces that sessions leave to others --*- C++ -*-===//
//
// A session takes the surfaces of its programs here and gives them back when it
// ends, so that sessions that come and go allocate them once. What nobody uses is
// kept up to a number of bytes, and goes with the last bundle of the device.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_CORE_SURFACE_POOL_H
#define ANE_RUNTIME_CORE_SURFACE_POOL_H

#include "runtime/device/device.h"
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace ane::rt {

constexpr int64_t kIdleSurfaceBytes = int64_t(64) << 20;

/// Of all pools of a context.
struct SurfaceUse {
  std::atomic<int64_t> limit{kIdleSurfaceBytes};     ///< of idleBytes
  std::atomic<int64_t> used{0}, usedBytes{0};        ///< surfaces of sessions
  std::atomic<int64_t> idleBytes{0};                 ///< of those that nobody uses
  std::atomic<int64_t> allocations{0}, handedOut{0}; ///< made by a device; all that sessions were given
};

class SurfacePool {
public:
  /// `use` outlives the pool.
  SurfacePool(std::shared_ptr<Device> device, SurfaceUse &use) : device(std::move(device)), use(use) {}
  ~SurfacePool();

  struct GiveBack {
    std::shared_ptr<SurfacePool> pool;
    void operator()(Surface *surface) const { pool->giveBack(std::unique_ptr<Surface>(surface)); }
  };
  using Pooled = std::unique_ptr<Surface, GiveBack>;

  /// A surface of the device, filled with zeros, of as many bytes as `desc` says.
  static absl::StatusOr<Pooled> take(const std::shared_ptr<SurfacePool> &pool, const SurfaceDesc &desc);

private:
  std::unique_ptr<Surface> takeIdle(int64_t bytes);
  void giveBack(std::unique_ptr<Surface> surface) noexcept;

  std::shared_ptr<Device> device;
  SurfaceUse &use;
  std::mutex mutex;
  std::vector<std::unique_ptr<Surface>> idle;
};

using PooledSurface = SurfacePool::Pooled;

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_SURFACE_POOL_H
