#ifndef SIMULATED_DYLD_H
#define SIMULATED_DYLD_H

#include <stdint.h>
#include <unistd.h>

static inline int _NSGetExecutablePath(char *path, uint32_t *size) {
  const ssize_t length = readlink("/proc/self/exe", path, *size);
  if (length < 0 || (uint32_t)length >= *size)
    return -1;
  path[length] = '\0';
  return 0;
}

#endif // SIMULATED_DYLD_H
