// What clients use of Grand Central Dispatch, with a thread for each queue.
#include <Block.h>
#include <dispatch/dispatch.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct Work {
  struct Work *next;
  void *context;
  dispatch_function_t run;
  dispatch_group_t group;
};

/// What each object begins with: the class, so that ARC can hold it.
extern void *simulated_dispatch_class(void);

/// A serial queue; the concurrent ones run with a thread for each block.
struct dispatch_queue_s {
  void *isa;
  int isConcurrent;
  pthread_mutex_t mutex;
  pthread_cond_t came;
  struct Work *first, **last;
};

struct dispatch_group_s {
  void *isa;
  pthread_mutex_t mutex;
  pthread_cond_t left;
  int count;
};

struct dispatch_semaphore_s {
  void *isa;
  sem_t semaphore;
};

static struct dispatch_queue_s global = {.isConcurrent = 1};

extern void *objc_autoreleasePoolPush(void);
extern void objc_autoreleasePoolPop(void *);

static void finish(struct Work *work) {
  void *pool = objc_autoreleasePoolPush();
  work->run(work->context);
  objc_autoreleasePoolPop(pool);
  if (work->group)
    dispatch_group_leave(work->group);
  free(work);
}

static void *runOne(void *work) {
  finish(work);
  return NULL;
}

static void *serve(void *given) {
  dispatch_queue_t queue = given;
  for (;;) {
    pthread_mutex_lock(&queue->mutex);
    while (!queue->first)
      pthread_cond_wait(&queue->came, &queue->mutex);
    struct Work *work = queue->first;
    queue->first = work->next;
    if (!queue->first)
      queue->last = &queue->first;
    pthread_mutex_unlock(&queue->mutex);
    finish(work);
  }
  return NULL;
}

static void begin(void *(*function)(void *), void *argument) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, function, argument) != 0)
    abort();
  pthread_detach(thread);
}

dispatch_queue_t dispatch_queue_create(const char *label, dispatch_queue_attr_t attribute) {
  (void)label;
  dispatch_queue_t made = calloc(1, sizeof *made);
  made->isa = simulated_dispatch_class();
  made->isConcurrent = attribute != DISPATCH_QUEUE_SERIAL;
  made->last = &made->first;
  pthread_mutex_init(&made->mutex, NULL);
  pthread_cond_init(&made->came, NULL);
  if (!made->isConcurrent)
    begin(serve, made);
  return made;
}

dispatch_queue_t dispatch_get_global_queue(long identifier, unsigned long flags) {
  (void)identifier;
  (void)flags;
  global.isa = simulated_dispatch_class();
  return &global;
}

/// No program here ends in dispatch_main: a thread serves it, as any other.
dispatch_queue_t dispatch_get_main_queue(void) {
  static dispatch_queue_t made;
  static dispatch_once_t once;
  dispatch_once(&once, ^{
    made = dispatch_queue_create("main", DISPATCH_QUEUE_SERIAL);
  });
  return made;
}

/// Queues live as long as the process; semaphores and groups until they are forgotten.
void dispatch_retain(void *object) { (void)object; }
void dispatch_release(void *object) { (void)object; }

static void enqueue(dispatch_queue_t queue, dispatch_group_t group, void *context, dispatch_function_t run) {
  struct Work *work = malloc(sizeof *work);
  *work = (struct Work){NULL, context, run, group};
  if (group)
    dispatch_group_enter(group);
  if (queue->isConcurrent) {
    begin(runOne, work);
    return;
  }
  pthread_mutex_lock(&queue->mutex);
  *queue->last = work;
  queue->last = &work->next;
  pthread_cond_signal(&queue->came);
  pthread_mutex_unlock(&queue->mutex);
}

static void runBlock(void *block) {
  ((dispatch_block_t)block)();
  Block_release(block);
}

struct Waiting {
  dispatch_function_t run;
  void *context;
  sem_t done;
};

static void runAndTell(void *given) {
  struct Waiting *waiting = given;
  waiting->run(waiting->context);
  sem_post(&waiting->done);
}

void dispatch_async_f(dispatch_queue_t queue, void *context, dispatch_function_t run) {
  enqueue(queue, NULL, context, run);
}
void dispatch_async(dispatch_queue_t queue, dispatch_block_t block) {
  enqueue(queue, NULL, Block_copy(block), runBlock);
}
void dispatch_group_async(dispatch_group_t group, dispatch_queue_t queue, dispatch_block_t block) {
  enqueue(queue, group, Block_copy(block), runBlock);
}
void dispatch_sync_f(dispatch_queue_t queue, void *context, dispatch_function_t run) {
  struct Waiting waiting = {.run = run, .context = context};
  sem_init(&waiting.done, 0, 0);
  enqueue(queue, NULL, &waiting, runAndTell);
  sem_wait(&waiting.done);
}
void dispatch_sync(dispatch_queue_t queue, dispatch_block_t block) {
  dispatch_sync_f(queue, Block_copy(block), runBlock);
}
void dispatch_after(dispatch_time_t when, dispatch_queue_t queue, dispatch_block_t block) {
  dispatch_async(&global, ^{
    const struct timespec until = {(time_t)(when / NSEC_PER_SEC), (long)(when % NSEC_PER_SEC)};
    while (clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL) == EINTR)
      ;
    dispatch_async(queue, block);
  });
}
/// A concurrent queue's blocks do not wait for it, as they do on a Mac.
void dispatch_barrier_async(dispatch_queue_t queue, dispatch_block_t block) { dispatch_async(queue, block); }
void dispatch_barrier_sync(dispatch_queue_t queue, dispatch_block_t block) { dispatch_sync(queue, block); }
void dispatch_apply(size_t count, dispatch_queue_t queue, void (^block)(size_t)) {
  (void)queue;
  dispatch_group_t group = dispatch_group_create();
  for (size_t i = 0; i < count; ++i)
    dispatch_group_async(group, &global, ^{
      block(i);
    });
  dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
}
void dispatch_once(dispatch_once_t *once, dispatch_block_t block) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  if (!*once)
    block();
  *once = ~0l;
  pthread_mutex_unlock(&mutex);
}

dispatch_group_t dispatch_group_create(void) {
  dispatch_group_t made = calloc(1, sizeof *made);
  made->isa = simulated_dispatch_class();
  pthread_mutex_init(&made->mutex, NULL);
  pthread_cond_init(&made->left, NULL);
  return made;
}
void dispatch_group_enter(dispatch_group_t group) {
  pthread_mutex_lock(&group->mutex);
  ++group->count;
  pthread_mutex_unlock(&group->mutex);
}
void dispatch_group_leave(dispatch_group_t group) {
  pthread_mutex_lock(&group->mutex);
  if (--group->count == 0)
    pthread_cond_broadcast(&group->left);
  pthread_mutex_unlock(&group->mutex);
}

/// Times are nanoseconds of the system's clock.
static struct timespec at(dispatch_time_t time) {
  return (struct timespec){(time_t)(time / NSEC_PER_SEC), (long)(time % NSEC_PER_SEC)};
}
dispatch_time_t dispatch_time(dispatch_time_t from, int64_t delta) {
  if (from == DISPATCH_TIME_NOW) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    from = (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
  }
  return from + (uint64_t)delta;
}
long dispatch_group_wait(dispatch_group_t group, dispatch_time_t until) {
  struct timespec end = at(until == DISPATCH_TIME_NOW ? dispatch_time(until, 0) : until);
  int result = 0;
  pthread_mutex_lock(&group->mutex);
  while (group->count > 0 && result != ETIMEDOUT)
    result = until == DISPATCH_TIME_FOREVER ? pthread_cond_wait(&group->left, &group->mutex)
                                            : pthread_cond_timedwait(&group->left, &group->mutex, &end);
  pthread_mutex_unlock(&group->mutex);
  return result;
}

void dispatch_group_notify(dispatch_group_t group, dispatch_queue_t queue, dispatch_block_t block) {
  dispatch_async(&global, ^{
    dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    dispatch_async(queue, block);
  });
}

dispatch_semaphore_t dispatch_semaphore_create(long value) {
  dispatch_semaphore_t made = calloc(1, sizeof *made);
  made->isa = simulated_dispatch_class();
  sem_init(&made->semaphore, 0, (unsigned)value);
  return made;
}
long dispatch_semaphore_signal(dispatch_semaphore_t semaphore) { return sem_post(&semaphore->semaphore); }
long dispatch_semaphore_wait(dispatch_semaphore_t semaphore, dispatch_time_t until) {
  int result;
  if (until == DISPATCH_TIME_FOREVER) {
    while ((result = sem_wait(&semaphore->semaphore)) != 0 && errno == EINTR)
      ;
    return result;
  }
  struct timespec end = at(until == DISPATCH_TIME_NOW ? dispatch_time(until, 0) : until);
  while ((result = sem_timedwait(&semaphore->semaphore, &end)) != 0 && errno == EINTR)
    ;
  return result;
}
