#ifndef SIMULATED_IOSURFACE_H
#define SIMULATED_IOSURFACE_H

#include <IOSurface/IOSurfaceRef.h>
#ifdef __OBJC__
#include <IOSurface/IOSurfaceObjC.h>
#endif

#endif // SIMULATED_IOSURFACE_H
