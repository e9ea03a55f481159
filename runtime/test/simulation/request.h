// What an evaluation is about.
#ifndef ANE_RUNTIME_TEST_SIMULATION_REQUEST_H
#define ANE_RUNTIME_TEST_SIMULATION_REQUEST_H

#import "runtime/test/simulation/iosurface.h"

@interface _ANEIOSurfaceObject : SimulatedObject {
@public
  IOSurfaceRef surface;
  NSNumber *offset;
  BOOL isHeld;
}
@end

@interface _ANERequest : SimulatedObject {
@public
  NSArray *surfaces[2], *indices[2]; ///< inputs, outputs
  NSNumber *procedure;
  id weightsBuffer, perfStats, events, transaction;
  void (^completion)(BOOL, NSError *);
}
@end

@interface _ANEPerformanceStats : SimulatedObject {
@public
  unsigned long long time;
}
@end

@interface _ANEChainingRequest : SimulatedObject {
@public
  NSArray *inputs, *outputSets;
}
- (BOOL)validate;
@end

#endif
