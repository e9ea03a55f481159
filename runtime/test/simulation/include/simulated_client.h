// Included before a client's first line: what a Mac's C library has and this one has not.
#ifndef SIMULATED_CLIENT_H
#define SIMULATED_CLIENT_H

#include <stddef.h>
#include <string.h>

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
#ifdef __cplusplus
}
#endif

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
#endif
#ifdef SIMULATED_SAYS_APPLE
#define __APPLE__ 1
#define __MACH__ 1
#endif

#endif // SIMULATED_CLIENT_H
