#ifndef SIMULATED_RUNTIME_H
#define SIMULATED_RUNTIME_H

#include_next <objc/runtime.h>
#ifdef __cplusplus
extern "C" {
#endif
/// To be freed.
Class *objc_copyClassList(unsigned int *count);
#ifdef __cplusplus
}
#endif

#endif // SIMULATED_RUNTIME_H
