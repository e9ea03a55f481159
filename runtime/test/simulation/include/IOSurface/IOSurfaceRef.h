// IOSurface as clients of the engine use it.
#ifndef SIMULATED_IOSURFACEREF_H
#define SIMULATED_IOSURFACEREF_H

#include <CoreFoundation/CoreFoundation.h>
#include <IOKit/IOReturn.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct __IOSurface *IOSurfaceRef;
typedef uint32_t IOSurfaceID;
typedef uint32_t IOSurfaceLockOptions;

enum { kIOSurfaceLockReadOnly = 1, kIOSurfaceLockAvoidSync = 2 };

extern const CFStringRef kIOSurfaceWidth, kIOSurfaceHeight, kIOSurfaceBytesPerElement, kIOSurfaceBytesPerRow,
    kIOSurfaceAllocSize, kIOSurfacePixelFormat, kIOSurfaceElementWidth, kIOSurfaceElementHeight, kIOSurfaceOffset,
    kIOSurfaceCacheMode, kIOSurfaceIsGlobal, kIOSurfaceName, kIOSurfacePlaneInfo;

IOSurfaceRef IOSurfaceCreate(CFDictionaryRef properties);
IOSurfaceRef IOSurfaceLookup(IOSurfaceID id);
IOSurfaceID IOSurfaceGetID(IOSurfaceRef surface);
CFTypeID IOSurfaceGetTypeID(void);
IOReturn IOSurfaceLock(IOSurfaceRef surface, IOSurfaceLockOptions options, uint32_t *seed);
IOReturn IOSurfaceUnlock(IOSurfaceRef surface, IOSurfaceLockOptions options, uint32_t *seed);
void *IOSurfaceGetBaseAddress(IOSurfaceRef surface);
void *IOSurfaceGetBaseAddressOfPlane(IOSurfaceRef surface, size_t plane);
size_t IOSurfaceGetAllocSize(IOSurfaceRef surface);
size_t IOSurfaceGetWidth(IOSurfaceRef surface);
size_t IOSurfaceGetHeight(IOSurfaceRef surface);
size_t IOSurfaceGetBytesPerElement(IOSurfaceRef surface);
size_t IOSurfaceGetBytesPerRow(IOSurfaceRef surface);
size_t IOSurfaceGetPlaneCount(IOSurfaceRef surface);
uint32_t IOSurfaceGetPixelFormat(IOSurfaceRef surface);
uint32_t IOSurfaceGetSeed(IOSurfaceRef surface);
void IOSurfaceIncrementUseCount(IOSurfaceRef surface);
void IOSurfaceDecrementUseCount(IOSurfaceRef surface);
int32_t IOSurfaceGetUseCount(IOSurfaceRef surface);
bool IOSurfaceIsInUse(IOSurfaceRef surface);
void IOSurfaceSetValue(IOSurfaceRef surface, CFStringRef key, CFTypeRef value);
CFTypeRef IOSurfaceCopyValue(IOSurfaceRef surface, CFStringRef key);
void IOSurfaceRemoveValue(IOSurfaceRef surface, CFStringRef key);

#ifdef __cplusplus
}
#endif
#endif // SIMULATED_IOSURFACEREF_H
