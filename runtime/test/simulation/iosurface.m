// IOSurfaces in memory that is mapped twice: the client's view can't be touched while the surface is not locked.
#import "runtime/test/simulation/iosurface.h"
#import "runtime/test/simulation/finding.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

NSString *const kIOSurfaceWidth = @"IOSurfaceWidth", *const kIOSurfaceHeight = @"IOSurfaceHeight",
                *const kIOSurfaceBytesPerElement = @"IOSurfaceBytesPerElement",
                *const kIOSurfaceBytesPerRow = @"IOSurfaceBytesPerRow", *const kIOSurfaceAllocSize = @"IOSurfaceAllocSize",
                *const kIOSurfacePixelFormat = @"IOSurfacePixelFormat";

/// A C object: CFRetain and CFRelease tell it from others by its first word.
struct SimulatedSurface {
  const void *kind;
  atomic_int references;
  size_t size, width, height, rowBytes;
  uint8_t *engine, *client; ///< views of one memory
  pthread_mutex_t mutex;
  int locks, writeLocks;
  uint32_t seed;
};

static const char kind;
static atomic_int held;
int simulated_held_locks(void) { return held; }

static size_t number(NSDictionary *properties, NSString *key) {
  return [[properties objectForKey:key] unsignedLongValue];
}

IOSurfaceRef IOSurfaceCreate(NSDictionary *properties) {
  const size_t size = number(properties, kIOSurfaceAllocSize);
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), mapped = (size + page - 1) / page * page;
  if (size == 0 || number(properties, kIOSurfaceBytesPerRow) * number(properties, kIOSurfaceHeight) > size) {
    simulated_finding("ane-programming.md 2.1", "a surface of %zu bytes is smaller than its rows", size);
    return NULL;
  }
  int file = memfd_create("surface", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, (off_t)mapped) != 0)
    return NULL;
  struct SimulatedSurface *made = calloc(1, sizeof *made);
  made->kind = &kind;
  made->references = 1;
  made->size = size;
  made->width = number(properties, kIOSurfaceWidth);
  made->height = number(properties, kIOSurfaceHeight);
  made->rowBytes = number(properties, kIOSurfaceBytesPerRow);
  made->engine = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  made->client = mmap(NULL, mapped, PROT_NONE, MAP_SHARED, file, 0);
  close(file);
  pthread_mutex_init(&made->mutex, NULL);
  return made;
}

static size_t mappedBytes(IOSurfaceRef surface) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  return (surface->size + page - 1) / page * page;
}

static void protect(IOSurfaceRef surface) {
  mprotect(surface->client, mappedBytes(surface),
           surface->writeLocks ? PROT_READ | PROT_WRITE : surface->locks ? PROT_READ : PROT_NONE);
}

int IOSurfaceLock(IOSurfaceRef surface, uint32_t options, uint32_t *seed) {
  pthread_mutex_lock(&surface->mutex);
  ++surface->locks;
  ++held;
  if (!(options & 1)) {
    ++surface->writeLocks;
    ++surface->seed;
  }
  protect(surface);
  if (seed)
    *seed = surface->seed;
  pthread_mutex_unlock(&surface->mutex);
  return 0;
}

int IOSurfaceUnlock(IOSurfaceRef surface, uint32_t options, uint32_t *seed) {
  pthread_mutex_lock(&surface->mutex);
  int *writes = options & 1 ? NULL : &surface->writeLocks;
  if (surface->locks == 0 || (writes && *writes == 0)) {
    simulated_finding("simulated-framework.md", "a surface is unlocked more often, or with other options, than it was locked");
  } else {
    --surface->locks;
    --held;
    if (writes)
      --*writes;
  }
  protect(surface);
  if (seed)
    *seed = surface->seed;
  pthread_mutex_unlock(&surface->mutex);
  return 0;
}

void *IOSurfaceGetBaseAddress(IOSurfaceRef surface) { return surface->client; }
size_t IOSurfaceGetAllocSize(IOSurfaceRef surface) { return surface->size; }
size_t IOSurfaceGetWidth(IOSurfaceRef surface) { return surface->width; }
size_t IOSurfaceGetHeight(IOSurfaceRef surface) { return surface->height; }
size_t IOSurfaceGetBytesPerRow(IOSurfaceRef surface) { return surface->rowBytes; }
uint32_t IOSurfaceGetSeed(IOSurfaceRef surface) { return surface->seed; }
void *simulated_surface_memory(IOSurfaceRef surface) { return surface->engine; }
int simulated_surface_locks(IOSurfaceRef surface) { return surface->locks; }

const void *CFRetain(const void *object) {
  if (*(const void *const *)object == &kind)
    ++((struct SimulatedSurface *)object)->references;
  else
    [(id)object retain];
  return object;
}

void CFRelease(const void *object) {
  if (*(const void *const *)object != &kind) {
    [(id)object release];
    return;
  }
  struct SimulatedSurface *surface = (struct SimulatedSurface *)object;
  if (--surface->references > 0)
    return;
  if (surface->locks != 0)
    simulated_finding("simulated-framework.md", "a surface is released while it is locked");
  munmap(surface->engine, mappedBytes(surface));
  munmap(surface->client, mappedBytes(surface));
  pthread_mutex_destroy(&surface->mutex);
  free(surface);
}
