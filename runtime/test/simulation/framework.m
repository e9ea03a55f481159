// AppleNeuralEngine as published sources use it: classes and selectors of ane-programming.md 1, on the emulator.
#import "runtime/test/simulation/engine.h"
#import "runtime/test/simulation/finding.h"
#import "runtime/test/simulation/iosurface.h"
#import <Foundation/Foundation.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>

enum { kCompilations = 119, kLoaded = 127 }; // of a process (6.2; ane-op-chip-matrix.md 7.6)

/// As on a Mac, where it is a user's own; GNUstep looks at other variables.
NSString *NSTemporaryDirectory(void) {
  const char *folder = getenv("TMPDIR");
  return [NSString stringWithUTF8String:folder ? folder : "/tmp"];
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int findings;
static NSMutableString *texts;
static atomic_int objects, compilations, loaded;

void simulated_finding(const char *source, const char *fact, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, fact);
  vsnprintf(text, sizeof text, fact, arguments);
  va_end(arguments);
  fprintf(stderr, "simulated framework: %s (%s)\n", text, source);
  pthread_mutex_lock(&lock);
  ++findings;
  if (!texts)
    texts = [[NSMutableString alloc] init];
  [texts appendFormat:@"%s (%s)\n", text, source];
  pthread_mutex_unlock(&lock);
}

int simulated_findings(void) { return findings; }
const char *simulated_finding_texts(void) { return texts ? [texts UTF8String] : ""; }
void simulated_forget_findings(void) {
  findings = 0;
  [texts setString:@""];
}
int simulated_live_objects(void) { return objects; }

static BOOL fail(NSError **error, NSInteger code, NSString *text) {
  if (error)
    *error = [NSError errorWithDomain:@"com.apple.appleneuralengine"
                                 code:code
                             userInfo:[NSDictionary dictionaryWithObject:text forKey:NSLocalizedDescriptionKey]];
  return NO;
}

static struct {
  int before, times, failed;
  long code;
  char text[128];
} fault;

void simulated_fail(int call, int times, long code, const char *text) {
  pthread_mutex_lock(&lock);
  fault.before = call;
  fault.times = times;
  fault.failed = 0;
  fault.code = code;
  snprintf(fault.text, sizeof fault.text, "%s", text);
  pthread_mutex_unlock(&lock);
}

int simulated_stop_failing(void) {
  fault.times = 0;
  return fault.failed;
}

/// Whether this call is to fail.
static BOOL hasFault(NSError **error) {
  pthread_mutex_lock(&lock);
  BOOL fails = fault.times > 0 && --fault.before <= 0;
  if (fails) {
    --fault.times;
    ++fault.failed;
  }
  pthread_mutex_unlock(&lock);
  if (fails)
    fail(error, fault.code, [NSString stringWithUTF8String:fault.text]);
  return fails;
}

/// Counts itself, so that what is never released shows.
@interface SimulatedObject : NSObject
@end
@implementation SimulatedObject
+ (id)allocWithZone:(NSZone *)zone {
  ++objects;
  return [super allocWithZone:zone];
}
- (void)dealloc {
  --objects;
  [super dealloc];
}
@end

@interface _ANEInMemoryModelDescriptor : SimulatedObject {
@public
  NSData *text;
  NSDictionary *weights;
}
+ (id)modelWithMILText:(NSData *)text weights:(NSDictionary *)weights optionsPlist:(id)options;
@end

@implementation _ANEInMemoryModelDescriptor
+ (id)modelWithMILText:(NSData *)text weights:(NSDictionary *)weights optionsPlist:(id)options {
  if (![text isKindOfClass:[NSData class]]) {
    simulated_finding("ane-programming.md 1.2", "the text is of class %s, not NSData", class_getName([text class]));
    return nil;
  }
  if (![weights isKindOfClass:[NSDictionary class]]) {
    simulated_finding("ane-programming.md 1.2", "the weights are of class %s, not NSDictionary",
                      weights ? class_getName([weights class]) : "nil");
    return nil;
  }
  for (NSString *name in weights) {
    NSDictionary *entry = [weights objectForKey:name];
    if (![name hasPrefix:@"@model_path/"] || ![entry isKindOfClass:[NSDictionary class]] ||
        ![[entry objectForKey:@"data"] isKindOfClass:[NSData class]] || ![entry objectForKey:@"offset"]) {
      simulated_finding("ane-programming.md 1.3", "weight file %s has no offset, or no data, or another name",
                        [name UTF8String]);
      return nil;
    }
  }
  _ANEInMemoryModelDescriptor *made = [[[self alloc] init] autorelease];
  made->text = [text retain];
  made->weights = [weights retain];
  return made;
}
- (void)dealloc {
  [text release];
  [weights release];
  [super dealloc];
}
@end

@interface _ANEIOSurfaceObject : SimulatedObject {
@public
  IOSurfaceRef surface;
}
+ (id)objectWithIOSurface:(IOSurfaceRef)surface;
@end

@implementation _ANEIOSurfaceObject
+ (id)objectWithIOSurface:(IOSurfaceRef)surface {
  if (!surface) {
    simulated_finding("ane-programming.md 1.2", "a surface is nil");
    return nil;
  }
  _ANEIOSurfaceObject *made = [[[self alloc] init] autorelease];
  made->surface = (IOSurfaceRef)CFRetain(surface);
  return made;
}
- (void)dealloc {
  CFRelease(surface);
  [super dealloc];
}
@end

@interface _ANERequest : SimulatedObject {
@public
  NSArray *surfaces[2], *indices[2];
  NSUInteger procedure;
}
+ (id)requestWithInputs:(NSArray *)inputs
           inputIndices:(NSArray *)inputIndices
                outputs:(NSArray *)outputs
          outputIndices:(NSArray *)outputIndices
          weightsBuffer:(id)weights
              perfStats:(id)stats
         procedureIndex:(NSNumber *)procedure;
@end

@implementation _ANERequest
+ (id)requestWithInputs:(NSArray *)inputs
           inputIndices:(NSArray *)inputIndices
                outputs:(NSArray *)outputs
          outputIndices:(NSArray *)outputIndices
          weightsBuffer:(id)weights
              perfStats:(id)stats
         procedureIndex:(NSNumber *)procedure {
  NSArray *lists[4] = {inputs, outputs, inputIndices, outputIndices};
  for (int i = 0; i < 4; ++i) {
    if (![lists[i] isKindOfClass:[NSArray class]] || [lists[i] count] != [lists[i % 2] count]) {
      simulated_finding("ane-programming.md 1.2", "a request's surfaces and indices are no arrays of one length");
      return nil;
    }
    Class wanted = i < 2 ? [_ANEIOSurfaceObject class] : [NSNumber class];
    for (id each in lists[i])
      if (![each isKindOfClass:wanted]) {
        simulated_finding("ane-programming.md 1.2", "a request's %s is of class %s", i < 2 ? "surface" : "index",
                          class_getName([each class]));
        return nil;
      }
  }
  if (![procedure isKindOfClass:[NSNumber class]]) {
    simulated_finding("ane-programming.md 1.2", "a request's procedure is no number");
    return nil;
  }
  _ANERequest *made = [[[self alloc] init] autorelease];
  for (int i = 0; i < 2; ++i) {
    made->surfaces[i] = [lists[i] copy];
    made->indices[i] = [lists[i + 2] copy];
  }
  made->procedure = [procedure unsignedIntegerValue];
  return made;
}
- (void)dealloc {
  for (int i = 0; i < 2; ++i) {
    [surfaces[i] release];
    [indices[i] release];
  }
  [super dealloc];
}
@end

@interface _ANEInMemoryModel : SimulatedObject {
  _ANEInMemoryModelDescriptor *descriptor;
  NSString *identifier;
  SimulatedProgram *program;
  BOOL isLoaded;
}
+ (id)inMemoryModelWithDescriptor:(id)descriptor;
- (NSString *)hexStringIdentifier;
- (BOOL)compiledModelExists;
- (void)purgeCompiledModel;
- (BOOL)compileWithQoS:(unsigned int)qos options:(NSDictionary *)options error:(NSError **)error;
- (BOOL)loadWithQoS:(unsigned int)qos options:(NSDictionary *)options error:(NSError **)error;
- (BOOL)evaluateWithQoS:(unsigned int)qos
                options:(NSDictionary *)options
                request:(id)request
                  error:(NSError **)error;
- (BOOL)unloadWithQoS:(unsigned int)qos error:(NSError **)error;
- (NSDictionary *)modelAttributes;
- (NSUInteger)state;
@end

@implementation _ANEInMemoryModel
+ (id)inMemoryModelWithDescriptor:(id)descriptor {
  if (![descriptor isKindOfClass:[_ANEInMemoryModelDescriptor class]]) {
    simulated_finding("ane-programming.md 1.2", "a model is made of no descriptor");
    return nil;
  }
  _ANEInMemoryModel *made = [[[self alloc] init] autorelease];
  made->descriptor = [descriptor retain];
  char name[99];
  SimulatedFile *files = [made copyFiles];
  simulated_identifier([made->descriptor->text bytes], [made->descriptor->text length], files,
                       [made->descriptor->weights count], name);
  free(files);
  made->identifier = [[NSString alloc] initWithUTF8String:name];
  return made;
}
- (void)dealloc {
  if (isLoaded) {
    simulated_finding("ane-programming.md 1.2", "a model is released while it is loaded: its place is lost");
    --loaded;
  }
  if (program)
    simulated_destroy(program);
  [descriptor release];
  [identifier release];
  [super dealloc];
}

/// To be freed.
- (SimulatedFile *)copyFiles {
  SimulatedFile *files = calloc([descriptor->weights count] + 1, sizeof(SimulatedFile)), *next = files;
  for (NSString *name in descriptor->weights) {
    NSData *data = [[descriptor->weights objectForKey:name] objectForKey:@"data"];
    *next++ = (SimulatedFile){[name UTF8String], [data bytes], [data length]};
  }
  return files;
}
- (NSString *)hexStringIdentifier {
  return identifier;
}
- (NSString *)scratch {
  return [NSTemporaryDirectory() stringByAppendingPathComponent:identifier];
}
/// What the system keeps of a compilation, for later processes, too.
- (NSString *)kept {
  NSString *folder = [NSTemporaryDirectory() stringByAppendingPathComponent:@"com.apple.aned.simulated"];
  [[NSFileManager defaultManager] createDirectoryAtPath:folder withIntermediateDirectories:YES attributes:nil error:NULL];
  return [folder stringByAppendingPathComponent:identifier];
}
- (NSString *)netDescription {
  return [[self scratch] stringByAppendingPathComponent:@"net.plist"];
}
- (BOOL)compiledModelExists {
  return [[NSFileManager defaultManager] fileExistsAtPath:[self kept]];
}
- (void)purgeCompiledModel {
  [[NSFileManager defaultManager] removeItemAtPath:[self kept] error:NULL];
}

- (BOOL)makeProgram:(NSError **)error {
  if (program)
    return YES;
  char reason[512];
  SimulatedFile *files = [self copyFiles];
  program = simulated_compile([descriptor->text bytes], [descriptor->text length], files, [descriptor->weights count],
                              reason, sizeof reason);
  free(files);
  return program || fail(error, 1, [NSString stringWithFormat:@"InvalidMILProgram: %s", reason]);
}

/// The text, and a file for each of the weights, are in the scratch folder.
- (BOOL)isScratchReady {
  NSFileManager *manager = [NSFileManager defaultManager];
  NSString *text = [[self scratch] stringByAppendingPathComponent:@"model.mil"];
  BOOL isReady = [[manager contentsAtPath:text] isEqualToData:descriptor->text];
  for (NSString *name in descriptor->weights)
    isReady = isReady && [manager fileExistsAtPath:[[self scratch] stringByAppendingPathComponent:
                                                                     [name substringFromIndex:[@"@model_path/" length]]]];
  if (!isReady)
    simulated_finding("ane-programming.md 1.2", "the scratch folder %s lacks the text or a weight file",
                      [[self scratch] UTF8String]);
  return isReady;
}

- (BOOL)compileWithQoS:(unsigned int)qos options:(NSDictionary *)options error:(NSError **)error {
  if (hasFault(error))
    return NO;
  if (![self isScratchReady] || ++compilations > kCompilations)
    return fail(error, 11, @"ANECCompile() FAILED: err=()");
  if (![self makeProgram:error])
    return NO;
  NSData *nothing = [NSData data];
  [nothing writeToFile:[self netDescription] atomically:YES];
  [nothing writeToFile:[self kept] atomically:YES];
  return YES;
}

- (BOOL)loadWithQoS:(unsigned int)qos options:(NSDictionary *)options error:(NSError **)error {
  if (hasFault(error))
    return NO;
  if (isLoaded) {
    simulated_finding("ane-programming.md 1.2", "a model is loaded twice");
    return YES;
  }
  // Its own compilation, one that was kept, or that of a donor.
  BOOL isCompiled = [self compiledModelExists] || [[NSFileManager defaultManager] fileExistsAtPath:[self netDescription]];
  if (!isCompiled) {
    simulated_finding("ane-programming.md 1.2", "a model is loaded that was never compiled");
    return fail(error, 0x20004, @"Program load failure (0x20004)");
  }
  if (![self isScratchReady])
    return fail(error, 0x20004, @"Program load failure (0x20004)");
  if (loaded >= kLoaded)
    return fail(error, 0x50004, @"Program load failure (0x50004)");
  char reason[512];
  if (![self makeProgram:error])
    return NO;
  if (!simulated_load(program, reason, sizeof reason))
    return fail(error, 0x20004, [NSString stringWithFormat:@"Program load failure (0x20004): %s", reason]);
  isLoaded = YES;
  ++loaded;
  return YES;
}

- (BOOL)unloadWithQoS:(unsigned int)qos error:(NSError **)error {
  if (!isLoaded) {
    simulated_finding("ane-programming.md 1.2", "a model is unloaded that is not loaded");
    return fail(error, 1, @"not loaded");
  }
  isLoaded = NO; // also where it is said to have failed: what is lost so is the system's
  --loaded;
  simulated_unload(program);
  return !hasFault(error);
}

- (BOOL)evaluateWithQoS:(unsigned int)qos
                options:(NSDictionary *)options
                request:(id)given
                  error:(NSError **)error {
  NSString *inference = @"ANEProgramProcessRequestDirect() Failed with status=0x1d : statusType=0x9: Program Inference error";
  if (hasFault(error))
    return NO;
  if (!isLoaded) {
    simulated_finding("ane-programming.md 1.2", "a model is evaluated that is not loaded");
    return fail(error, 5, inference);
  }
  if (![given isKindOfClass:[_ANERequest class]]) {
    simulated_finding("ane-programming.md 1.2", "an evaluation without a request");
    return fail(error, 5, inference);
  }
  _ANERequest *request = given;
  if (request->procedure >= simulated_procedures(program))
    return fail(error, 2, @"error 0x2: no such procedure");
  void *memory[2][256];
  for (int i = 0; i < 2; ++i) {
    size_t count = simulated_ports(program, request->procedure, i);
    if (count != [request->surfaces[i] count] || count > 256) {
      simulated_finding("ane-programming.md 2", "a request has %d surfaces for %zu symbols",
                        (int)[request->surfaces[i] count], count);
      return fail(error, 5, inference);
    }
    for (size_t port = 0; port < count; ++port) {
      // Of one procedure the symbols are numbered from 0, those of others follow (1.6).
      NSUInteger first = 0;
      for (NSUInteger before = 0; before < request->procedure; ++before)
        first += simulated_ports(program, before, i);
      NSUInteger index = [[request->indices[i] objectAtIndex:port] unsignedIntegerValue];
      if (index < first || index >= first + count)
        return fail(error, 2, @"error 0x2: wrong symbol");
      IOSurfaceRef surface = ((_ANEIOSurfaceObject *)[request->surfaces[i] objectAtIndex:port])->surface;
      if ((int64_t)IOSurfaceGetAllocSize(surface) < simulated_port_bytes(program, request->procedure, i, index - first)) {
        simulated_finding("ane-programming.md 2.3", "symbol %s needs %lld bytes, its surface has %zu",
                          simulated_port(program, request->procedure, i, index - first),
                          (long long)simulated_port_bytes(program, request->procedure, i, index - first),
                          IOSurfaceGetAllocSize(surface));
        return fail(error, 5, inference);
      }
      if (simulated_surface_locks(surface) != 0)
        simulated_finding("ane-programming.md 1.2", "a surface is locked by the CPU while the engine uses it");
      memory[i][index - first] = simulated_surface_memory(surface);
    }
  }
  char reason[512];
  if (!simulated_run(program, request->procedure, memory[0], memory[1], reason, sizeof reason))
    return fail(error, 5, [NSString stringWithFormat:@"%@: %s", inference, reason]);
  return YES;
}

- (NSDictionary *)modelAttributes {
  if (!isLoaded)
    return [NSDictionary dictionary];
  NSMutableArray *procedures = [NSMutableArray array], *names[2] = {[NSMutableArray array], [NSMutableArray array]};
  NSMutableDictionary *ids = [NSMutableDictionary dictionary];
  for (size_t p = 0; p < simulated_procedures(program); ++p) {
    NSMutableArray *indices[2] = {[NSMutableArray array], [NSMutableArray array]};
    for (int i = 0; i < 2; ++i)
      for (size_t port = 0; port < simulated_ports(program, p, i); ++port) {
        [indices[i] addObject:[NSNumber numberWithUnsignedInteger:[names[i] count]]];
        [names[i] addObject:[NSString stringWithFormat:i ? @"%s@output" : @"%s", simulated_port(program, p, i, port)]];
      }
    NSNumber *number = [NSNumber numberWithUnsignedInteger:p];
    [procedures addObject:[NSDictionary dictionaryWithObjectsAndKeys:indices[0], @"ANEFModelInputSymbolIndexArray",
                                                                     indices[1], @"ANEFModelOutputSymbolIndexArray",
                                                                     number, @"ANEFModelProcedureID", nil]];
    [ids setObject:number forKey:[NSString stringWithUTF8String:simulated_procedure(program, p)]];
  }
  NSDictionary *description =
      [NSDictionary dictionaryWithObjectsAndKeys:procedures, @"ANEFModelProcedures", names[0],
                                                 @"kANEFModelInputSymbolsArrayKey", names[1],
                                                 @"kANEFModelOutputSymbolsArrayKey", ids,
                                                 @"kANEFModelProcedureNameToIDMapKey", nil];
  return [NSDictionary dictionaryWithObject:description forKey:@"ANEFModelDescription"];
}

- (NSUInteger)state {
  return isLoaded ? 3 : 1;
}
@end
