// What clients use of newer Foundations than GNUstep's.
#import <Block.h>
#import <Foundation/Foundation.h>

@implementation NSData (Simulated)
+ (instancetype)dataWithContentsOfFile:(NSString *)path options:(NSDataReadingOptions)options error:(NSError **)error {
  return [[[self alloc] initWithContentsOfFile:path options:options error:error] autorelease];
}
+ (instancetype)dataWithContentsOfURL:(NSURL *)url options:(NSDataReadingOptions)options error:(NSError **)error {
  return [self dataWithContentsOfFile:[url path] options:options error:error];
}
- (instancetype)initWithContentsOfFile:(NSString *)path options:(NSDataReadingOptions)options error:(NSError **)error {
  self = [self initWithContentsOfFile:path];
  if (!self && error)
    *error = [NSError errorWithDomain:NSCocoaErrorDomain
                                 code:260 // NSFileReadNoSuchFileError
                             userInfo:[NSDictionary dictionaryWithObject:path forKey:NSFilePathErrorKey]];
  return self;
}
@end

@implementation NSProcessInfo (Simulated)
- (NSProcessInfoThermalState)thermalState {
  return NSProcessInfoThermalStateNominal;
}
- (BOOL)isLowPowerModeEnabled {
  return NO;
}
- (NSOperatingSystemVersion)operatingSystemVersion {
  return (NSOperatingSystemVersion){15, 6, 0}; // machine.m
}
- (BOOL)isOperatingSystemAtLeastVersion:(NSOperatingSystemVersion)version {
  const NSOperatingSystemVersion own = [self operatingSystemVersion];
  return own.majorVersion != version.majorVersion   ? own.majorVersion > version.majorVersion
         : own.minorVersion != version.minorVersion ? own.minorVersion > version.minorVersion
                                                    : own.patchVersion >= version.patchVersion;
}
@end

@implementation NSFileManager (Simulated)
- (NSURL *)temporaryDirectory {
  return [NSURL fileURLWithPath:NSTemporaryDirectory()];
}
@end

@implementation NSURL (Simulated)
- (const char *)fileSystemRepresentation {
  return [[self path] fileSystemRepresentation];
}
@end

@interface NSObject (SimulatedThread)
- (void)simulatedRun;
@end
@implementation NSObject (SimulatedThread)
- (void)simulatedRun {
  ((void (^)(void))self)();
}
@end

@implementation NSThread (Simulated)
- (instancetype)initWithBlock:(void (^)(void))block {
  id held = [(id)Block_copy(block) autorelease]; // the thread holds its target
  return [self initWithTarget:held selector:@selector(simulatedRun) object:nil];
}
+ (void)detachNewThreadWithBlock:(void (^)(void))block {
  [[[[self alloc] initWithBlock:block] autorelease] start];
}
@end

/// GNUstep's raise where these have an error.
#define ORDERLY(give, nothing)                                                                                         \
  @try {                                                                                                               \
    give;                                                                                                              \
  } @catch (NSException * exception) {                                                                                 \
    if (error)                                                                                                         \
      *error = [NSError errorWithDomain:NSCocoaErrorDomain code:512 userInfo:nil];                                     \
    return nothing;                                                                                                    \
  }
@implementation NSFileHandle (Simulated)
- (NSData *)readDataUpToLength:(NSUInteger)length error:(NSError **)error {
  ORDERLY(return [self readDataOfLength:length], nil)
}
- (NSData *)readDataToEndOfFileAndReturnError:(NSError **)error {
  ORDERLY(return [self readDataToEndOfFile], nil)
}
- (BOOL)writeData:(NSData *)data error:(NSError **)error {
  ORDERLY([self writeData:data]; return YES, NO)
}
- (BOOL)closeAndReturnError:(NSError **)error {
  ORDERLY([self closeFile]; return YES, NO)
}
@end

/// A framework of a Mac, opened as a bundle: it is loaded already.
@interface SimulatedBundle : NSBundle
@end
@implementation SimulatedBundle
- (BOOL)load {
  return YES;
}
- (BOOL)loadAndReturnError:(NSError **)error {
  return YES;
}
- (BOOL)isLoaded {
  return YES;
}
- (NSString *)bundlePath {
  return @"/System/Library/PrivateFrameworks/AppleNeuralEngine.framework";
}
- (Class)classNamed:(NSString *)name {
  return NSClassFromString(name);
}
@end

#pragma clang diagnostic ignored "-Wobjc-protocol-method-implementation"
@implementation NSBundle (Simulated)
+ (NSBundle *)bundleWithPath:(NSString *)path {
  static SimulatedBundle *made;
  if (![path hasPrefix:@"/System/Library/"] || ![path hasSuffix:@"/AppleNeuralEngine.framework"])
    return [[[self alloc] initWithPath:path] autorelease];
  @synchronized([SimulatedBundle class]) {
    if (!made)
      made = NSAllocateObject([SimulatedBundle class], 0, NULL);
  }
  return made;
}
+ (NSBundle *)bundleWithURL:(NSURL *)url {
  return [self bundleWithPath:[url path]];
}
@end

@implementation NSTask (Simulated)
- (NSURL *)executableURL {
  return [NSURL fileURLWithPath:[self launchPath]];
}
- (void)setExecutableURL:(NSURL *)url {
  [self setLaunchPath:[url path]];
}
- (BOOL)launchAndReturnError:(NSError **)error {
  @try {
    [self launch];
    return YES;
  } @catch (NSException *exception) {
    if (error)
      *error = [NSError errorWithDomain:NSCocoaErrorDomain code:4 userInfo:nil]; // NSFileNoSuchFileError
    return NO;
  }
}
@end
