#ifndef SIMULATED_MALLOC_H
#define SIMULATED_MALLOC_H

#include <malloc.h>

static inline size_t malloc_size(const void *memory) { return malloc_usable_size((void *)memory); }

#endif // SIMULATED_MALLOC_H
