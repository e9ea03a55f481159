//===- device.cpp - Surfaces in ordinary memory ---------------------------===//

#include "runtime/device/device.h"
#include "runtime/device/refusal.h"

#include "absl/strings/str_cat.h"

#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(memory, bytes) ((void)(memory), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(memory, bytes) ((void)(memory), (void)(bytes))
#endif

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

namespace ane::rt {

Surface::~Surface() = default;

absl::StatusOr<Surface::Mapping> Surface::map(Access access) {
  absl::StatusOr<uint8_t *> memory = lock(access);
  if (!memory.ok())
    return refuse(Refusal::Resource, std::string(memory.status().message()), kNoMapping);
  return Mapping(*this, access, *memory);
}

Request::~Request() = default;
DeviceProgram::~DeviceProgram() = default;
Device::~Device() = default;

absl::StatusOr<std::unique_ptr<Request>> DeviceProgram::request(size_t procedure, absl::Span<Surface *const> inputs,
                                                                absl::Span<Surface *const> outputs) {
  return std::make_unique<Request>(procedure, inputs, outputs);
}

absl::Status DeviceProgram::evaluate(size_t procedure, absl::Span<Surface *const> inputs,
                                     absl::Span<Surface *const> outputs) {
  auto made = request(procedure, inputs, outputs);
  return made.ok() ? submit(**made).status() : made.status();
}

absl::Status DeviceProgram::compile() {
  absl::Status status = compileNow();
  if (status.ok())
    compiled = true;
  return status;
}

absl::StatusOr<std::unique_ptr<DeviceProgram>> Device::load(const ProgramDesc &program) {
  auto made = create(program);
  if (!made.ok())
    return made;
  absl::Status status = (*made)->isCompiled() ? absl::OkStatus() : (*made)->compile();
  if (status.ok())
    status = (*made)->load();
  if (!status.ok())
    return status;
  return made;
}

std::string_view nameOf(WeightWay way) {
  switch (way) {
  case WeightWay::Patch:
    return "patch";
  case WeightWay::Donor:
    return "donor";
  case WeightWay::Recompile:
    break;
  }
  return "recompile";
}

absl::StatusOr<std::unique_ptr<DeviceProgram>> DeviceProgram::updateWeightsNow(WeightWay, std::shared_ptr<const Folder>,
                                                                               absl::Span<const WeightRange>) {
  return absl::UnimplementedError("the device takes weights with the program only");
}

absl::StatusOr<std::unique_ptr<DeviceProgram>> DeviceProgram::updateWeights(WeightWay way,
                                                                            std::shared_ptr<const Folder> files,
                                                                            absl::Span<const WeightRange> changed) {
  auto made = updateWeightsNow(way, std::move(files), changed);
  if (made.ok())
    (*made)->compiled = true;
  return made;
}

namespace {

constexpr int64_t kAlignment = 64;

struct Free {
  void operator()(uint8_t *data) const { std::free(data); }
};
using Memory = std::unique_ptr<uint8_t, Free>;

/// Sanitizers see who touches it while nobody has mapped it.
class HostSurface final : public Surface {
public:
  HostSurface(Memory data, int64_t bytes) : data(std::move(data)), size(bytes) { close(); }
  ~HostSurface() override { ASAN_UNPOISON_MEMORY_REGION(data.get(), static_cast<size_t>(size)); }

  int64_t bytes() const override { return size; }

protected:
  absl::StatusOr<uint8_t *> lock(Access) override {
    std::lock_guard<std::mutex> guard(mutex);
    if (mappings++ == 0)
      ASAN_UNPOISON_MEMORY_REGION(data.get(), static_cast<size_t>(size));
    return data.get();
  }
  void unlock(Access) noexcept override {
    std::lock_guard<std::mutex> guard(mutex);
    if (--mappings == 0)
      close();
  }

private:
  void close() { ASAN_POISON_MEMORY_REGION(data.get(), static_cast<size_t>(size)); }

  Memory data;
  int64_t size, mappings = 0;
  std::mutex mutex;
};

} // namespace

absl::StatusOr<std::unique_ptr<Surface>> makeHostSurface(int64_t bytes) {
  if (bytes < 0 || bytes > std::numeric_limits<int64_t>::max() - kAlignment)
    return absl::InvalidArgumentError(absl::StrCat("a surface of ", bytes, " bytes is not possible"));
  int64_t rounded = std::max(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  Memory data(static_cast<uint8_t *>(std::aligned_alloc(kAlignment, static_cast<size_t>(rounded))));
  if (!data)
    return absl::ResourceExhaustedError(absl::StrCat("no memory for a surface of ", bytes, " bytes"));
  std::memset(data.get(), 0, static_cast<size_t>(rounded));
  return std::make_unique<HostSurface>(std::move(data), bytes);
}

absl::StatusOr<std::unique_ptr<Surface>> Device::allocate(const SurfaceDesc &surface) {
  return makeHostSurface(surface.bytes);
}

} // namespace ane::rt
