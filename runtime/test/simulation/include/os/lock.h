#ifndef SIMULATED_LOCK_H
#define SIMULATED_LOCK_H

#include <pthread.h>
#include <stdbool.h>

typedef pthread_mutex_t os_unfair_lock, *os_unfair_lock_t;
#define OS_UNFAIR_LOCK_INIT PTHREAD_MUTEX_INITIALIZER
static inline void os_unfair_lock_lock(os_unfair_lock_t lock) { pthread_mutex_lock(lock); }
static inline void os_unfair_lock_unlock(os_unfair_lock_t lock) { pthread_mutex_unlock(lock); }
static inline bool os_unfair_lock_trylock(os_unfair_lock_t lock) { return pthread_mutex_trylock(lock) == 0; }

#endif // SIMULATED_LOCK_H
