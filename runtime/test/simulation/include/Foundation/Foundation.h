// Apple's includes the C library, CoreFoundation and Dispatch, too, and clients rely on it.
#ifndef SIMULATED_FOUNDATION_H
#define SIMULATED_FOUNDATION_H

#include <TargetConditionals.h>
#include <mach/mach.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <CoreFoundation/CoreFoundation.h>
#include_next <Foundation/Foundation.h>
#include <dispatch/dispatch.h>

// Of newer Foundations than GNUstep's.
enum { NSDataReadingMappedIfSafe = 1, NSDataReadingUncached = 2, NSDataReadingMappedAlways = 8 };
typedef NSUInteger NSDataReadingOptions;
#define NSJSONWritingSortedKeys ((NSJSONWritingOptions)2)
#define NSJSONWritingWithoutEscapingSlashes ((NSJSONWritingOptions)8)
typedef struct {
  NSInteger majorVersion, minorVersion, patchVersion;
} NSOperatingSystemVersion;
typedef NS_ENUM(NSInteger, NSProcessInfoThermalState) {
  NSProcessInfoThermalStateNominal,
  NSProcessInfoThermalStateFair,
  NSProcessInfoThermalStateSerious,
  NSProcessInfoThermalStateCritical
};

@interface NSData (Simulated)
+ (instancetype)dataWithContentsOfFile:(NSString *)path options:(NSDataReadingOptions)options error:(NSError **)error;
+ (instancetype)dataWithContentsOfURL:(NSURL *)url options:(NSDataReadingOptions)options error:(NSError **)error;
- (instancetype)initWithContentsOfFile:(NSString *)path options:(NSDataReadingOptions)options error:(NSError **)error;
@end
@interface NSProcessInfo (Simulated)
- (NSProcessInfoThermalState)thermalState;
- (BOOL)isLowPowerModeEnabled;
- (NSOperatingSystemVersion)operatingSystemVersion;
- (BOOL)isOperatingSystemAtLeastVersion:(NSOperatingSystemVersion)version;
@end
@interface NSFileManager (Simulated)
- (NSURL *)temporaryDirectory;
@end
@interface NSURL (Simulated)
- (const char *)fileSystemRepresentation;
@end
@interface NSThread (Simulated)
- (instancetype)initWithBlock:(void (^)(void))block;
+ (void)detachNewThreadWithBlock:(void (^)(void))block;
@end
@interface NSFileHandle (Simulated)
- (NSData *)readDataUpToLength:(NSUInteger)length error:(NSError **)error;
- (NSData *)readDataToEndOfFileAndReturnError:(NSError **)error;
- (BOOL)writeData:(NSData *)data error:(NSError **)error;
- (BOOL)closeAndReturnError:(NSError **)error;
@end
@interface NSTask (Simulated)
@property(copy) NSURL *executableURL;
- (BOOL)launchAndReturnError:(NSError **)error;
@end

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
