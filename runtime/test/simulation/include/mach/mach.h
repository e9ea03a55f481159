#ifndef SIMULATED_MACH_H
#define SIMULATED_MACH_H

#include <mach/mach_time.h>

#endif // SIMULATED_MACH_H
