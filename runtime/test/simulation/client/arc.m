// What code of ARC calls, on objects that count their references: in Clang's documentation of ARC, "Runtime support".
// Compiled without ARC, for GCC's runtime.
#import <Block.h>
#import <Foundation/Foundation.h>
#include <objc/message.h>
#include <objc/runtime.h>
#include <pthread.h>

/// Classes are not counted; GCC's older root class could not even be asked to.
static BOOL isClass(id object) { return object && class_isMetaClass(object_getClass(object)); }

id objc_retain(id object) { return isClass(object) ? object : [object retain]; }
void objc_release(id object) {
  if (!isClass(object))
    [object release];
}
id objc_autorelease(id object) { return isClass(object) ? object : [object autorelease]; }
id objc_retainAutorelease(id object) { return objc_autorelease(objc_retain(object)); }
id objc_retainBlock(id block) { return (id)Block_copy((void *)block); }

/// What a function has returned, for its caller to take; whoever does not leaves it to the pool.
static __thread id handed;

id objc_autoreleaseReturnValue(id object) {
  id before = handed;
  handed = object;
  objc_autorelease(before);
  return object;
}
id objc_retainAutoreleaseReturnValue(id object) { return objc_autoreleaseReturnValue(objc_retain(object)); }
id objc_retainAutoreleasedReturnValue(id object) {
  if (handed != object)
    return objc_retain(object);
  handed = nil;
  return object;
}
id objc_unsafeClaimAutoreleasedReturnValue(id object) {
  if (handed == object) {
    handed = nil;
    objc_release(object);
  }
  return object;
}

static void (*drain)(id, SEL);
static void drainWithHanded(id pool, SEL selector) {
  objc_autoreleaseReturnValue(nil);
  drain(pool, selector);
}

id objc_storeStrong(id *place, id value) {
  id old = *place;
  objc_retain(value);
  *place = value;
  objc_release(old);
  return value;
}

void *objc_autoreleasePoolPush(void) { return [[NSAutoreleasePool alloc] init]; }
void objc_autoreleasePoolPop(void *pool) { [(NSAutoreleasePool *)pool drain]; }

// Objects of Dispatch: never freed, so that nobody counts them.

static id keep(id object, SEL selector) { return object; }
static void forgo(id object, SEL selector) {}

static Class dispatchClass;
static void makeDispatchClass(void) {
  dispatchClass = objc_allocateClassPair(objc_getClass("NSObject"), "OS_dispatch_object", 0);
  class_addMethod(dispatchClass, sel_registerName("retain"), (IMP)keep, "@@:");
  class_addMethod(dispatchClass, sel_registerName("autorelease"), (IMP)keep, "@@:");
  class_addMethod(dispatchClass, sel_registerName("release"), (IMP)forgo, "v@:");
  objc_registerClassPair(dispatchClass);
}
void *simulated_dispatch_class(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, makeDispatchClass);
  return dispatchClass;
}

// Weak references: a table of places, looked at when an object goes.

static pthread_mutex_t mutex;
static struct Weak {
  struct Weak *next;
  id *place;
  id object;
} *weak;
static void (*deallocate)(id, SEL);

/// Objects that are associated with others.
static struct Associated {
  struct Associated *next;
  id object, value;
  const void *key;
  uintptr_t policy;
} *associated;

/// The place of one, or the end.
static struct Associated **find(id object, const void *key) {
  struct Associated **each = &associated;
  while (*each && ((*each)->object != object || (key && (*each)->key != key)))
    each = &(*each)->next;
  return each;
}

static void drop(struct Associated **place) {
  struct Associated *gone = *place;
  *place = gone->next;
  if (gone->policy != 0) // OBJC_ASSOCIATION_ASSIGN
    objc_release(gone->value);
  free(gone);
}

id objc_getAssociatedObject(id object, const void *key) {
  pthread_mutex_lock(&mutex);
  struct Associated *found = *find(object, key);
  id value = found ? found->value : nil;
  pthread_mutex_unlock(&mutex);
  return value;
}

void objc_setAssociatedObject(id object, const void *key, id value, uintptr_t policy) {
  struct Associated *made = calloc(1, sizeof *made);
  const int isCopied = (policy & 0xff) == 3;
  *made = (struct Associated){NULL, object,
                              policy == 0 ? value
                              : isCopied  ? [value copy]
                                          : objc_retain(value),
                              key, policy};
  pthread_mutex_lock(&mutex);
  struct Associated **place = find(object, key);
  if (*place)
    drop(place);
  if (value) {
    made->next = associated;
    associated = made;
  } else {
    free(made);
  }
  pthread_mutex_unlock(&mutex);
}

void objc_removeAssociatedObjects(id object) {
  pthread_mutex_lock(&mutex);
  for (struct Associated **place; *(place = find(object, NULL));)
    drop(place);
  pthread_mutex_unlock(&mutex);
}

static void forget(id *place) {
  for (struct Weak **each = &weak; *each; each = &(*each)->next)
    if ((*each)->place == place) {
      struct Weak *gone = *each;
      *each = gone->next;
      free(gone);
      return;
    }
}

static void deallocateAndForget(id object, SEL selector) {
  pthread_mutex_lock(&mutex);
  for (struct Weak **each = &weak; *each;) {
    struct Weak *gone = *each;
    if (gone->object != object) {
      each = &gone->next;
      continue;
    }
    *gone->place = nil;
    *each = gone->next;
    free(gone);
  }
  pthread_mutex_unlock(&mutex);
  objc_removeAssociatedObjects(object);
  deallocate(object, selector);
}

id objc_storeWeak(id *place, id object) {
  pthread_mutex_lock(&mutex);
  forget(place);
  if (object) {
    struct Weak *made = malloc(sizeof *made);
    *made = (struct Weak){weak, place, object};
    weak = made;
  }
  *place = object;
  pthread_mutex_unlock(&mutex);
  return object;
}

id objc_initWeak(id *place, id object) {
  *place = nil;
  return objc_storeWeak(place, object);
}

void objc_destroyWeak(id *place) {
  pthread_mutex_lock(&mutex);
  forget(place);
  pthread_mutex_unlock(&mutex);
}

id objc_loadWeakRetained(id *place) {
  pthread_mutex_lock(&mutex);
  id object = [*place retain];
  pthread_mutex_unlock(&mutex);
  return object;
}

id objc_loadWeak(id *place) { return [objc_loadWeakRetained(place) autorelease]; }
void objc_copyWeak(id *to, id *from) { objc_initWeak(to, *from); }
void objc_moveWeak(id *to, id *from) {
  objc_initWeak(to, *from);
  objc_destroyWeak(from);
}

// Blocks as objects: what their isa points to is no class, unless somebody makes it one.

static id copyBlock(id block, SEL selector) { return (id)Block_copy((void *)block); }
static id copyBlockToZone(id block, SEL selector, NSZone *zone) { return (id)Block_copy((void *)block); }
static void releaseBlock(id block, SEL selector) { Block_release((void *)block); }

extern void *_NSConcreteStackBlock[32], *_NSConcreteGlobalBlock[32], *_NSConcreteMallocBlock[32];

/// In functions of C: it may come before this file's own selectors and classes are known.
__attribute__((constructor)) static void start(void) {
  pthread_mutexattr_t recursive;
  pthread_mutexattr_init(&recursive);
  pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &recursive);
  Class root = objc_getClass("NSObject");
  Method method = class_getInstanceMethod(root, sel_registerName("dealloc"));
  deallocate = (void (*)(id, SEL))method_setImplementation(method, (IMP)deallocateAndForget);
  method = class_getInstanceMethod(objc_getClass("NSAutoreleasePool"), sel_registerName("drain"));
  drain = (void (*)(id, SEL))method_setImplementation(method, (IMP)drainWithHanded);
  Class block = objc_allocateClassPair(root, "NSBlock", 0);
  class_addMethod(block, sel_registerName("retain"), (IMP)copyBlock, "@@:");
  class_addMethod(block, sel_registerName("copy"), (IMP)copyBlock, "@@:");
  class_addMethod(block, sel_registerName("copyWithZone:"), (IMP)copyBlockToZone, "@@:^v");
  class_addMethod(block, sel_registerName("release"), (IMP)releaseBlock, "v@:");
  objc_registerClassPair(block);
  struct {
    Class isa;
  } object = {block};
  objc_msg_lookup((id)&object, sel_registerName("retain")); // its dispatch table is made
  const size_t bytes = 13 * sizeof(void *);                 // of a class of GCC's runtime
  memcpy(_NSConcreteStackBlock, block, bytes);
  memcpy(_NSConcreteGlobalBlock, block, bytes);
  memcpy(_NSConcreteMallocBlock, block, bytes);
}
