// What a program does between its text and its values: ane-programming.md 1.2 to 1.8, on the emulator.
#import "runtime/test/simulation/model.h"
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static const char *const kCalls = "ane-programming.md 1.2";
static NSString *const kInference =
    @"ANEProgramProcessRequestDirect() Failed with status=0x1d : statusType=0x9: Program Inference error";
static atomic_int compilations, loaded;
static atomic_llong loadedBytes;
static int counted; ///< the service that `loaded` is of

/// As on a Mac, where it is a user's own; GNUstep looks at other variables.
NSString *NSTemporaryDirectory(void) {
  const char *folder = getenv(strcmp(simulated_word("temporary"), "own") == 0 ? "SIMULATED_TEMPORARY" : "TMPDIR");
  return [NSString stringWithUTF8String:folder ? folder : "/tmp"];
}

/// Nothing of what a service had is left when it has ended.
static void notice(void) {
  if (counted == simulated_service())
    return;
  counted = simulated_service();
  loaded = 0;
  loadedBytes = 0;
}

static id sameAndLoaded(SimulatedObject *each, id wanted) {
  SimulatedModel *other = (SimulatedModel *)each;
  return each != wanted && [each isKindOfClass:[SimulatedModel class]] && other->isLoaded &&
                 [other->_hexStringIdentifier isEqual:((SimulatedModel *)wanted)->_hexStringIdentifier]
             ? each
             : nil;
}

@implementation SimulatedModel
- (id)init {
  _queueDepth = 127;
  return self;
}
- (void)dealloc {
  if (isLoaded && service == simulated_service()) {
    simulated_finding("ane-programming.md 1.2", "a model is released while it is loaded: its place is lost");
    --loaded;
    loadedBytes -= bytes;
  }
  if (program)
    simulated_destroy(program);
  [text release];
  [files release];
  [_hexStringIdentifier release];
  [ownIdentifier release];
  [_sharedConnection release];
  [_program release];
  [super dealloc];
}

- (NSString *)folder {
  return nil;
}
- (BOOL)isFolderReady {
  return YES;
}
- (NSString *)hexStringIdentifier {
  return _hexStringIdentifier;
}

/// To be freed, while `of` lives.
- (SimulatedFile *)copyFiles:(NSDictionary *)of {
  SimulatedFile *made = calloc([of count] + 1, sizeof(SimulatedFile)), *next = made;
  for (NSString *name in of) {
    NSData *data = [of objectForKey:name];
    *next++ = (SimulatedFile){[name UTF8String], [data bytes], [data length]};
  }
  return made;
}
- (void)identify {
  char name[99];
  SimulatedFile *list = [self copyFiles:files];
  simulated_identifier([text bytes], [text length], list, [files count], name);
  free(list);
  _hexStringIdentifier = [[NSString alloc] initWithUTF8String:name];
  ownIdentifier = [_hexStringIdentifier retain];
}

/// What the system keeps of a compilation, for later processes, too: a folder.
- (NSString *)kept {
  return [[NSTemporaryDirectory() stringByAppendingPathComponent:@"com.apple.aned.simulated"]
      stringByAppendingPathComponent:_hexStringIdentifier];
}
- (void)keep:(NSDictionary *)compiled {
  NSFileManager *manager = [NSFileManager defaultManager];
  [manager createDirectoryAtPath:[self kept] withIntermediateDirectories:YES attributes:nil error:NULL];
  // Who comes with the identifier alone gets this program (1.5); large ones stay out of a test's disk.
  unsigned long long size = [text length];
  for (NSString *name in compiled)
    size += [[compiled objectForKey:name] length];
  if (size > 16 << 20)
    return;
  // The text last: who finds it, finds both.
  [NSKeyedArchiver archiveRootObject:compiled toFile:[[self kept] stringByAppendingPathComponent:@"weights"]];
  [text writeToFile:[[self kept] stringByAppendingPathComponent:@"model.mil"] atomically:YES];
}
- (NSString *)netDescription {
  return [[self folder] stringByAppendingPathComponent:@"net.plist"];
}
- (BOOL)compiledModelExists {
  return !simulated_fails(kSimulatedExists, NULL) && [self isKept];
}
- (BOOL)isKept {
  return strcmp(simulated_word("keeps"), "yes") == 0 && [[NSFileManager defaultManager] fileExistsAtPath:[self kept]];
}
- (void)purgeCompiledModel {
  [[NSFileManager defaultManager] removeItemAtPath:[self kept] error:NULL];
}

- (BOOL)makeProgram:(NSData *)of files:(NSDictionary *)with error:(NSError **)error {
  char reason[512];
  SimulatedFile *list = [self copyFiles:with];
  SimulatedProgram *made = simulated_compile([of bytes], [of length], list, [with count], reason, sizeof reason);
  free(list);
  if (!made)
    return simulated_error(error, 1, [NSString stringWithFormat:@"InvalidMILProgram: %s", reason]);
  if (program)
    simulated_destroy(program);
  program = made;
  return YES;
}

/// What the compiler reads: clients have given descriptors without a byte of the files that they wrote.
- (NSDictionary *)filesOfFolder {
  NSMutableDictionary *read = [NSMutableDictionary dictionary];
  for (NSString *name in files) {
    NSData *data =
        [NSData dataWithContentsOfFile:[[self folder] stringByAppendingPathComponent:[name substringFromIndex:12]]];
    [read setObject:data ? data : [files objectForKey:name] forKey:name];
  }
  return read;
}

/// Of what was kept of a compilation, also that of another identifier which a client has given the model; of the
/// folder's files where nothing was kept, or the machine looks at them again.
- (BOOL)prepareProgram:(NSError **)error {
  const BOOL isFresh = strcmp(simulated_word("weights"), "fresh") == 0,
             isOwn = [_hexStringIdentifier isEqual:ownIdentifier];
  if (program && !isFresh)
    return YES;
  if (!isOwn || !isFresh) {
    NSData *other = [NSData dataWithContentsOfFile:[[self kept] stringByAppendingPathComponent:@"model.mil"]];
    if (other)
      return [self makeProgram:other
                         files:[NSKeyedUnarchiver
                                   unarchiveObjectWithFile:[[self kept] stringByAppendingPathComponent:@"weights"]]
                         error:error];
    if (!isOwn)
      return simulated_error(error, 0x20004, @"Program load failure (0x20004)");
  }
  return [self makeProgram:text files:[self filesOfFolder] error:error];
}

- (void)checkQoS:(unsigned int)qos options:(NSDictionary *)options {
  if (qos > 63)
    simulated_finding(kCalls, "nobody has tried a QoS of %u", qos);
  if (!options)
    simulated_finding(kCalls, "options are nil");
  simulated_is(options, [NSDictionary class], "an options dictionary", kCalls);
}

- (BOOL)compile:(unsigned int)qos options:(NSDictionary *)options error:(NSError **)error {
  [self checkQoS:qos options:options];
  if (simulated_fails(kSimulatedCompile, error))
    return NO;
  usleep((useconds_t)simulated_option("compile_ms") * 1000);
  if (![self isFolderReady])
    return simulated_error(error, 11, @"ANECCompile() FAILED: err=()");
  if (++compilations > simulated_option("compilations")) {
    simulated_finding("C05: ane-programming.md 6.2", "a process compiles more than %lld programs",
                      (long long)simulated_option("compilations"));
    return simulated_error(error, 11, @"ANECCompile() FAILED: err=()");
  }
  @synchronized(self) {
    NSDictionary *read = [self filesOfFolder];
    if (!program && ![self makeProgram:text files:read error:error])
      return NO;
    [[NSData data] writeToFile:[self netDescription] atomically:YES];
    [self keep:read];
  }
  return YES;
}

- (BOOL)takePlace:(NSError **)error {
  notice();
  long long own = 0;
  for (NSString *name in files)
    own += [[files objectForKey:name] length];
  if (loaded >= simulated_option("loaded")) {
    simulated_finding("C139: ane-op-chip-matrix.md", "more than %lld programs are loaded",
                      (long long)simulated_option("loaded"));
    return simulated_error(error, 0x50004, @"Program load failure (0x50004)");
  }
  if (loadedBytes + own > simulated_option("megabytes") << 20) {
    simulated_finding("C140: ane-programming.md 6.2", "more than %lld MiB are loaded",
                      (long long)simulated_option("megabytes"));
    return simulated_error(error, 0x20004, @"Program load failure (0x20004)");
  }
  ++loaded;
  loadedBytes += bytes = own;
  return YES;
}

- (BOOL)load:(unsigned int)qos options:(NSDictionary *)options error:(NSError **)error {
  [self checkQoS:qos options:options];
  if (simulated_fails(kSimulatedLoad, error))
    return NO;
  @synchronized(self) {
    if (isLoaded && service == simulated_service()) {
      simulated_finding(kCalls, "a model is loaded twice");
      return YES;
    }
    isLoaded = NO;
    // Its own compilation, one that was kept, or that of a donor.
    if (![self isKept] && ![[NSFileManager defaultManager] fileExistsAtPath:[self netDescription]]) {
      simulated_finding(kCalls, "a model is loaded that was never compiled");
      return simulated_error(error, 0x20004, @"Program load failure (0x20004)");
    }
    if (![self isFolderReady] && ![self isKept]) // one client writes none for what is known, and loads
      return simulated_error(error, 0x20004, @"Program load failure (0x20004)");
    if (simulated_each(sameAndLoaded, self))
      simulated_finding("ane-programming.md 1.5", "two models of one identifier are loaded: they share a folder, which "
                                                  "goes with the first of them");
    if (![self prepareProgram:error] || ![self takePlace:error])
      return NO;
    char reason[512];
    if (!simulated_load(program, reason, sizeof reason)) {
      --loaded;
      loadedBytes -= bytes;
      return simulated_error(error, 0x20004, [NSString stringWithFormat:@"Program load failure (0x20004): %s", reason]);
    }
    isLoaded = YES;
    service = simulated_service();
  }
  return YES;
}

- (BOOL)unload:(unsigned int)qos error:(NSError **)error {
  // Also where it is said to have failed, or raises: what is lost so is the system's.
  BOOL wasLoaded = NO;
  @synchronized(self) {
    wasLoaded = isLoaded;
    if (wasLoaded) {
      isLoaded = NO;
      simulated_unload(program);
      if (service == simulated_service()) {
        notice();
        --loaded;
        loadedBytes -= bytes;
      }
    }
  }
  if (!wasLoaded) {
    simulated_finding(kCalls, "a model is unloaded that is not loaded");
    return simulated_error(error, 1, @"not loaded");
  }
  return !simulated_fails(kSimulatedUnload, error);
}

/// Whether the surfaces would fit if symbols were in the order of the declaration.
- (BOOL)fits:(_ANERequest *)request procedure:(size_t)procedure side:(int)side {
  for (size_t i = 0; i < [request->surfaces[side] count]; ++i) {
    _ANEIOSurfaceObject *object = [request->surfaces[side] objectAtIndex:i];
    if ((long long)IOSurfaceGetAllocSize(object->surface) < simulated_declared_bytes(program, procedure, side, i))
      return NO;
  }
  return YES;
}

- (BOOL)bind:(_ANERequest *)request
    procedure:(size_t *)procedure
       memory:(void *[2][256])memory
        error:(NSError **)error {
  *procedure = [request->procedure unsignedIntegerValue];
  if (*procedure >= simulated_procedures(program)) {
    if (simulated_procedures(program) > 1)
      return simulated_error(error, 2, @"error 0x2: no such procedure");
    simulated_finding("ane-programming.md 1.6", "procedure %zu of a program that has one: the index is ignored",
                      *procedure);
    *procedure = 0;
  }
  for (int side = 0; side < 2; ++side) {
    const size_t count = simulated_ports(program, *procedure, side);
    if (count != [request->surfaces[side] count] || count > 256) {
      simulated_finding("ane-programming.md 2", "a request has %d surfaces for %zu symbols",
                        (int)[request->surfaces[side] count], count);
      return simulated_error(error, 9, kInference);
    }
    // Of one procedure the symbols are numbered from 0, those of others follow (1.6).
    NSUInteger first = 0;
    for (size_t before = 0; before < *procedure; ++before)
      first += simulated_ports(program, before, side);
    for (size_t i = 0; i < count; ++i) {
      const NSUInteger index = [[request->indices[side] objectAtIndex:i] unsignedIntegerValue];
      if (index < first || index >= first + count)
        return simulated_error(error, 2, @"error 0x2: wrong symbol");
      _ANEIOSurfaceObject *object = [request->surfaces[side] objectAtIndex:i];
      const size_t start = [object->offset unsignedIntegerValue];
      const long long room = (long long)(IOSurfaceGetAllocSize(object->surface) - start),
                      needed = simulated_port_bytes(program, *procedure, side, index - first);
      if (room < needed) {
        const char *name = simulated_port(program, *procedure, side, index - first);
        if ([self fits:request procedure:*procedure side:side])
          simulated_finding(
              "C142: ane-programming.md 2.4",
              "surfaces are in the order of the declaration; symbols are in that of their names: %s needs "
              "%lld bytes, its surface has %lld",
              name, needed, room);
        else
          simulated_finding("ane-programming.md 2.3", "symbol %s needs %lld bytes, its surface has %lld", name, needed,
                            room);
        return simulated_error(error, 9, kInference);
      }
      memory[side][index - first] = (char *)simulated_surface_memory(object->surface) + start;
    }
  }
  return YES;
}

- (BOOL)evaluate:(unsigned int)qos options:(NSDictionary *)options request:(id)given error:(NSError **)error {
  [self checkQoS:qos options:options];
  if (simulated_fails(kSimulatedEvaluate, error))
    return NO;
  if (!isLoaded) {
    simulated_finding(kCalls, "a model is evaluated that is not loaded");
    return simulated_error(error, 9, kInference);
  }
  if (service != simulated_service())
    return simulated_error(error, 9, @"the program is not known to the service");
  if (![given isKindOfClass:[_ANERequest class]]) {
    simulated_finding(kCalls, "an evaluation without a request");
    return simulated_error(error, 9, kInference);
  }
  _ANERequest *request = given;
  if (request->perfStats && ![request->perfStats isKindOfClass:[NSArray class]]) {
    simulated_finding("ane-programming.md 1.6", "performance statistics are no array: this raises");
    simulated_raise(NSInvalidArgumentException,
                    [NSString stringWithFormat:@"-[%s count]: unrecognized selector sent to instance %p",
                                               object_getClassName(request->perfStats), request->perfStats]);
  }
  size_t procedure;
  void *memory[2][256];
  if (![self bind:request procedure:&procedure memory:memory error:error])
    return NO;
  for (int side = 0; side < 2; ++side)
    for (_ANEIOSurfaceObject *object in request->surfaces[side])
      if (simulated_surface_locks(object->surface) != 0)
        simulated_finding(kCalls, "a surface is locked by the CPU while the engine uses it");
  char reason[512];
  const BOOL isDone = simulated_run(program, procedure, memory[0], memory[1], reason, sizeof reason);
  if (!isDone)
    simulated_error(error, 9, [NSString stringWithFormat:@"%@: %s", kInference, reason]);
  if (request->completion)
    request->completion(isDone, isDone || !error ? nil : *error);
  return isDone;
}

/// How inputs or outputs lie, in the words that public programs read or print: they size surfaces by the stride of a
/// batch, and place channels by that of a plane.
- (NSArray *)layoutsOf:(size_t)procedure side:(int)side {
  NSMutableArray *made = [NSMutableArray array];
  for (size_t port = 0; port < simulated_ports(program, procedure, side); ++port) {
    const SimulatedLayout layout = simulated_port_layout(program, procedure, side, port);
    const int64_t plane = layout.dims[3] * layout.rowStride, batch = layout.dims[1] * layout.dims[2] * plane;
    NSString *name =
        [NSString stringWithFormat:side ? @"%s@output" : @"%s", simulated_port(program, procedure, side, port)];
    NSMutableDictionary *each = [NSMutableDictionary
        dictionaryWithObjectsAndKeys:name, @"Name", name, @"Symbol", [NSString stringWithUTF8String:layout.type],
                                     @"Type", [NSNumber numberWithLongLong:layout.rowStride], @"RowStride",
                                     [NSNumber numberWithLongLong:plane], @"PlaneStride",
                                     [NSNumber numberWithLongLong:batch], @"DepthStride",
                                     [NSNumber numberWithLongLong:batch], @"BatchStride", nil];
    NSString *const words[] = {@"Batches", @"Channels", @"Depth", @"Height", @"Width"};
    for (int i = 0; i < 5; ++i)
      [each setObject:[NSNumber numberWithLongLong:layout.dims[i]] forKey:words[i]];
    [made addObject:each];
  }
  return made;
}

- (NSDictionary *)modelAttributes {
  if (simulated_fails(kSimulatedAttributes, NULL) || !isLoaded)
    return [NSDictionary dictionary];
  NSMutableArray *networks = [NSMutableArray array], *aligned[2] = {[NSMutableArray array], [NSMutableArray array]};
  NSMutableArray *procedures = [NSMutableArray array], *names[2] = {[NSMutableArray array], [NSMutableArray array]};
  NSMutableDictionary *ids = [NSMutableDictionary dictionary];
  for (size_t p = 0; p < simulated_procedures(program); ++p) {
    NSMutableArray *indices[2] = {[NSMutableArray array], [NSMutableArray array]};
    for (int i = 0; i < 2; ++i)
      for (size_t port = 0; port < simulated_ports(program, p, i); ++port) {
        [indices[i] addObject:[NSNumber numberWithUnsignedInteger:[names[i] count]]];
        [aligned[i] addObject:[NSNumber numberWithInt:0]];
        [names[i] addObject:[NSString stringWithFormat:i ? @"%s@output" : @"%s", simulated_port(program, p, i, port)]];
      }
    NSNumber *number = [NSNumber numberWithUnsignedInteger:p];
    [procedures addObject:[NSDictionary dictionaryWithObjectsAndKeys:indices[0], @"ANEFModelInputSymbolIndexArray",
                                                                     indices[1], @"ANEFModelOutputSymbolIndexArray",
                                                                     number, @"ANEFModelProcedureID", nil]];
    NSString *function = [NSString stringWithUTF8String:simulated_procedure(program, p)];
    [ids setObject:number forKey:function];
    [networks addObject:[NSDictionary dictionaryWithObjectsAndKeys:function, @"Name", [self layoutsOf:p side:0],
                                                                   @"LiveInputList", [self layoutsOf:p side:1],
                                                                   @"LiveOutputList", nil]];
  }
  NSDictionary *description = [NSDictionary
      dictionaryWithObjectsAndKeys:procedures, @"ANEFModelProcedures", names[0], @"kANEFModelInputSymbolsArrayKey",
                                   names[1], @"kANEFModelOutputSymbolsArrayKey", ids,
                                   @"kANEFModelProcedureNameToIDMapKey", aligned[0], @"ANEFModelInput16KAlignmentArray",
                                   aligned[1], @"ANEFModelOutput16KAlignmentArray", nil];
  return [NSDictionary
      dictionaryWithObjectsAndKeys:description, @"ANEFModelDescription", networks, @"NetworkStatusList", nil];
}

- (unsigned long long)state {
  return isLoaded ? 3 : 1;
}
- (BOOL)isMILModel {
  return YES;
}
- (unsigned long long)programHandle {
  return isLoaded ? (unsigned long long)(uintptr_t)program : 0;
}
- (unsigned long long)intermediateBufferHandle {
  return 0;
}
- (char)queueDepth {
  return _queueDepth;
}
- (void)setQueueDepth:(char)depth {
  _queueDepth = depth;
}
- (unsigned int)perfStatsMask {
  return _perfStatsMask;
}
- (void)setPerfStatsMask:(unsigned int)mask {
  _perfStatsMask = mask;
}
- (unsigned long long)string_id {
  return (unsigned long long)[_hexStringIdentifier hash];
}
@end
