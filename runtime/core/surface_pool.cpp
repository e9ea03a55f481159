//===- surface_pool.cpp - Surfaces that sessions leave to others ----------===//
#include "runtime/core/surface_pool.h"
#include <algorithm>
#include <cstring>

namespace ane::rt {

SurfacePool::~SurfacePool() {
  for (const std::unique_ptr<Surface> &surface : idle)
    use.idleBytes -= surface->bytes();
}

absl::StatusOr<PooledSurface> SurfacePool::take(const std::shared_ptr<SurfacePool> &pool, const SurfaceDesc &desc) {
  std::unique_ptr<Surface> surface = pool->takeIdle(desc.bytes);
  if (surface) {
    // What another session left is nobody's business.
    auto mapped = surface->map(Access::Write);
    if (!mapped.ok())
      return mapped.status();
    std::memset(mapped->data(), 0, static_cast<size_t>(surface->bytes()));
  } else {
    auto made = pool->device->allocate(desc);
    if (!made.ok())
      return made.status();
    surface = *std::move(made);
    ++pool->use.allocations;
  }
  ++pool->use.handedOut;
  ++pool->use.used;
  pool->use.usedBytes += surface->bytes();
  return PooledSurface(surface.release(), GiveBack{pool});
}

std::unique_ptr<Surface> SurfacePool::takeIdle(int64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  auto fits = [&](const std::unique_ptr<Surface> &surface) { return surface->bytes() == bytes; };
  auto found = std::find_if(idle.rbegin(), idle.rend(), fits);
  if (found == idle.rend())
    return nullptr;
  std::unique_ptr<Surface> surface = std::move(*found);
  idle.erase(std::next(found).base());
  use.idleBytes -= bytes;
  return surface;
}

void SurfacePool::giveBack(std::unique_ptr<Surface> surface) noexcept {
  const int64_t bytes = surface->bytes();
  --use.used;
  use.usedBytes -= bytes;
  if ((use.idleBytes += bytes) <= use.limit)
    try {
      std::lock_guard<std::mutex> lock(mutex);
      idle.push_back(std::move(surface));
      return;
    } catch (...) {
      // There is no memory to keep it.
    }
  use.idleBytes -= bytes;
}

} // namespace ane::rt
