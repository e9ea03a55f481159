// Surfaces as the framework has them, and requests: ane-programming.md 1.2, 1.6, and the selectors that
// field-2026-11.md 9 lists.
#import "runtime/test/simulation/request.h"
#import <Block.h>

static const char *const kCalls = "ane-programming.md 1.2", *const kPaths = "ane-programming.md 1.6";

@implementation _ANEIOSurfaceObject
+ (id)make:(IOSurfaceRef)surface offset:(NSNumber *)offset holds:(BOOL)holds by:(SEL)maker {
  if (simulated_fails(kSimulatedRequest, NULL))
    return nil;
  _ANEIOSurfaceObject *made = [self allocBy:maker];
  return [[made initWithIOSurface:surface startOffset:offset shouldRetain:holds] autorelease];
}
+ (id)objectWithIOSurface:(IOSurfaceRef)surface {
  return [self make:surface offset:nil holds:YES by:_cmd];
}
+ (id)objectWithIOSurface:(IOSurfaceRef)surface startOffset:(NSNumber *)offset {
  return [self make:surface offset:offset holds:YES by:_cmd];
}
+ (id)objectWithIOSurfaceNoRetain:(IOSurfaceRef)surface startOffset:(NSNumber *)offset {
  return [self make:surface offset:offset holds:NO by:_cmd];
}
+ (IOSurfaceRef)createIOSurfaceWithWidth:(int)width pixel_size:(int)size height:(int)height {
  return [self createIOSurfaceWithWidth:width pixel_size:size height:height bytesPerElement:size];
}
+ (IOSurfaceRef)createIOSurfaceWithWidth:(int)width
                              pixel_size:(int)size
                                  height:(int)height
                         bytesPerElement:(int)element {
  NSNumber *row = [NSNumber numberWithInt:width * size];
  return IOSurfaceCreate((CFDictionaryRef)[NSDictionary
      dictionaryWithObjectsAndKeys:[NSNumber numberWithInt:width], kIOSurfaceWidth, [NSNumber numberWithInt:height],
                                   kIOSurfaceHeight, [NSNumber numberWithInt:element], kIOSurfaceBytesPerElement, row,
                                   kIOSurfaceBytesPerRow, [NSNumber numberWithInt:width * size * height],
                                   kIOSurfaceAllocSize, nil]);
}
- (id)initWithIOSurface:(IOSurfaceRef)given startOffset:(NSNumber *)start shouldRetain:(BOOL)holds {
  if (!given) {
    simulated_finding(kCalls, "a surface is nil");
    [self release];
    return nil;
  }
  surface = holds ? (IOSurfaceRef)CFRetain(given) : given;
  isHeld = holds;
  offset = [(start ? start : [NSNumber numberWithInt:0]) retain];
  return self;
}
- (IOSurfaceRef)ioSurface {
  return surface;
}
- (NSNumber *)startOffset {
  return offset;
}
- (void)dealloc {
  if (isHeld)
    CFRelease(surface);
  [offset release];
  [super dealloc];
}
@end

@implementation _ANERequest
+ (id)requestWithInputs:(NSArray *)inputs
           inputIndices:(NSArray *)inputIndices
                outputs:(NSArray *)outputs
          outputIndices:(NSArray *)outputIndices
          weightsBuffer:(id)weights
              perfStats:(id)stats
         procedureIndex:(NSNumber *)index
           sharedEvents:(id)shared
      transactionHandle:(id)handle {
  if (simulated_fails(kSimulatedRequest, NULL))
    return nil;
  _ANERequest *made = [self allocBy:_cmd];
  return [[made initWithInputs:inputs
                  inputIndices:inputIndices
                       outputs:outputs
                 outputIndices:outputIndices
                 weightsBuffer:weights
                     perfStats:stats
                procedureIndex:index
                  sharedEvents:shared
             transactionHandle:handle] autorelease];
}
#define REQUEST(weights, stats, shared)                                                                                \
  return [self requestWithInputs:inputs                                                                                \
                    inputIndices:inputIndices                                                                          \
                         outputs:outputs                                                                               \
                   outputIndices:outputIndices                                                                         \
                   weightsBuffer:weights                                                                               \
                       perfStats:stats                                                                                 \
                  procedureIndex:index                                                                                 \
                    sharedEvents:shared                                                                                \
               transactionHandle:nil]
+ (id)requestWithInputs:(NSArray *)inputs
           inputIndices:(NSArray *)inputIndices
                outputs:(NSArray *)outputs
          outputIndices:(NSArray *)outputIndices
          weightsBuffer:(id)weights
              perfStats:(id)stats
         procedureIndex:(NSNumber *)index
           sharedEvents:(id)shared {
  REQUEST(weights, stats, shared);
}
+ (id)requestWithInputs:(NSArray *)inputs
           inputIndices:(NSArray *)inputIndices
                outputs:(NSArray *)outputs
          outputIndices:(NSArray *)outputIndices
          weightsBuffer:(id)weights
              perfStats:(id)stats
         procedureIndex:(NSNumber *)index {
  REQUEST(weights, stats, nil);
}
+ (id)requestWithInputs:(NSArray *)inputs
           inputIndices:(NSArray *)inputIndices
                outputs:(NSArray *)outputs
          outputIndices:(NSArray *)outputIndices
              perfStats:(id)stats
         procedureIndex:(NSNumber *)index {
  REQUEST(nil, stats, nil);
}
+ (id)requestWithInputs:(NSArray *)inputs
           inputIndices:(NSArray *)inputIndices
                outputs:(NSArray *)outputs
          outputIndices:(NSArray *)outputIndices
          weightsBuffer:(id)weights
         procedureIndex:(NSNumber *)index {
  REQUEST(weights, nil, nil);
}
+ (id)requestWithInputs:(NSArray *)inputs
           inputIndices:(NSArray *)inputIndices
                outputs:(NSArray *)outputs
          outputIndices:(NSArray *)outputIndices
         procedureIndex:(NSNumber *)index {
  REQUEST(nil, nil, nil);
}

- (id)initWithInputs:(NSArray *)inputs
         inputIndices:(NSArray *)inputIndices
              outputs:(NSArray *)outputs
        outputIndices:(NSArray *)outputIndices
        weightsBuffer:(id)weights
            perfStats:(id)stats
       procedureIndex:(NSNumber *)index
         sharedEvents:(id)shared
    transactionHandle:(id)handle {
  NSArray *lists[4] = {inputs, outputs, inputIndices, outputIndices};
  BOOL isSound = simulated_is(index, [NSNumber class], "a request's procedure", kCalls) &&
                 simulated_is(weights, [_ANEIOSurfaceObject class], "a request's weights buffer", kPaths);
  for (int i = 0; i < 4 && isSound; ++i) {
    if (![lists[i] isKindOfClass:[NSArray class]] || [lists[i] count] != [lists[i % 2] count]) {
      simulated_finding(kCalls, "a request's surfaces and indices are no arrays of one length");
      isSound = NO;
      break;
    }
    for (id each in lists[i])
      isSound = isSound && simulated_is(each, i < 2 ? [_ANEIOSurfaceObject class] : [NSNumber class],
                                        i < 2 ? "a request's surface" : "a request's index", kCalls);
  }
  if (isSound && !index) {
    simulated_finding(kCalls, "a request has no procedure");
    isSound = NO;
  }
  if (!isSound) {
    [self release];
    return nil;
  }
  for (int i = 0; i < 2; ++i) {
    surfaces[i] = [lists[i] copy];
    indices[i] = [lists[i + 2] copy];
  }
  procedure = [index retain];
  weightsBuffer = [weights retain];
  perfStats = [stats retain];
  events = [shared retain];
  transaction = [handle retain];
  return self;
}
- (NSArray *)inputArray {
  return surfaces[0];
}
- (NSArray *)outputArray {
  return surfaces[1];
}
- (NSArray *)inputIndexArray {
  return indices[0];
}
- (NSArray *)outputIndexArray {
  return indices[1];
}
- (NSNumber *)procedureIndex {
  return procedure;
}
- (id)weightsBuffer {
  return weightsBuffer;
}
- (id)perfStats {
  return perfStats;
}
- (void)setPerfStats:(id)stats {
  [perfStats autorelease];
  perfStats = [stats retain];
}
- (NSArray *)perfStatsArray {
  return [perfStats isKindOfClass:[NSArray class]] ? perfStats : nil;
}
- (id)sharedEvents {
  return events;
}
- (void)setSharedEvents:(id)given {
  [events autorelease];
  events = [given retain];
}
- (id)transactionHandle {
  return transaction;
}
- (void)setTransactionHandle:(id)handle {
  [transaction autorelease];
  transaction = [handle retain];
}
- (void)setCompletionHandler:(void (^)(BOOL, NSError *))handler {
  if (completion)
    Block_release(completion);
  completion = handler ? Block_copy(handler) : NULL;
}
- (unsigned long long)ioSurfacesCount {
  return [surfaces[0] count] + [surfaces[1] count];
}
- (BOOL)validate {
  return [surfaces[0] count] > 0 && [surfaces[1] count] > 0;
}
- (void)dealloc {
  for (int i = 0; i < 2; ++i) {
    [surfaces[i] release];
    [indices[i] release];
  }
  [procedure release];
  [weightsBuffer release];
  [perfStats release];
  [events release];
  [transaction release];
  if (completion)
    Block_release(completion);
  [super dealloc];
}
@end

/// It measures nothing: its time is 0 wherever somebody has looked (1.6).
@implementation _ANEPerformanceStats
+ (id)statsWithHardwareExecutionNS:(unsigned long long)ns {
  _ANEPerformanceStats *made = [[self allocBy:_cmd] autorelease];
  made->time = ns;
  return made;
}
+ (unsigned int)driverMaskForANEFMask:(unsigned int)mask {
  return mask;
}
- (id)init {
  [self release];
  return nil;
}
- (unsigned long long)hwExecutionTime {
  return time;
}
- (NSData *)perfCounterData {
  return nil;
}
- (NSData *)pStatsRawData {
  return nil;
}
@end

@interface _ANEBuffer : SimulatedObject {
  id ioSurfaceObject;
  NSNumber *symbolIndex;
  long long source;
}
@end
@implementation _ANEBuffer
+ (id)bufferWithIOSurfaceObject:(id)object symbolIndex:(NSNumber *)index source:(long long)source {
  return [[[self allocBy:_cmd] initWithIOSurfaceObject:object symbolIndex:index source:source] autorelease];
}
- (id)initWithIOSurfaceObject:(id)object symbolIndex:(NSNumber *)index source:(long long)given {
  if (!object || !simulated_is(object, [_ANEIOSurfaceObject class], "a buffer's surface", kPaths) ||
      !simulated_is(index, [NSNumber class], "a buffer's symbol", kPaths)) {
    [self release];
    return nil;
  }
  ioSurfaceObject = [object retain];
  symbolIndex = [index retain];
  source = given;
  return self;
}
- (id)ioSurfaceObject {
  return ioSurfaceObject;
}
- (NSNumber *)symbolIndex {
  return symbolIndex;
}
- (long long)source {
  return source;
}
- (void)dealloc {
  [ioSurfaceObject release];
  [symbolIndex release];
  [super dealloc];
}
@end

@interface _ANEIOSurfaceOutputSets : SimulatedObject {
  IOSurfaceRef statsSurRef;
  NSArray *outputBuffer;
}
@end
@implementation _ANEIOSurfaceOutputSets
+ (id)objectWithstatsSurRef:(IOSurfaceRef)stats outputBuffer:(NSArray *)buffer {
  return [[[self allocBy:_cmd] initWithstatsSurRef:stats outputBuffer:buffer] autorelease];
}
- (id)initWithstatsSurRef:(IOSurfaceRef)stats outputBuffer:(NSArray *)buffer {
  if (!stats || !simulated_is(buffer, [NSArray class], "an output set's buffers", kPaths)) {
    [self release]; // a surface for statistics is wanted
    return nil;
  }
  statsSurRef = (IOSurfaceRef)CFRetain(stats);
  outputBuffer = [buffer copy];
  return self;
}
- (NSArray *)outputBuffer {
  return outputBuffer;
}
- (IOSurfaceRef)statsSurRef {
  return statsSurRef;
}
- (void)dealloc {
  CFRelease(statsSurRef);
  [outputBuffer release];
  [super dealloc];
}
@end

/// Can be made and is valid; nobody has executed a chain (1.6).
@implementation _ANEChainingRequest
+ (id)chainingRequestWithInputs:(NSArray *)given
                     outputSets:(NSArray *)sets
                lbInputSymbolId:(id)input
               lbOutputSymbolId:(id)output
                 procedureIndex:(id)index
                   signalEvents:(id)events
              transactionHandle:(id)handle
                 fwEnqueueDelay:(id)delay
                   memoryPoolId:(id)pool {
  return [[[self allocBy:_cmd] initWithInputs:given
                                      outputs:sets
                              lbInputSymbolId:input
                             lbOutputSymbolId:output
                               procedureIndex:index
                                 signalEvents:events
                            transactionHandle:handle
                               fwEnqueueDelay:delay
                                 memoryPoolId:pool] autorelease];
}
- (id)initWithInputs:(NSArray *)given
              outputs:(NSArray *)sets
      lbInputSymbolId:(id)input
     lbOutputSymbolId:(id)output
       procedureIndex:(id)index
         signalEvents:(id)events
    transactionHandle:(id)handle
       fwEnqueueDelay:(id)delay
         memoryPoolId:(id)pool {
  inputs = [given retain];
  outputSets = [sets retain];
  return self;
}
- (NSArray *)inputBuffer {
  return inputs;
}
- (NSArray *)outputSets {
  return outputSets;
}
- (BOOL)validate {
  BOOL isSound = simulated_is(inputs, [NSArray class], "a chain's inputs", kPaths) &&
                 simulated_is(outputSets, [NSArray class], "a chain's output sets", kPaths);
  for (int i = 0; i < 2 && isSound; ++i)
    for (id each in i ? outputSets : inputs)
      isSound = isSound && simulated_is(each, i ? [_ANEIOSurfaceOutputSets class] : [_ANEBuffer class],
                                        i ? "a chain's output set" : "a chain's input", kPaths);
  return isSound;
}
- (void)dealloc {
  [inputs release];
  [outputSets release];
  [super dealloc];
}
@end

@interface _ANEInputBuffersReady : SimulatedObject {
  unsigned int procedureIndex;
  NSArray *infoIndex, *freeValue;
  unsigned long long delay;
}
@end
@implementation _ANEInputBuffersReady
+ (id)inputBuffersWithProcedureIndex:(unsigned int)index
                inputBufferInfoIndex:(NSArray *)info
                      inputFreeValue:(NSArray *)value
                      executionDelay:(unsigned long long)delay {
  _ANEInputBuffersReady *made = [[self allocBy:_cmd] autorelease];
  made->procedureIndex = index;
  made->infoIndex = [info retain];
  made->freeValue = [value retain];
  made->delay = delay;
  return made;
}
- (unsigned int)procedureIndex {
  return procedureIndex;
}
- (NSArray *)inputBufferInfoIndex {
  return infoIndex;
}
- (NSArray *)inputFreeValue {
  return freeValue;
}
- (unsigned long long)executionDelay {
  return delay;
}
- (BOOL)validate {
  return YES;
}
- (void)dealloc {
  [infoIndex release];
  [freeValue release];
  [super dealloc];
}
@end

@interface _ANEOutputSetEnqueue : SimulatedObject {
  unsigned int procedureIndex, setIndex;
  unsigned long long signalValue;
  BOOL signalNotRequired, isOpenLoop;
}
@end
@implementation _ANEOutputSetEnqueue
+ (id)outputSetWithProcedureIndex:(unsigned int)procedure
                         setIndex:(unsigned int)index
                      signalValue:(unsigned long long)value
                signalNotRequired:(BOOL)isNotRequired
                       isOpenLoop:(BOOL)isOpen {
  _ANEOutputSetEnqueue *made = [[self allocBy:_cmd] autorelease];
  made->procedureIndex = procedure;
  made->setIndex = index;
  made->signalValue = value;
  made->signalNotRequired = isNotRequired;
  made->isOpenLoop = isOpen;
  return made;
}
- (unsigned int)procedureIndex {
  return procedureIndex;
}
- (unsigned int)setIndex {
  return setIndex;
}
- (unsigned long long)signalValue {
  return signalValue;
}
- (BOOL)signalNotRequired {
  return signalNotRequired;
}
- (BOOL)isOpenLoop {
  return isOpenLoop;
}
@end

/// Classes that clients look for; no source says what their objects do.
@interface _ANESharedEvents : SimulatedObject
@end
@implementation _ANESharedEvents
@end
@interface _ANESharedSignalEvent : SimulatedObject
@end
@implementation _ANESharedSignalEvent
@end
@interface _ANESharedWaitEvent : SimulatedObject
@end
@implementation _ANESharedWaitEvent
@end
@interface _ANEModelInstanceParameters : SimulatedObject
@end
@implementation _ANEModelInstanceParameters
@end
@interface _ANEWeight : SimulatedObject
@end
@implementation _ANEWeight
@end
