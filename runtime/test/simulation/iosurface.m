// IOSurfaces in memory that is mapped twice: the client's view can't be touched while the surface is not locked.
#import "runtime/test/simulation/iosurface.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#define KEY(name) const CFStringRef k##name = (CFStringRef) @ #name
KEY(IOSurfaceWidth);
KEY(IOSurfaceHeight);
KEY(IOSurfaceBytesPerElement);
KEY(IOSurfaceBytesPerRow);
KEY(IOSurfaceAllocSize);
KEY(IOSurfacePixelFormat);
KEY(IOSurfaceElementWidth);
KEY(IOSurfaceElementHeight);
KEY(IOSurfaceOffset);
KEY(IOSurfaceCacheMode);
KEY(IOSurfaceIsGlobal);
KEY(IOSurfaceName);
KEY(IOSurfacePlaneInfo);
NSString *const IOSurfacePropertyKeyWidth = @"IOSurfaceWidth", *const IOSurfacePropertyKeyHeight = @"IOSurfaceHeight",
                *const IOSurfacePropertyKeyBytesPerElement = @"IOSurfaceBytesPerElement",
                *const IOSurfacePropertyKeyBytesPerRow = @"IOSurfaceBytesPerRow",
                *const IOSurfacePropertyKeyAllocSize = @"IOSurfaceAllocSize",
                *const IOSurfacePropertyKeyPixelFormat = @"IOSurfacePixelFormat";

@interface IOSurface : SimulatedObject {
@public
  NSDictionary *properties;
  NSMutableDictionary *values;
  size_t size, mapped;
  uint8_t *engine, *client; ///< views of one memory
  pthread_mutex_t mutex;
  int locks, writeLocks;
  uint32_t seed, number;
  atomic_int uses;
  IOSurface *next; ///< of those that are mapped
}
- (IOReturn)lockWithOptions:(uint32_t)options seed:(uint32_t *)seed;
- (IOReturn)unlockWithOptions:(uint32_t)options seed:(uint32_t *)seed;
@end

static pthread_mutex_t listed = PTHREAD_MUTEX_INITIALIZER;
static IOSurface *first;
static atomic_int held;
static uint32_t lastNumber;
static struct sigaction before;

int simulated_held_locks(void) { return held; }

/// Whoever touches a surface without a lock is told, and goes on: some do, and have seen no harm
/// (ane-programming.md 1.2).
static void touched(int signal, siginfo_t *info, void *context) {
  uint8_t *at = info->si_addr;
  for (IOSurface *each = first; each; each = each->next)
    if (at >= each->client && at < each->client + each->mapped) {
      simulated_finding("simulated-framework.md",
                        "surface %u of %zu bytes is touched without a lock, or written with one "
                        "that is read-only",
                        each->number, each->size);
      mprotect(each->client, each->mapped, PROT_READ | PROT_WRITE);
      return;
    }
  sigaction(SIGSEGV, &before, NULL); // happens again, to whom it concerned before
}

static void watch(void) {
  struct sigaction action = {.sa_sigaction = touched, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
  sigaction(SIGSEGV, &action, &before);
}

@implementation IOSurface
- (size_t)property:(CFStringRef)key {
  return [[properties objectForKey:(id)key] unsignedLongValue];
}

/// As IOSurface has it where it is not told.
- (size_t)rowBytes {
  const size_t given = [self property:kIOSurfaceBytesPerRow];
  return given ? given : [self property:kIOSurfaceWidth] * [self property:kIOSurfaceBytesPerElement];
}

- (id)initWithProperties:(NSDictionary *)given {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch);
  if (!(self = [super init]))
    return nil;
  properties = [given copy];
  size = [self property:kIOSurfaceAllocSize];
  if (size == 0)
    size = [self rowBytes] * [self property:kIOSurfaceHeight];
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  mapped = (size + page - 1) / page * page;
  pthread_mutex_init(&mutex, NULL);
  int file = size ? memfd_create("surface", MFD_CLOEXEC) : -1;
  if (file >= 0 && ftruncate(file, (off_t)mapped) == 0) {
    engine = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    client = mmap(NULL, mapped, PROT_NONE, MAP_SHARED, file, 0);
  }
  if (file >= 0)
    close(file);
  if (!engine || engine == MAP_FAILED || !client || client == MAP_FAILED) {
    [self release];
    return nil;
  }
  pthread_mutex_lock(&listed);
  number = ++lastNumber;
  next = first;
  first = self;
  pthread_mutex_unlock(&listed);
  return self;
}

- (void)dealloc {
  if (locks != 0)
    simulated_finding("simulated-framework.md", "surface %u of %zu bytes is released while it is locked", number, size);
  pthread_mutex_lock(&listed);
  for (IOSurface **each = &first; *each; each = &(*each)->next)
    if (*each == self) {
      *each = next;
      break;
    }
  pthread_mutex_unlock(&listed);
  if (engine && engine != MAP_FAILED)
    munmap(engine, mapped);
  if (client && client != MAP_FAILED)
    munmap(client, mapped);
  held -= locks;
  pthread_mutex_destroy(&mutex);
  [properties release];
  [values release];
  [super dealloc];
}

- (void)protect {
  mprotect(client, mapped, writeLocks ? PROT_READ | PROT_WRITE : locks ? PROT_READ : PROT_NONE);
}

- (IOReturn)lockWithOptions:(uint32_t)options seed:(uint32_t *)told {
  long code;
  char text[256];
  if (simulated_fault(kSimulatedLock, &code, text) != kSimulatedNone)
    return kIOReturnCannotLock;
  pthread_mutex_lock(&mutex);
  ++locks;
  ++held;
  if (!(options & kIOSurfaceLockReadOnly)) {
    ++writeLocks;
    ++seed;
  }
  [self protect];
  if (told)
    *told = seed;
  pthread_mutex_unlock(&mutex);
  return kIOReturnSuccess;
}

- (IOReturn)unlockWithOptions:(uint32_t)options seed:(uint32_t *)told {
  pthread_mutex_lock(&mutex);
  int *writes = options & kIOSurfaceLockReadOnly ? NULL : &writeLocks;
  if (locks == 0 || (writes && *writes == 0) || (!writes && locks == writeLocks)) {
    simulated_finding("simulated-framework.md",
                      "surface %u is unlocked more often, or with other options, than it was locked", number);
  } else {
    --locks;
    --held;
    if (writes)
      --*writes;
  }
  [self protect];
  if (told)
    *told = seed;
  pthread_mutex_unlock(&mutex);
  return kIOReturnSuccess;
}

- (NSInteger)allocationSize {
  return (NSInteger)size;
}
- (NSInteger)width {
  return (NSInteger)[self property:kIOSurfaceWidth];
}
- (NSInteger)height {
  return (NSInteger)[self property:kIOSurfaceHeight];
}
- (NSInteger)bytesPerRow {
  return (NSInteger)[self rowBytes];
}
- (NSInteger)bytesPerElement {
  return (NSInteger)[self property:kIOSurfaceBytesPerElement];
}
- (void *)baseAddress {
  return client;
}
- (uint32_t)seed {
  return seed;
}
- (uint32_t)surfaceID {
  return number;
}
@end

static IOSurface *object(IOSurfaceRef surface) { return (IOSurface *)surface; }

IOSurfaceRef IOSurfaceCreate(CFDictionaryRef given) {
  NSDictionary *properties = (NSDictionary *)given;
  long code;
  char text[256];
  if (simulated_fault(kSimulatedSurface, &code, text) != kSimulatedNone)
    return NULL;
  if (!properties ||
      !simulated_is(properties, [NSDictionary class], "a surface's dictionary", "ane-programming.md 2.1"))
    return NULL;
  IOSurface *made = [[IOSurface alloc] initWithProperties:properties];
  const size_t rows = [made rowBytes] * [made property:kIOSurfaceHeight];
  if (made && rows > made->size) {
    simulated_finding("ane-programming.md 2.1", "a surface of %zu bytes is smaller than its rows of %zu", made->size,
                      rows);
    [made release];
    return NULL;
  }
  if (made)
    made->maker = "IOSurfaceCreate";
  return (IOSurfaceRef)made;
}

IOSurfaceRef IOSurfaceLookup(IOSurfaceID number) {
  pthread_mutex_lock(&listed);
  IOSurface *found = first;
  while (found && found->number != number)
    found = found->next;
  [found retain];
  pthread_mutex_unlock(&listed);
  return (IOSurfaceRef)found;
}

IOSurfaceID IOSurfaceGetID(IOSurfaceRef surface) { return object(surface)->number; }
CFTypeID IOSurfaceGetTypeID(void) { return (CFTypeID)[IOSurface class]; }
IOReturn IOSurfaceLock(IOSurfaceRef surface, uint32_t options, uint32_t *seed) {
  return surface ? [object(surface) lockWithOptions:options seed:seed] : kIOReturnBadArgument;
}
IOReturn IOSurfaceUnlock(IOSurfaceRef surface, uint32_t options, uint32_t *seed) {
  return surface ? [object(surface) unlockWithOptions:options seed:seed] : kIOReturnBadArgument;
}
void *IOSurfaceGetBaseAddress(IOSurfaceRef surface) { return surface ? object(surface)->client : NULL; }
void *IOSurfaceGetBaseAddressOfPlane(IOSurfaceRef surface, size_t plane) {
  return plane == 0 ? IOSurfaceGetBaseAddress(surface) : NULL;
}
size_t IOSurfaceGetAllocSize(IOSurfaceRef surface) { return surface ? object(surface)->size : 0; }
size_t IOSurfaceGetWidth(IOSurfaceRef surface) { return [object(surface) property:kIOSurfaceWidth]; }
size_t IOSurfaceGetHeight(IOSurfaceRef surface) { return [object(surface) property:kIOSurfaceHeight]; }
size_t IOSurfaceGetBytesPerElement(IOSurfaceRef surface) {
  return [object(surface) property:kIOSurfaceBytesPerElement];
}
size_t IOSurfaceGetBytesPerRow(IOSurfaceRef surface) { return [object(surface) rowBytes]; }
size_t IOSurfaceGetPlaneCount(IOSurfaceRef surface) { return 0; }
uint32_t IOSurfaceGetPixelFormat(IOSurfaceRef surface) {
  return (uint32_t)[object(surface) property:kIOSurfacePixelFormat];
}
uint32_t IOSurfaceGetSeed(IOSurfaceRef surface) { return object(surface)->seed; }
void IOSurfaceIncrementUseCount(IOSurfaceRef surface) { ++object(surface)->uses; }
void IOSurfaceDecrementUseCount(IOSurfaceRef surface) {
  if (--object(surface)->uses < 0)
    simulated_finding("simulated-framework.md", "the use count of surface %u falls below 0", object(surface)->number);
}
int32_t IOSurfaceGetUseCount(IOSurfaceRef surface) { return object(surface)->uses; }
bool IOSurfaceIsInUse(IOSurfaceRef surface) { return object(surface)->uses > 0; }

void IOSurfaceSetValue(IOSurfaceRef surface, CFStringRef key, CFTypeRef value) {
  @synchronized(object(surface)) {
    if (!object(surface)->values)
      object(surface)->values = [[NSMutableDictionary alloc] init];
    [object(surface)->values setObject:(id)value forKey:(id)key];
  }
}
CFTypeRef IOSurfaceCopyValue(IOSurfaceRef surface, CFStringRef key) {
  @synchronized(object(surface)) {
    return [[object(surface)->values objectForKey:(id)key] retain];
  }
}
void IOSurfaceRemoveValue(IOSurfaceRef surface, CFStringRef key) {
  @synchronized(object(surface)) {
    [object(surface)->values removeObjectForKey:(id)key];
  }
}

void *simulated_surface_memory(IOSurfaceRef surface) { return object(surface)->engine; }
int simulated_surface_locks(IOSurfaceRef surface) { return object(surface)->locks; }
