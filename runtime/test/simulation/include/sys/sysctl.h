#ifndef SIMULATED_SYSCTL_H
#define SIMULATED_SYSCTL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
/// Of the simulated machine.
int sysctlbyname(const char *name, void *value, size_t *size, void *changed, size_t changedSize);
#ifdef __cplusplus
}
#endif

#endif // SIMULATED_SYSCTL_H
