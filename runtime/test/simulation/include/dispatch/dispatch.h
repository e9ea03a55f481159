// What clients use of Grand Central Dispatch.
#ifndef SIMULATED_DISPATCH_H
#define SIMULATED_DISPATCH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/qos.h>

#ifdef __cplusplus
extern "C" {
#endif

// Objects to Objective-C, which may be properties.
#ifdef __OBJC__
@class NSObject;
@protocol OS_dispatch_queue
, OS_dispatch_group, OS_dispatch_semaphore;
typedef NSObject<OS_dispatch_queue> *dispatch_queue_t;
typedef NSObject<OS_dispatch_group> *dispatch_group_t;
typedef NSObject<OS_dispatch_semaphore> *dispatch_semaphore_t;
#else
typedef struct dispatch_queue_s *dispatch_queue_t;
typedef struct dispatch_group_s *dispatch_group_t;
typedef struct dispatch_semaphore_s *dispatch_semaphore_t;
#endif
typedef const struct dispatch_queue_attr_s *dispatch_queue_attr_t;
typedef void (*dispatch_function_t)(void *);
typedef void (^dispatch_block_t)(void);
typedef uint64_t dispatch_time_t;
typedef long dispatch_once_t;
typedef unsigned int dispatch_qos_class_t;

#define DISPATCH_TIME_NOW 0ull
#define DISPATCH_TIME_FOREVER (~0ull)
#define DISPATCH_QUEUE_SERIAL ((dispatch_queue_attr_t)0)
#define DISPATCH_QUEUE_CONCURRENT ((dispatch_queue_attr_t)1)
#define DISPATCH_APPLY_AUTO ((dispatch_queue_t)0)
#define DISPATCH_QUEUE_PRIORITY_HIGH 2
#define DISPATCH_QUEUE_PRIORITY_DEFAULT 0
#define DISPATCH_QUEUE_PRIORITY_LOW (-2)
#define DISPATCH_QUEUE_PRIORITY_BACKGROUND INT16_MIN
#define NSEC_PER_SEC 1000000000ull
#define NSEC_PER_MSEC 1000000ull
#define USEC_PER_SEC 1000000ull
#define NSEC_PER_USEC 1000ull

dispatch_queue_t dispatch_queue_create(const char *label, dispatch_queue_attr_t attribute);
dispatch_queue_t dispatch_get_global_queue(long identifier, unsigned long flags);
static inline dispatch_queue_attr_t dispatch_queue_attr_make_with_qos_class(dispatch_queue_attr_t attribute,
                                                                            dispatch_qos_class_t qos, int priority) {
  (void)qos;
  (void)priority;
  return attribute;
}
dispatch_queue_t dispatch_get_main_queue(void);
#if !defined(__OBJC__) || !__has_feature(objc_arc)
void dispatch_retain(void *object);
void dispatch_release(void *object);
#endif
void dispatch_async(dispatch_queue_t queue, dispatch_block_t block);
void dispatch_async_f(dispatch_queue_t queue, void *context, dispatch_function_t run);
void dispatch_sync(dispatch_queue_t queue, dispatch_block_t block);
void dispatch_sync_f(dispatch_queue_t queue, void *context, dispatch_function_t run);
void dispatch_after(dispatch_time_t when, dispatch_queue_t queue, dispatch_block_t block);
void dispatch_barrier_async(dispatch_queue_t queue, dispatch_block_t block);
void dispatch_barrier_sync(dispatch_queue_t queue, dispatch_block_t block);
void dispatch_apply(size_t count, dispatch_queue_t queue, void (^block)(size_t));
void dispatch_once(dispatch_once_t *once, dispatch_block_t block);
dispatch_time_t dispatch_time(dispatch_time_t from, int64_t delta);
dispatch_group_t dispatch_group_create(void);
void dispatch_group_enter(dispatch_group_t group);
void dispatch_group_leave(dispatch_group_t group);
void dispatch_group_async(dispatch_group_t group, dispatch_queue_t queue, dispatch_block_t block);
void dispatch_group_notify(dispatch_group_t group, dispatch_queue_t queue, dispatch_block_t block);
long dispatch_group_wait(dispatch_group_t group, dispatch_time_t until);
dispatch_semaphore_t dispatch_semaphore_create(long value);
long dispatch_semaphore_signal(dispatch_semaphore_t semaphore);
long dispatch_semaphore_wait(dispatch_semaphore_t semaphore, dispatch_time_t until);

#ifdef __cplusplus
}
#endif
#endif // SIMULATED_DISPATCH_H
