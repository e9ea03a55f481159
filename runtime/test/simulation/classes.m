// The framework's classes of models and of its service: ane-programming.md 1.1, 1.2, 1.6.
#import "runtime/test/simulation/model.h"
#include <unistd.h>

static const char *const kCalls = "ane-programming.md 1.2", *const kPaths = "ane-programming.md 1.6";

static void simulated_wait(const char *option) {
  const long long microseconds = simulated_option(option);
  if (microseconds > 0)
    usleep((useconds_t)microseconds);
}

@interface _ANEInMemoryModelDescriptor : SimulatedObject {
@public
  NSData *text;
  NSDictionary *weights;
}
@end

@implementation _ANEInMemoryModelDescriptor
+ (id)modelWithMILText:(NSData *)text weights:(NSDictionary *)weights optionsPlist:(id)options {
  if (simulated_fails(kSimulatedDescribe, NULL))
    return nil;
  if (![text isKindOfClass:[NSData class]]) {
    simulated_finding(kCalls, "the text is of class %s, not NSData", text ? class_getName([text class]) : "nil");
    return nil;
  }
  // Some have passed nil for no weights and seen no harm, others a crash or a silent failure.
  if (!weights)
    simulated_finding(kCalls, "the weights are nil: an empty dictionary is safe");
  if (!simulated_is(weights, [NSDictionary class], "the dictionary of weights", kCalls))
    return nil;
  for (NSString *name in weights) {
    NSDictionary *entry = [weights objectForKey:name];
    if (![name hasPrefix:@"@model_path/"] || ![entry isKindOfClass:[NSDictionary class]] ||
        ![[entry objectForKey:@"data"] isKindOfClass:[NSData class]] || ![entry objectForKey:@"offset"]) {
      simulated_finding("ane-programming.md 1.3", "weight file %s has no offset, or no data, or another name",
                        [name UTF8String]);
      return nil;
    }
  }
  _ANEInMemoryModelDescriptor *made = [[self allocBy:_cmd] autorelease];
  made->text = [text retain];
  made->weights = weights ? [weights retain] : [[NSDictionary alloc] init];
  return made;
}
- (NSData *)networkText {
  return text;
}
- (NSDictionary *)weights {
  return weights;
}
- (BOOL)isMILModel {
  return YES;
}
- (void)dealloc {
  [text release];
  [weights release];
  [super dealloc];
}
@end

@interface _ANEProgramForEvaluation : SimulatedObject {
@public
  unsigned long long handle, intermediate;
  char depth;
}
@end

/// Of a folder with MIL text, or the shell of a model of memory, which `real` is then.
@interface _ANEModel : SimulatedModel {
@public
  SimulatedModel *real; ///< not held: it holds this one
  NSURL *url;
  NSString *key;
}
@end

@interface _ANEInMemoryModel : SimulatedModel {
  _ANEInMemoryModelDescriptor *_descriptor;
  _ANEModel *_model;
}
@end

@interface _ANEClient : SimulatedObject
+ (id)sharedConnection;
@end

@implementation _ANEInMemoryModel
+ (id)inMemoryModelWithDescriptor:(id)descriptor {
  if (simulated_fails(kSimulatedDescribe, NULL))
    return nil;
  return [[[self allocBy:_cmd] initWithDesctiptor:descriptor] autorelease];
}
- (id)initWithDesctiptor:(id)given { // the framework's spelling
  self = [super init];
  if (![given isKindOfClass:[_ANEInMemoryModelDescriptor class]])
    simulated_finding(kCalls, "a model is made of no descriptor");
  else
    _descriptor = [given retain];
  if (!_descriptor) {
    [self release];
    return nil;
  }
  text = [_descriptor->text retain];
  NSMutableDictionary *data = [[NSMutableDictionary alloc] init];
  for (NSString *name in _descriptor->weights)
    [data setObject:[[_descriptor->weights objectForKey:name] objectForKey:@"data"] forKey:name];
  files = data;
  [self identify];
  _sharedConnection = [[_ANEClient sharedConnection] retain];
  return self;
}
- (void)dealloc {
  [_descriptor release];
  if (_model)
    _model->real = nil;
  [_model release];
  [super dealloc];
}
- (NSString *)folder {
  return [NSTemporaryDirectory() stringByAppendingPathComponent:_hexStringIdentifier];
}
- (id)localModelPath {
  return [self folder];
}
- (NSURL *)modelURL {
  return [NSURL fileURLWithPath:[self folder]];
}
/// The text, and a file for each of the weights, are in the scratch folder.
- (BOOL)isFolderReady {
  NSFileManager *manager = [NSFileManager defaultManager];
  BOOL isReady = [manager fileExistsAtPath:[[self folder] stringByAppendingPathComponent:@"model.mil"]];
  for (NSString *name in files)
    isReady =
        isReady &&
        [manager fileExistsAtPath:[[self folder]
                                      stringByAppendingPathComponent:[name substringFromIndex:12]]]; // @model_path/
  if (!isReady)
    simulated_finding(kCalls, "the scratch folder %s lacks the text or a weight file", [[self folder] UTF8String]);
  return isReady;
}
- (id)descriptor {
  return _descriptor;
}
- (id)sharedConnection {
  return _sharedConnection;
}
- (id)model {
  if (!_model) {
    _model = [_ANEModel allocBy:_cmd];
    _model->real = self;
  }
  return _model;
}
- (id)program {
  if (!isLoaded)
    return nil;
  if (!_program) {
    _ANEProgramForEvaluation *made = [_ANEProgramForEvaluation allocBy:_cmd];
    made->handle = (unsigned long long)(uintptr_t)program;
    made->depth = 127;
    _program = made;
  }
  return _program;
}
- (BOOL)compileWithQoS:(unsigned int)qos options:(NSDictionary *)options error:(NSError **)error {
  return [self compile:qos options:options error:error];
}
- (BOOL)loadWithQoS:(unsigned int)qos options:(NSDictionary *)options error:(NSError **)error {
  return [self load:qos options:options error:error];
}
- (BOOL)evaluateWithQoS:(unsigned int)qos options:(NSDictionary *)options request:(id)request error:(NSError **)error {
  simulated_wait("standard_us");
  return [self evaluate:qos options:options request:request error:error];
}
- (BOOL)unloadWithQoS:(unsigned int)qos error:(NSError **)error {
  return [self unload:qos error:error];
}
- (BOOL)mapIOSurfacesWithRequest:(id)request cacheInference:(BOOL)caches error:(NSError **)error {
  size_t procedure;
  void *memory[2][256];
  if (isLoaded && [request isKindOfClass:[_ANERequest class]])
    return [self bind:request procedure:&procedure memory:memory error:error];
  simulated_finding(kPaths, "surfaces are mapped for a model that is not loaded, or without a request");
  return simulated_error(error, 13, @"mapIOSurfaces failed");
}
- (void)unmapIOSurfacesWithRequest:(id)request {
  simulated_is(request, [_ANERequest class], "a request", kPaths);
}
@end

@implementation _ANEModel
+ (id)modelAtURL:(NSURL *)url key:(NSString *)key {
  if (!url || !simulated_is(url, [NSURL class], "a model's address", kPaths) || !key ||
      !simulated_is(key, [NSString class], "a model's key", kPaths))
    return nil;
  _ANEModel *made = [[[self allocBy:_cmd] init] autorelease];
  made->url = [url retain];
  made->key = [key copy];
  NSString *folder = [url path];
  made->text = [[NSData dataWithContentsOfFile:[folder stringByAppendingPathComponent:@"model.mil"]] retain];
  NSMutableDictionary *found = [[NSMutableDictionary alloc] init];
  for (NSString *name in [[NSFileManager defaultManager] subpathsAtPath:folder]) {
    NSData *data = [name hasPrefix:@"weights/"]
                       ? [NSData dataWithContentsOfFile:[folder stringByAppendingPathComponent:name]]
                       : nil;
    if (data)
      [found setObject:data forKey:[@"@model_path/" stringByAppendingString:name]];
  }
  made->files = found;
  [made identify];
  return made;
}
- (NSString *)folder {
  return [url path];
}
/// A network of another kind than MIL is more than this knows.
- (BOOL)isFolderReady {
  if (!text)
    simulated_finding(kPaths, "folder %s has no model.mil", [[self folder] UTF8String]);
  return text != nil;
}
- (NSURL *)modelURL {
  return url;
}
- (NSString *)key {
  return key;
}
- (NSDictionary *)modelAttributes {
  return real ? [real modelAttributes] : [super modelAttributes];
}
- (unsigned long long)string_id {
  return real ? [real string_id] : [super string_id];
}
- (unsigned long long)state {
  return real ? [real state] : [super state];
}
- (id)inputSymbolIndicesForProcedureIndex:(unsigned int)index {
  return [self symbols:@"ANEFModelInputSymbolIndexArray" of:index];
}
- (id)outputSymbolIndicesForProcedureIndex:(unsigned int)index {
  return [self symbols:@"ANEFModelOutputSymbolIndexArray" of:index];
}
- (id)symbols:(NSString *)side of:(unsigned int)index {
  NSArray *procedures =
      [[[self modelAttributes] objectForKey:@"ANEFModelDescription"] objectForKey:@"ANEFModelProcedures"];
  NSMutableIndexSet *set = [NSMutableIndexSet indexSet];
  if (index < [procedures count])
    for (NSNumber *each in [[procedures objectAtIndex:index] objectForKey:side])
      [set addIndex:[each unsignedIntegerValue]];
  return set;
}
- (void)dealloc {
  [url release];
  [key release];
  [super dealloc];
}
@end

SimulatedModel *simulated_model(id given) {
  if ([given isKindOfClass:[_ANEModel class]] && ((_ANEModel *)given)->real)
    return ((_ANEModel *)given)->real;
  if ([given isKindOfClass:[SimulatedModel class]])
    return given;
  simulated_finding(kPaths, "a model is of class %s", given ? class_getName([given class]) : "nil");
  return nil;
}

@implementation _ANEProgramForEvaluation
+ (id)programWithHandle:(unsigned long long)handle
    intermediateBufferHandle:(unsigned long long)buffer
                  queueDepth:(char)depth {
  _ANEProgramForEvaluation *made = [[self allocBy:_cmd] autorelease];
  made->handle = handle;
  made->intermediate = buffer;
  made->depth = depth;
  return made;
}
- (BOOL)processRequest:(id)request
                 model:(id)model
                   qos:(unsigned int)qos
                qIndex:(unsigned long long)index
         modelStringID:(unsigned long long)name
               options:(NSDictionary *)options
           returnValue:(BOOL *)value
                 error:(NSError **)error {
  BOOL isDone = [simulated_model(model) evaluate:qos options:options request:request error:error];
  if (value)
    *value = isDone;
  return isDone;
}
- (unsigned long long)programHandle {
  return handle;
}
- (unsigned long long)intermediateBufferHandle {
  return intermediate;
}
- (char)queueDepth {
  return depth;
}
- (long long)currentAsyncRequestsInFlight {
  return 0;
}
@end

@implementation _ANEClient
+ (id)sharedConnection {
  static id shared;
  @synchronized(self) {
    if (!shared)
      shared = NSAllocateObject(self, 0, NULL); // the framework's own, for ever
  }
  return shared;
}
+ (id)sharedPrivateConnection {
  return [self sharedConnection];
}
- (id)initWithRestrictedAccessAllowed:(BOOL)isAllowed {
  return self;
}
- (BOOL)isVirtualClient {
  return NO;
}
- (BOOL)compileModel:(id)model options:(NSDictionary *)options qos:(unsigned int)qos error:(NSError **)error {
  return [simulated_model(model) compile:qos options:options error:error];
}
- (BOOL)loadModel:(id)model options:(NSDictionary *)options qos:(unsigned int)qos error:(NSError **)error {
  return [simulated_model(model) load:qos options:options error:error];
}
- (BOOL)doLoadModel:(id)model options:(NSDictionary *)options qos:(unsigned int)qos error:(NSError **)error {
  return [simulated_model(model) load:qos options:options error:error];
}
- (BOOL)unloadModel:(id)model options:(NSDictionary *)options qos:(unsigned int)qos error:(NSError **)error {
  return [simulated_model(model) unload:qos error:error];
}
- (BOOL)doUnloadModel:(id)model options:(NSDictionary *)options qos:(unsigned int)qos error:(NSError **)error {
  return [simulated_model(model) unload:qos error:error];
}
- (BOOL)evaluateWithModel:(id)model
                  options:(NSDictionary *)options
                  request:(id)request
                      qos:(unsigned int)qos
                    error:(NSError **)error {
  return [simulated_model(model) evaluate:qos options:options request:request error:error];
}
/// A path other than the standard one, as the machine is to have it.
- (BOOL)evaluate:(id)model
         options:(NSDictionary *)options
         request:(id)request
             qos:(unsigned int)qos
              by:(const char *)path
           takes:(const char *)microseconds
           error:(NSError **)error {
  simulated_wait(microseconds);
  if (strcmp(simulated_word(path), "fails") == 0)
    return simulated_error(error, 0xe00002c7, @"0xe00002c7");
  if (![simulated_model(model) evaluate:qos options:options request:request error:error])
    return NO;
  if (strcmp(simulated_word(path), "zeros") == 0)
    for (_ANEIOSurfaceObject *each in ((_ANERequest *)request)->surfaces[1])
      memset(simulated_surface_memory(each->surface), 0, IOSurfaceGetAllocSize(each->surface));
  return YES;
}
- (BOOL)doEvaluateDirectWithModel:(id)model
                          options:(NSDictionary *)options
                          request:(id)request
                              qos:(unsigned int)qos
                            error:(NSError **)error {
  return [self evaluate:model options:options request:request qos:qos by:"direct" takes:"direct_us" error:error];
}
+ (BOOL)instancesRespondToSelector:(SEL)selector {
  const char *path = sel_isEqual(selector, @selector(doEvaluateDirectWithModel:options:request:qos:error:)) ? "direct"
                     : sel_isEqual(selector, @selector(evaluateRealTimeWithModel:options:request:error:)) ? "real_time"
                                                                                                          : NULL;
  return (!path || strcmp(simulated_word(path), "missing") != 0) && [super instancesRespondToSelector:selector];
}
/// Without an entitlement it says no, and evaluating so works anyway.
- (BOOL)beginRealTimeTask {
  return NO;
}
- (BOOL)endRealTimeTask {
  return NO;
}
- (BOOL)evaluateRealTimeWithModel:(id)model
                          options:(NSDictionary *)options
                          request:(id)request
                            error:(NSError **)error {
  return [self evaluate:model options:options request:request qos:21 by:"real_time" takes:"real_time_us" error:error];
}
- (BOOL)compiledModelExistsFor:(id)model {
  return [simulated_model(model) compiledModelExists];
}
- (void)purgeCompiledModel:(id)model {
  [simulated_model(model) purgeCompiledModel];
}
- (BOOL)mapIOSurfacesWithModel:(id)model request:(id)request cacheInference:(BOOL)caches error:(NSError **)error {
  SimulatedModel *real = simulated_model(model);
  size_t procedure;
  void *memory[2][256];
  return real && real->isLoaded ? [real bind:request procedure:&procedure memory:memory error:error]
                                : simulated_error(error, 13, @"mapIOSurfaces failed");
}
- (void)unmapIOSurfacesWithModel:(id)model request:(id)request {
  simulated_model(model);
}
- (BOOL)prepareChainingWithModel:(id)model
                         options:(NSDictionary *)options
                     chainingReq:(id)request
                             qos:(unsigned int)qos
                           error:(NSError **)error {
  simulated_is(request, [_ANEChainingRequest class], "a chain", kPaths);
  if (simulated_model(model) && strcmp(simulated_word("chain"), "refused") != 0)
    return YES;
  return simulated_error(error, 15, @"ANEProgramChainingPrepare() Failed");
}
- (BOOL)doPrepareChainingWithModel:(id)model
                           options:(NSDictionary *)options
                       chainingReq:(id)request
                               qos:(unsigned int)qos
                             error:(NSError **)error {
  return [self prepareChainingWithModel:model options:options chainingReq:request qos:qos error:error];
}
- (BOOL)enqueueSetsWithModel:(id)model
                   outputSet:(id)set
                     options:(NSDictionary *)options
                         qos:(unsigned int)qos
                       error:(NSError **)error {
  return strcmp(simulated_word("chain"), "refused") != 0;
}
- (BOOL)buffersReadyWithModel:(id)model
                 inputBuffers:(id)buffers
                      options:(NSDictionary *)options
                          qos:(unsigned int)qos
                        error:(NSError **)error {
  return strcmp(simulated_word("chain"), "accepted") == 0;
}
@end

@interface _ANEVirtualClient : SimulatedObject
@end
@implementation _ANEVirtualClient
+ (id)sharedConnection {
  return nil; // but in a virtual machine
}
@end

@interface _ANEProgramIOSurfacesMapper : SimulatedObject {
  unsigned long long programHandle;
}
@end
@implementation _ANEProgramIOSurfacesMapper
+ (id)mapperWithProgramHandle:(unsigned long long)handle {
  _ANEProgramIOSurfacesMapper *made = [[self allocBy:_cmd] autorelease];
  made->programHandle = handle;
  return made;
}
+ (id)mapperWithController:(id)controller {
  return [[self allocBy:_cmd] autorelease];
}
- (unsigned long long)programHandle {
  return programHandle;
}
- (BOOL)mapIOSurfacesWithModel:(id)model request:(id)request cacheInference:(BOOL)caches error:(NSError **)error {
  return [[_ANEClient sharedConnection] mapIOSurfacesWithModel:model request:request cacheInference:caches error:error];
}
- (BOOL)validateRequest:(id)request model:(id)model {
  return [request isKindOfClass:[_ANERequest class]] && simulated_model(model) != nil;
}
@end

@interface _ANEDeviceController : SimulatedObject
@end
@implementation _ANEDeviceController
+ (id)controllerWithProgramHandle:(unsigned long long)handle {
  return [[self allocBy:_cmd] autorelease];
}
@end

@interface _ANEQoSMapper : SimulatedObject
@end
@implementation _ANEQoSMapper
+ (unsigned int)aneRealTimeTaskQoS {
  return 0;
}
@end

@interface _ANEDeviceInfo : SimulatedObject
@end
@implementation _ANEDeviceInfo
+ (BOOL)hasANE {
  return YES;
}
+ (unsigned int)numANEs {
  return 1;
}
+ (unsigned int)numANECores {
  return 16;
}
+ (id)aneSubType {
  return [NSString stringWithUTF8String:simulated_word("subtype")];
}
+ (id)aneArchitectureType {
  return [self aneSubType];
}
+ (id)buildVersion {
  return @"simulated";
}
+ (id)productName {
  return @"macOS";
}
+ (BOOL)isVirtualMachine {
  return NO;
}
+ (BOOL)isInternalBuild {
  return NO;
}
@end
