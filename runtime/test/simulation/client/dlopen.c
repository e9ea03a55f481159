// Frameworks of a Mac, by the paths that clients open: this framework stands for those that it has parts of.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

extern void *IOSurfaceCreate(const void *);

void *dlopen(const char *path, int mode) {
  static void *(*real)(const char *, int);
  if (!real)
    real = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
  static const char *const known[] = {"AppleNeuralEngine.framework/", "IOSurface.framework/", "Foundation.framework/",
                                      "CoreFoundation.framework/", "libobjc.A.dylib"};
  const int isOfMac =
      path && (strncmp(path, "/System/Library/", 16) == 0 || strcmp(path, "/usr/lib/libobjc.A.dylib") == 0);
  for (size_t i = 0; isOfMac && i < sizeof known / sizeof *known; ++i)
    if (strstr(path, known[i])) {
      Dl_info info;
      return dladdr((void *)IOSurfaceCreate, &info) ? real(info.dli_fname, mode) : NULL;
    }
  return real(path, mode);
}
