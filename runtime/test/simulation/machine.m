// IOKit's registry and sysctl of one machine: an M4, or what ANE_SIMULATED_MACHINE says, "PROCESSOR;ENGINE".
#import <Foundation/Foundation.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

static NSString *part(NSUInteger index) {
  const char *said = getenv("ANE_SIMULATED_MACHINE");
  return [[[NSString stringWithUTF8String:said ? said : "Apple M4;h16g"] componentsSeparatedByString:@";"]
      objectAtIndex:index];
}

int sysctlbyname(const char *name, void *value, size_t *size, void *changed, size_t changedSize) {
  (void)changed, (void)changedSize;
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  NSDictionary *known =
      [NSDictionary dictionaryWithObjectsAndKeys:part(0), @"machdep.cpu.brand_string", @"Mac16,10", @"hw.model",
                                                 @"15.6", @"kern.osproductversion", @"24G84", @"kern.osversion", nil];
  // An M4's; those of 8 bytes first.
  static const struct {
    const char *name;
    int64_t value;
  } numbers[] = {{"hw.memsize", 16ll << 30},
                 {"hw.pagesize", 16384},
                 {"hw.cachelinesize", 128},
                 {"hw.ncpu", 10},
                 {"hw.physicalcpu", 10},
                 {"hw.logicalcpu", 10},
                 {"hw.activecpu", 10},
                 {"hw.nperflevels", 2},
                 {"hw.perflevel0.physicalcpu", 4},
                 {"hw.perflevel1.physicalcpu", 6},
                 {"hw.perflevel0.logicalcpu", 4},
                 {"hw.perflevel1.logicalcpu", 6},
                 {"hw.optional.arm64", 1}};
  NSString *text = [known objectForKey:[NSString stringWithUTF8String:name]];
  const void *bytes = [text UTF8String];
  size_t wanted = text ? strlen(bytes) + 1 : 0;
  for (size_t i = 0; !text && i < sizeof numbers / sizeof *numbers; ++i)
    if (strcmp(name, numbers[i].name) == 0) {
      bytes = &numbers[i].value; // little-endian
      wanted = i < 3 ? 8 : 4;
    }
  const int found = bytes && size && (!value || *size >= wanted);
  if (found) {
    *size = wanted;
    if (value)
      memcpy(value, bytes, wanted);
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

unsigned int IOIteratorNext(unsigned int nodes) { return nodes == kNodes && following <= kEngine ? following++ : 0; }

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
