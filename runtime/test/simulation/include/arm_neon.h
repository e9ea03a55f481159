// NEON's functions on this machine, by SIMDe; the machines of the clients have them.
#ifndef SIMULATED_ARM_NEON_H
#define SIMULATED_ARM_NEON_H

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/arm/neon.h>

#endif // SIMULATED_ARM_NEON_H
