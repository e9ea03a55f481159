#ifndef SIMULATED_IOSURFACEOBJC_H
#define SIMULATED_IOSURFACEOBJC_H

#import <Foundation/Foundation.h>
#include <IOSurface/IOSurfaceRef.h>

typedef NSString *IOSurfacePropertyKey;
extern IOSurfacePropertyKey const IOSurfacePropertyKeyWidth, IOSurfacePropertyKeyHeight,
    IOSurfacePropertyKeyBytesPerElement, IOSurfacePropertyKeyBytesPerRow, IOSurfacePropertyKeyAllocSize,
    IOSurfacePropertyKeyPixelFormat;

/// What an IOSurfaceRef is.
@interface IOSurface : NSObject
- (instancetype)initWithProperties:(NSDictionary *)properties;
- (IOReturn)lockWithOptions:(IOSurfaceLockOptions)options seed:(uint32_t *)seed;
- (IOReturn)unlockWithOptions:(IOSurfaceLockOptions)options seed:(uint32_t *)seed;
- (NSInteger)allocationSize;
- (NSInteger)width;
- (NSInteger)height;
- (NSInteger)bytesPerRow;
- (NSInteger)bytesPerElement;
- (void *)baseAddress;
- (uint32_t)seed;
- (IOSurfaceID)surfaceID;
@end

#endif // SIMULATED_IOSURFACEOBJC_H
