// The parts of CoreFoundation that clients of the engine use, on Foundation's objects.
#import "runtime/test/simulation/include/CoreFoundation/CoreFoundation.h"
#import <Foundation/Foundation.h>
#include <objc/message.h>
#include <objc/runtime.h>

struct CFDictionaryCallBacks {
  int nothing;
};
struct CFArrayCallBacksOf {
  int nothing;
};

const CFAllocatorRef kCFAllocatorDefault = NULL;
const CFDictionaryKeyCallBacks kCFTypeDictionaryKeyCallBacks;
const CFDictionaryValueCallBacks kCFTypeDictionaryValueCallBacks;
const CFArrayCallBacks kCFTypeArrayCallBacks;
static id booleans[2];
const CFBooleanRef kCFBooleanTrue, kCFBooleanFalse;

/// They are constants to clients. In functions of C: this file's own selectors may not be known yet.
__attribute__((constructor)) static void makeBooleans(void) {
  id number = (id)objc_getClass("NSNumber");
  SEL alloc = sel_registerName("alloc"), init = sel_registerName("initWithBool:");
  for (int i = 0; i < 2; ++i) {
    id made = objc_msg_lookup(number, alloc)(number, alloc);
    booleans[i] = ((id(*)(id, SEL, BOOL))objc_msg_lookup(made, init))(made, init, i);
  }
  memcpy((void *)&kCFBooleanFalse, &booleans[0], sizeof(void *));
  memcpy((void *)&kCFBooleanTrue, &booleans[1], sizeof(void *));
}

CFTypeRef CFRetain(CFTypeRef object) { return [(id)object retain]; }
void CFRelease(CFTypeRef object) { [(id)object release]; }
CFTypeRef CFAutorelease(CFTypeRef object) { return [(id)object autorelease]; }
CFIndex CFGetRetainCount(CFTypeRef object) { return (CFIndex)[(id)object retainCount]; }
Boolean CFEqual(CFTypeRef a, CFTypeRef b) { return [(id)a isEqual:(id)b]; }
void CFShow(CFTypeRef object) { fprintf(stderr, "%s\n", [[(id)object description] UTF8String]); }
CFAbsoluteTime CFAbsoluteTimeGetCurrent(void) { return [NSDate timeIntervalSinceReferenceDate]; }

CFStringRef simulated_constant_string(const char *text) {
  static NSMutableDictionary *known;
  NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
  NSString *key = [NSString stringWithUTF8String:text], *found;
  @synchronized([NSMutableDictionary class]) {
    if (!known)
      known = [[NSMutableDictionary alloc] init];
    found = [known objectForKey:key];
    if (!found)
      [known setObject:found = key forKey:key];
  }
  [pool drain];
  return (CFStringRef)found;
}

CFStringRef CFStringCreateWithCString(CFAllocatorRef allocator, const char *text, CFStringEncoding encoding) {
  return (CFStringRef)[[NSString alloc] initWithUTF8String:text];
}
const char *CFStringGetCStringPtr(CFStringRef string, CFStringEncoding encoding) {
  return [(NSString *)string UTF8String];
}
Boolean CFStringGetCString(CFStringRef string, char *buffer, CFIndex room, CFStringEncoding encoding) {
  return [(NSString *)string getCString:buffer maxLength:(NSUInteger)room encoding:NSUTF8StringEncoding];
}
CFIndex CFStringGetLength(CFStringRef string) { return (CFIndex)[(NSString *)string length]; }

CFNumberRef CFNumberCreate(CFAllocatorRef allocator, CFNumberType type, const void *value) {
  switch (type) {
  case kCFNumberFloat32Type:
  case kCFNumberFloatType:
    return (CFNumberRef)[[NSNumber alloc] initWithFloat:*(const float *)value];
  case kCFNumberFloat64Type:
  case kCFNumberDoubleType:
    return (CFNumberRef)[[NSNumber alloc] initWithDouble:*(const double *)value];
  case kCFNumberSInt8Type:
  case kCFNumberCharType:
    return (CFNumberRef)[[NSNumber alloc] initWithChar:*(const char *)value];
  case kCFNumberSInt16Type:
  case kCFNumberShortType:
    return (CFNumberRef)[[NSNumber alloc] initWithShort:*(const short *)value];
  case kCFNumberSInt32Type:
  case kCFNumberIntType:
    return (CFNumberRef)[[NSNumber alloc] initWithInt:*(const int *)value];
  default:
    return (CFNumberRef)[[NSNumber alloc] initWithLongLong:*(const long long *)value];
  }
}
Boolean CFNumberGetValue(CFNumberRef number, CFNumberType type, void *value) {
  NSNumber *object = (NSNumber *)number;
  switch (type) {
  case kCFNumberFloat32Type:
  case kCFNumberFloatType:
    *(float *)value = [object floatValue];
    return 1;
  case kCFNumberFloat64Type:
  case kCFNumberDoubleType:
    *(double *)value = [object doubleValue];
    return 1;
  case kCFNumberSInt32Type:
  case kCFNumberIntType:
    *(int *)value = [object intValue];
    return 1;
  default:
    *(long long *)value = [object longLongValue];
    return 1;
  }
}

CFDataRef CFDataCreate(CFAllocatorRef allocator, const uint8_t *bytes, CFIndex length) {
  return (CFDataRef)[[NSData alloc] initWithBytes:bytes length:(NSUInteger)length];
}
const uint8_t *CFDataGetBytePtr(CFDataRef data) { return [(NSData *)data bytes]; }
CFIndex CFDataGetLength(CFDataRef data) { return (CFIndex)[(NSData *)data length]; }

CFDictionaryRef CFDictionaryCreate(CFAllocatorRef allocator, const void **keys, const void **values, CFIndex count,
                                   const CFDictionaryKeyCallBacks *keyCallBacks,
                                   const CFDictionaryValueCallBacks *valueCallBacks) {
  return (CFDictionaryRef)[[NSDictionary alloc] initWithObjects:(id *)values
                                                        forKeys:(id *)keys
                                                          count:(NSUInteger)count];
}
CFMutableDictionaryRef CFDictionaryCreateMutable(CFAllocatorRef allocator, CFIndex room,
                                                 const CFDictionaryKeyCallBacks *keyCallBacks,
                                                 const CFDictionaryValueCallBacks *valueCallBacks) {
  return (CFMutableDictionaryRef)[[NSMutableDictionary alloc] init];
}
void CFDictionarySetValue(CFMutableDictionaryRef dictionary, const void *key, const void *value) {
  [(NSMutableDictionary *)dictionary setObject:(id)value forKey:(id)key];
}
void CFDictionaryAddValue(CFMutableDictionaryRef dictionary, const void *key, const void *value) {
  if (!CFDictionaryGetValue(dictionary, key))
    CFDictionarySetValue(dictionary, key, value);
}
const void *CFDictionaryGetValue(CFDictionaryRef dictionary, const void *key) {
  return [(NSDictionary *)dictionary objectForKey:(id)key];
}
CFIndex CFDictionaryGetCount(CFDictionaryRef dictionary) { return (CFIndex)[(NSDictionary *)dictionary count]; }

CFArrayRef CFArrayCreate(CFAllocatorRef allocator, const void **values, CFIndex count,
                         const CFArrayCallBacks *callBacks) {
  return (CFArrayRef)[[NSArray alloc] initWithObjects:(id *)values count:(NSUInteger)count];
}
CFMutableArrayRef CFArrayCreateMutable(CFAllocatorRef allocator, CFIndex room, const CFArrayCallBacks *callBacks) {
  return (CFMutableArrayRef)[[NSMutableArray alloc] init];
}
void CFArrayAppendValue(CFMutableArrayRef array, const void *value) { [(NSMutableArray *)array addObject:(id)value]; }
const void *CFArrayGetValueAtIndex(CFArrayRef array, CFIndex index) {
  return [(NSArray *)array objectAtIndex:(NSUInteger)index];
}
CFIndex CFArrayGetCount(CFArrayRef array) { return (CFIndex)[(NSArray *)array count]; }
