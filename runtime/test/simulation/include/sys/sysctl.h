#ifndef SIMULATED_SYSCTL_H
#define SIMULATED_SYSCTL_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/// The few names that clients ask for.
static inline int sysctlbyname(const char *name, void *old, size_t *room, void *fresh, size_t bytes) {
  (void)fresh;
  (void)bytes;
  const char *text = strcmp(name, "machdep.cpu.brand_string") == 0 ? "simulated"
                     : strcmp(name, "hw.model") == 0               ? "Simulated1,1"
                     : strcmp(name, "kern.osversion") == 0         ? "simulated"
                                                                   : NULL;
  int32_t number = (int32_t)sysconf(_SC_NPROCESSORS_ONLN);
  const void *from = text ? (const void *)text : &number;
  const size_t size = text ? strlen(text) + 1 : sizeof number;
  if (!text && strcmp(name, "hw.ncpu") != 0 && strcmp(name, "hw.logicalcpu") != 0 &&
      strcmp(name, "hw.physicalcpu") != 0) {
    errno = ENOENT;
    return -1;
  }
  if (old && *room < size) {
    errno = ENOMEM;
    return -1;
  }
  if (old)
    memcpy(old, from, size);
  *room = size;
  return 0;
}

#endif // SIMULATED_SYSCTL_H
