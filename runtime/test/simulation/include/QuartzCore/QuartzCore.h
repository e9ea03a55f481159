// The clock of Core Animation, which programs measure by.
#ifndef SIMULATED_QUARTZCORE_H
#define SIMULATED_QUARTZCORE_H

#include <mach/mach_time.h>

static inline double CACurrentMediaTime(void) { return (double)mach_absolute_time() / 1e9; }

#endif // SIMULATED_QUARTZCORE_H
