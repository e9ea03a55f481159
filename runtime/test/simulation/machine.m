// IOKit's registry and sysctl of one machine: an M4, or what ANE_SIMULATED_MACHINE says, "PROCESSOR;ENGINE".
#import <Foundation/Foundation.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

static NSString *part(NSUInteger index) {
  const char *said = getenv("ANE_SIMULATED_MACHINE");
  return [[[NSString stringWithUTF8String:said ? said : "Apple M4;h16g"] componentsSeparatedByString:@";"] objectAtIndex:index];
}

int sysctlbyname(const char *name, void *value, size_t *size, void *changed, size_t changedSize) {
  (void)changed, (void)changedSize;
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  NSDictionary *known = [NSDictionary
      dictionaryWithObjectsAndKeys:part(0), @"machdep.cpu.brand_string", @"Mac16,10", @"hw.model", @"15.6",
                                   @"kern.osproductversion", @"24G84", @"kern.osversion", nil];
  NSString *text = [known objectForKey:[NSString stringWithUTF8String:name]];
  const int found = text && strlen([text UTF8String]) < *size;
  if (found) {
    *size = strlen([text UTF8String]) + 1;
    memcpy(value, [text UTF8String], *size);
  }
  [pool drain];
  errno = found ? 0 : ENOENT;
  return found ? 0 : -1;
}

// Two nodes: the second is the engine's.
enum { kNodes = 1, kOther, kEngine };
static unsigned int following;

int IORegistryCreateIterator(unsigned int port, const char *plane, uint32_t options, unsigned int *nodes) {
  following = kOther;
  *nodes = kNodes;
  return port == 0 && strcmp(plane, "IOService") == 0 && options == 1 ? 0 : -1;
}

unsigned int IOIteratorNext(unsigned int nodes) {
  return nodes == kNodes && following <= kEngine ? following++ : 0;
}

int IORegistryEntryCreateCFProperties(unsigned int node, NSMutableDictionary **properties, const void *allocator,
                                      uint32_t options) {
  (void)allocator, (void)options;
  *properties = [[NSMutableDictionary alloc] init]; // the caller's
  [*properties setObject:[NSNumber numberWithInt:16] forKey:@"cores"];
  if (node == kEngine)
    [*properties setObject:[NSDictionary dictionaryWithObject:part(1)
                                                       forKey:@"ANEDevicePropertyTypeANEArchitectureTypeStr"]
                    forKey:@"DeviceProperties"];
  return 0;
}

int IOObjectRelease(unsigned int object) {
  (void)object;
  return 0;
}
