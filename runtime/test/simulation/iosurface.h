// IOSurface and the parts of CoreFoundation that its clients need.
#ifndef ANE_RUNTIME_TEST_SIMULATION_IOSURFACE_H
#define ANE_RUNTIME_TEST_SIMULATION_IOSURFACE_H

#import <Foundation/Foundation.h>

typedef struct SimulatedSurface *IOSurfaceRef;

IOSurfaceRef IOSurfaceCreate(NSDictionary *properties);
int IOSurfaceLock(IOSurfaceRef surface, uint32_t options, uint32_t *seed);
int IOSurfaceUnlock(IOSurfaceRef surface, uint32_t options, uint32_t *seed);
void *IOSurfaceGetBaseAddress(IOSurfaceRef surface);
size_t IOSurfaceGetAllocSize(IOSurfaceRef surface);
size_t IOSurfaceGetWidth(IOSurfaceRef surface);
size_t IOSurfaceGetHeight(IOSurfaceRef surface);
size_t IOSurfaceGetBytesPerRow(IOSurfaceRef surface);
uint32_t IOSurfaceGetSeed(IOSurfaceRef surface);
const void *CFRetain(const void *object);
void CFRelease(const void *object);

/// The engine's view of a surface, which needs no lock, and how many the CPU holds.
void *simulated_surface_memory(IOSurfaceRef surface);
int simulated_surface_locks(IOSurfaceRef surface);

#endif
