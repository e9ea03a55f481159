// IOSurface, and what the engine knows of surfaces.
#ifndef ANE_RUNTIME_TEST_SIMULATION_IOSURFACE_H
#define ANE_RUNTIME_TEST_SIMULATION_IOSURFACE_H

#import "runtime/test/simulation/object.h"
#include <IOSurface/IOSurfaceRef.h>

/// The engine's view of a surface, which needs no lock, and how many the CPU holds.
void *simulated_surface_memory(IOSurfaceRef surface);
int simulated_surface_locks(IOSurfaceRef surface);

#endif
