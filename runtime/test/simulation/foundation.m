// What clients use of newer Foundations than GNUstep's.
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
