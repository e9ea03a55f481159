// The parts of CoreFoundation that clients of the engine use. Its objects are Foundation's, as on a Mac.
#ifndef SIMULATED_COREFOUNDATION_H
#define SIMULATED_COREFOUNDATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint8_t UInt8;
typedef int8_t SInt8;
typedef uint16_t UInt16;
typedef int16_t SInt16;
typedef uint32_t UInt32;
typedef int32_t SInt32, OSStatus;
typedef uint64_t UInt64;
typedef int64_t SInt64;
typedef float Float32;
typedef double Float64;
enum { noErr = 0 };

typedef const void *CFTypeRef;
typedef const struct __CFAllocator *CFAllocatorRef;
typedef const struct __CFString *CFStringRef;
typedef const struct __CFNumber *CFNumberRef;
typedef const struct __CFBoolean *CFBooleanRef;
typedef const struct __CFData *CFDataRef;
typedef const struct __CFArray *CFArrayRef;
typedef struct __CFArray *CFMutableArrayRef;
typedef const struct __CFDictionary *CFDictionaryRef;
typedef struct __CFDictionary *CFMutableDictionaryRef;
typedef long CFIndex;
typedef unsigned char Boolean;
typedef uint32_t CFStringEncoding;
typedef unsigned long CFTypeID;
typedef double CFAbsoluteTime, CFTimeInterval;
typedef CFIndex CFNumberType;
typedef struct CFDictionaryCallBacks CFDictionaryKeyCallBacks, CFDictionaryValueCallBacks;
typedef struct CFArrayCallBacksOf CFArrayCallBacks;

enum { kCFStringEncodingUTF8 = 0x08000100, kCFStringEncodingASCII = 0x0600 };
enum {
  kCFNumberSInt8Type = 1,
  kCFNumberSInt16Type,
  kCFNumberSInt32Type,
  kCFNumberSInt64Type,
  kCFNumberFloat32Type,
  kCFNumberFloat64Type,
  kCFNumberCharType,
  kCFNumberShortType,
  kCFNumberIntType,
  kCFNumberLongType,
  kCFNumberLongLongType,
  kCFNumberFloatType,
  kCFNumberDoubleType,
  kCFNumberCFIndexType,
  kCFNumberNSIntegerType
};

extern const CFAllocatorRef kCFAllocatorDefault;
extern const CFDictionaryKeyCallBacks kCFTypeDictionaryKeyCallBacks;
extern const CFDictionaryValueCallBacks kCFTypeDictionaryValueCallBacks;
extern const CFArrayCallBacks kCFTypeArrayCallBacks;
extern const CFBooleanRef kCFBooleanTrue, kCFBooleanFalse;

CFTypeRef CFRetain(CFTypeRef object);
void CFRelease(CFTypeRef object);
CFTypeRef CFAutorelease(CFTypeRef object);
CFIndex CFGetRetainCount(CFTypeRef object);
Boolean CFEqual(CFTypeRef a, CFTypeRef b);
void CFShow(CFTypeRef object);
CFAbsoluteTime CFAbsoluteTimeGetCurrent(void);

/// One string for each text, for ever.
CFStringRef simulated_constant_string(const char *text);
#define CFSTR(text) simulated_constant_string("" text "")
CFStringRef CFStringCreateWithCString(CFAllocatorRef allocator, const char *text, CFStringEncoding encoding);
const char *CFStringGetCStringPtr(CFStringRef string, CFStringEncoding encoding);
Boolean CFStringGetCString(CFStringRef string, char *buffer, CFIndex room, CFStringEncoding encoding);
CFIndex CFStringGetLength(CFStringRef string);

CFNumberRef CFNumberCreate(CFAllocatorRef allocator, CFNumberType type, const void *value);
Boolean CFNumberGetValue(CFNumberRef number, CFNumberType type, void *value);

CFDataRef CFDataCreate(CFAllocatorRef allocator, const uint8_t *bytes, CFIndex length);
const uint8_t *CFDataGetBytePtr(CFDataRef data);
CFIndex CFDataGetLength(CFDataRef data);

CFDictionaryRef CFDictionaryCreate(CFAllocatorRef allocator, const void **keys, const void **values, CFIndex count,
                                   const CFDictionaryKeyCallBacks *keyCallBacks,
                                   const CFDictionaryValueCallBacks *valueCallBacks);
CFMutableDictionaryRef CFDictionaryCreateMutable(CFAllocatorRef allocator, CFIndex room,
                                                 const CFDictionaryKeyCallBacks *keyCallBacks,
                                                 const CFDictionaryValueCallBacks *valueCallBacks);
void CFDictionarySetValue(CFMutableDictionaryRef dictionary, const void *key, const void *value);
void CFDictionaryAddValue(CFMutableDictionaryRef dictionary, const void *key, const void *value);
const void *CFDictionaryGetValue(CFDictionaryRef dictionary, const void *key);
CFIndex CFDictionaryGetCount(CFDictionaryRef dictionary);

CFArrayRef CFArrayCreate(CFAllocatorRef allocator, const void **values, CFIndex count,
                         const CFArrayCallBacks *callBacks);
CFMutableArrayRef CFArrayCreateMutable(CFAllocatorRef allocator, CFIndex room, const CFArrayCallBacks *callBacks);
void CFArrayAppendValue(CFMutableArrayRef array, const void *value);
const void *CFArrayGetValueAtIndex(CFArrayRef array, CFIndex index);
CFIndex CFArrayGetCount(CFArrayRef array);

#ifdef __cplusplus
}
#endif
#endif // SIMULATED_COREFOUNDATION_H
