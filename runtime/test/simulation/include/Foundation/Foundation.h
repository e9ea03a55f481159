// Apple's includes the C library, CoreFoundation and Dispatch, too, and clients rely on it.
#ifndef SIMULATED_FOUNDATION_H
#define SIMULATED_FOUNDATION_H

#include <TargetConditionals.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <CoreFoundation/CoreFoundation.h>
#include_next <Foundation/Foundation.h>
#include <dispatch/dispatch.h>

/// ARC's ends of what CoreFoundation holds.
static inline CFTypeRef CFBridgingRetain(id object) { return object ? CFRetain((__bridge CFTypeRef)object) : NULL; }
static inline id CFBridgingRelease(CFTypeRef object) {
#if __has_feature(objc_arc)
  return (__bridge_transfer id)object;
#else
  return [(id)object autorelease];
#endif
}

#endif // SIMULATED_FOUNDATION_H
