#import "runtime/test/simulation/object.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static SimulatedObject *alive;
static int count;

int simulated_live_objects(void) { return count; }

@implementation SimulatedObject
+ (id)allocWithZone:(NSZone *)zone {
  SimulatedObject *made = [super allocWithZone:zone];
  made->maker = "alloc";
  pthread_mutex_lock(&lock);
  made->nextAlive = alive;
  if (alive)
    alive->previousAlive = made;
  alive = made;
  ++count;
  pthread_mutex_unlock(&lock);
  return made;
}

+ (id)allocBy:(SEL)maker {
  SimulatedObject *made = [self alloc];
  made->maker = sel_getName(maker);
  return made;
}

- (void)dealloc {
  pthread_mutex_lock(&lock);
  *(previousAlive ? &previousAlive->nextAlive : &alive) = nextAlive;
  if (nextAlive)
    nextAlive->previousAlive = previousAlive;
  --count;
  pthread_mutex_unlock(&lock);
  [super dealloc];
}
@end

id simulated_each(id (*what)(SimulatedObject *, id), id with) {
  id found = nil;
  pthread_mutex_lock(&lock);
  for (SimulatedObject *each = alive; each && !found; each = each->nextAlive)
    found = what(each, with);
  pthread_mutex_unlock(&lock);
  return found;
}

BOOL simulated_error(NSError **error, NSInteger code, NSString *text) {
  if (error)
    *error = [NSError errorWithDomain:@"com.apple.appleneuralengine"
                                 code:code
                             userInfo:[NSDictionary dictionaryWithObject:text forKey:NSLocalizedDescriptionKey]];
  return NO;
}

/// Apple's: sees each exception before it is thrown.
static id (*preprocessor)(id);
id (*objc_setExceptionPreprocessor(id (*wanted)(id)))(id) {
  id (*before)(id) = preprocessor;
  preprocessor = wanted;
  return before;
}

void simulated_raise(NSString *name, NSString *reason) {
  NSException *exception = [NSException exceptionWithName:name reason:reason userInfo:nil];
  [preprocessor ? preprocessor(exception) : exception raise];
}

BOOL simulated_fails(enum SimulatedCall call, NSError **error) {
  long code;
  char text[256];
  switch (simulated_fault(call, &code, text)) {
  case kSimulatedNone:
    return NO;
  case kSimulatedException:
    simulated_raise(NSInternalInconsistencyException, @"an exception that a test wants");
  case kSimulatedError:
    simulated_error(error, code, [NSString stringWithUTF8String:text]);
  }
  return YES;
}

BOOL simulated_is(id object, Class wanted, const char *what, const char *source) {
  if (!object || [object isKindOfClass:wanted])
    return YES;
  simulated_finding(source, "%s is of class %s, not %s", what, class_getName([object class]), class_getName(wanted));
  return NO;
}

/// What is never released, each kind once. A client may last as long as the process, as the shared one does.
__attribute__((destructor)) static void reportLeaks(void) {
  for (SimulatedObject *first = alive; first; first = first->nextAlive) {
    if (strcmp(object_getClassName(first), "_ANEClient") == 0)
      continue;
    int same = 0, isFirst = 1;
    for (SimulatedObject *each = alive; each; each = each->nextAlive)
      if (object_getClass(each) == object_getClass(first) && strcmp(each->maker, first->maker) == 0) {
        ++same;
        isFirst &= same > 1 || each == first;
      }
    if (isFirst)
      simulated_finding("ane-programming.md 1.2", "at the end %d of class %s live that %s has made", same,
                        object_getClassName(first), first->maker);
  }
  if (simulated_held_locks() > 0)
    simulated_finding("simulated-framework.md", "at the end %d locks of surfaces are held", simulated_held_locks());
}
