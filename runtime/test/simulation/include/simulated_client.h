// Included before a client's first line: what a Mac's C library has and this one has not.
#ifndef SIMULATED_CLIENT_H
#define SIMULATED_CLIENT_H

#include <Availability.h>
#include <errno.h>
#include <pthread.h>
#include <pthread/qos.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif
static inline size_t strlcpy(char *to, const char *from, size_t room) {
  const size_t length = strlen(from);
  if (room > 0) {
    const size_t taken = length < room ? length : room - 1;
    memcpy(to, from, taken);
    to[taken] = '\0';
  }
  return length;
}
static inline size_t strlcat(char *to, const char *from, size_t room) {
  const size_t length = strnlen(to, room);
  return length + (length < room ? strlcpy(to + length, from, room - length) : strlen(from));
}
static inline void simulated_pattern(void *to, const void *pattern, size_t size, size_t length) {
  for (size_t i = 0; i < length; ++i)
    ((char *)to)[i] = ((const char *)pattern)[i % size];
}
static inline void memset_pattern4(void *to, const void *pattern, size_t n) { simulated_pattern(to, pattern, 4, n); }
static inline void memset_pattern8(void *to, const void *pattern, size_t n) { simulated_pattern(to, pattern, 8, n); }
static inline void memset_pattern16(void *to, const void *pattern, size_t n) { simulated_pattern(to, pattern, 16, n); }
static inline uint64_t clock_gettime_nsec_np(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
static inline const char *getprogname(void) { return program_invocation_short_name; }
static inline int simulated_name_thread(const char *name) { return pthread_setname_np(pthread_self(), name); }
#ifdef __cplusplus
}
#endif
#define pthread_setname_np simulated_name_thread
#define CLOCK_UPTIME_RAW CLOCK_MONOTONIC_RAW

#define __fp16 _Float16
#define __unused __attribute__((__unused__))
#define __printflike(format, first) __attribute__((__format__(__printf__, format, first)))
#ifdef __OBJC__
#import <Foundation/Foundation.h>
// Of no type, as on a Mac: it is passed where an NSError ** is wanted.
#undef nil
#undef Nil
#define nil NULL
#define Nil NULL
// Of a type that @YES boxes.
#undef YES
#undef NO
#define YES __objc_yes
#define NO __objc_no
#endif
#ifdef SIMULATED_SAYS_APPLE
#define __APPLE__ 1
#define __MACH__ 1
#endif

#endif // SIMULATED_CLIENT_H
