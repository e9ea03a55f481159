// Objects of the framework: counted, listed while they live, and named by what has made them when they never go.
#ifndef ANE_RUNTIME_TEST_SIMULATION_OBJECT_H
#define ANE_RUNTIME_TEST_SIMULATION_OBJECT_H

#import "runtime/test/simulation/control.h"
#import <Foundation/Foundation.h>

@interface SimulatedObject : NSObject {
@public
  SimulatedObject *nextAlive, *previousAlive;
  const char *maker;
}
/// alloc, noted as the work of a selector.
+ (id)allocBy:(SEL)maker;
@end

/// Calls it for all that live, until it gives something else than nil.
id simulated_each(id (*what)(SimulatedObject *, id), id with);

/// An exception, which passes by whom objc_setExceptionPreprocessor has named.
void simulated_raise(NSString *name, NSString *reason);
BOOL simulated_error(NSError **error, NSInteger code, NSString *text);
/// Whether the call is to fail; raises, if that is the fault.
BOOL simulated_fails(enum SimulatedCall call, NSError **error);
/// A finding unless it is nil or of that class.
BOOL simulated_is(id object, Class wanted, const char *what, const char *source);

#endif
