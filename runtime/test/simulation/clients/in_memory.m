// A client as public programs are: classes by name, objc_msgSend by cast, ARC, models in memory. It goes through every
// path of ane-programming.md 1.2 to 1.7 and prints what it gets.
#import <Foundation/Foundation.h>
#import <IOSurface/IOSurface.h>
#import <dlfcn.h>
#import <mach/mach_time.h>
#import <objc/message.h>
#import <objc/runtime.h>

static Class descriptorClass, modelClass, requestClass, surfaceClass;

typedef struct {
  id model;
  id request;
  NSString *folder;
  IOSurfaceRef input, output;
} Kernel;

static const int kChannels = 64, kColumns = 32;

static NSString *textOf(void) {
  return [NSString
      stringWithFormat:
          @"program(1.0)\n[buildInfo = dict<tensor<string, []>, tensor<string, []>>({{\"coremlc-version\", "
          @"\"3505.4.1\"}})]\n{\n"
           "    func main<ios16>(tensor<fp16, [1, %d, 1, %d]> x) {\n"
           "        tensor<string, []> pt = const()[name=tensor<string, []>(\"pt\"), val=tensor<string, "
           "[]>(\"valid\")];\n"
           "        tensor<int32, [2]> st = const()[name=tensor<string, []>(\"st\"), val=tensor<int32, [2]>([1,1])];\n"
           "        tensor<int32, [4]> pd = const()[name=tensor<string, []>(\"pd\"), val=tensor<int32, "
           "[4]>([0,0,0,0])];\n"
           "        tensor<int32, [2]> dl = const()[name=tensor<string, []>(\"dl\"), val=tensor<int32, [2]>([1,1])];\n"
           "        tensor<int32, []> gr = const()[name=tensor<string, []>(\"gr\"), val=tensor<int32, []>(1)];\n"
           "        tensor<fp16, [%d,%d,1,1]> W = const()[name=tensor<string, []>(\"W\"), val=tensor<fp16, [%d,%d,1,1]>"
           "(BLOBFILE(path=tensor<string, []>(\"@model_path/weights/weight.bin\"), offset=tensor<uint64, []>(64)))];\n"
           "        tensor<fp16, [1,%d,1,%d]> y = "
           "conv(dilations=dl,groups=gr,pad=pd,pad_type=pt,strides=st,weight=W,x=x)"
           "[name=tensor<string, []>(\"conv\")];\n"
           "    } -> (y);\n}\n",
          kChannels, kColumns, kChannels, kChannels, kChannels, kChannels, kChannels, kColumns];
}

/// A diagonal.
static NSData *weightsOf(float value) {
  const size_t bytes = kChannels * kChannels * 2;
  uint8_t *blob = calloc(128 + bytes, 1);
  blob[0] = 1;
  blob[4] = 2;
  *(uint32_t *)(blob + 64) = 0xDEADBEEF;
  blob[68] = 1;
  *(uint32_t *)(blob + 72) = (uint32_t)bytes;
  *(uint32_t *)(blob + 80) = 128;
  for (int i = 0; i < kChannels; i++)
    ((_Float16 *)(blob + 128))[i * kChannels + i] = (_Float16)value;
  return [NSData dataWithBytesNoCopy:blob length:128 + bytes freeWhenDone:YES];
}

static IOSurfaceRef surfaceOf(size_t bytes) {
  return IOSurfaceCreate((__bridge CFDictionaryRef) @{
    (id)kIOSurfaceWidth : @(bytes),
    (id)kIOSurfaceHeight : @1,
    (id)kIOSurfaceBytesPerElement : @1,
    (id)kIOSurfaceBytesPerRow : @(bytes),
    (id)kIOSurfaceAllocSize : @(bytes),
    (id)kIOSurfacePixelFormat : @0
  });
}

static id modelOf(NSData *text, NSDictionary *weights) {
  id descriptor = ((id(*)(Class, SEL, id, id, id))objc_msgSend)(
      descriptorClass, @selector(modelWithMILText:weights:optionsPlist:), text, weights, nil);
  return ((id(*)(Class, SEL, id))objc_msgSend)(modelClass, @selector(inMemoryModelWithDescriptor:), descriptor);
}

static NSString *prepare(id model, NSData *text, NSDictionary *weights) {
  NSFileManager *files = [NSFileManager defaultManager];
  NSString *name = ((id(*)(id, SEL))objc_msgSend)(model, @selector(hexStringIdentifier));
  NSString *folder = [NSTemporaryDirectory() stringByAppendingPathComponent:name];
  [files createDirectoryAtPath:[folder stringByAppendingPathComponent:@"weights"]
      withIntermediateDirectories:YES
                       attributes:nil
                            error:nil];
  [text writeToFile:[folder stringByAppendingPathComponent:@"model.mil"] atomically:YES];
  for (NSString *path in weights) {
    NSString *relative = [path stringByReplacingOccurrencesOfString:@"@model_path/" withString:@""];
    [weights[path][@"data"] writeToFile:[folder stringByAppendingPathComponent:relative] atomically:YES];
  }
  return folder;
}

static BOOL call(id model, SEL selector) {
  NSError *error = nil;
  BOOL done = ((BOOL(*)(id, SEL, unsigned int, id, NSError **))objc_msgSend)(model, selector, 21, @{}, &error);
  if (!done)
    printf("%s: %s\n", sel_getName(selector), [[error localizedDescription] UTF8String]);
  return done;
}

static id requestOf(Kernel *kernel, id weights, id stats, NSNumber *procedure) {
  id input =
      ((id(*)(Class, SEL, IOSurfaceRef))objc_msgSend)(surfaceClass, @selector(objectWithIOSurface:), kernel->input);
  id output =
      ((id(*)(Class, SEL, IOSurfaceRef))objc_msgSend)(surfaceClass, @selector(objectWithIOSurface:), kernel->output);
  return ((id(*)(Class, SEL, id, id, id, id, id, id, id))objc_msgSend)(
      requestClass,
      @selector(requestWithInputs:inputIndices:outputs:outputIndices:weightsBuffer:perfStats:procedureIndex:),
      @[ input ], @[ @0 ], @[ output ], @[ @0 ], weights, stats, procedure);
}

static BOOL evaluate(Kernel *kernel, id request) {
  NSError *error = nil;
  BOOL done = ((BOOL(*)(id, SEL, unsigned int, id, id, NSError **))objc_msgSend)(
      kernel->model, @selector(evaluateWithQoS:options:request:error:), 21, @{}, request, &error);
  if (!done)
    printf("evaluate: %s\n", [[error localizedDescription] UTF8String]);
  return done;
}

/// The first value, which is cleared before the next.
static float take(Kernel *kernel) {
  IOSurfaceLock(kernel->output, 0, NULL);
  _Float16 *values = IOSurfaceGetBaseAddress(kernel->output);
  const float value = (float)values[0];
  values[0] = 0;
  IOSurfaceUnlock(kernel->output, 0, NULL);
  return value;
}

int main(void) {
  @autoreleasepool {
    setbuf(stdout, NULL);
    mach_timebase_info_data_t base;
    mach_timebase_info(&base);
    const uint64_t start = mach_absolute_time();
    if (!dlopen("/System/Library/PrivateFrameworks/AppleNeuralEngine.framework/AppleNeuralEngine", RTLD_NOW)) {
      printf("no framework: %s\n", dlerror());
      return 1;
    }
    descriptorClass = NSClassFromString(@"_ANEInMemoryModelDescriptor");
    modelClass = NSClassFromString(@"_ANEInMemoryModel");
    requestClass = NSClassFromString(@"_ANERequest");
    surfaceClass = NSClassFromString(@"_ANEIOSurfaceObject");

    // What there is.
    unsigned int count, ours = 0;
    Class *all = objc_copyClassList(&count);
    for (unsigned int i = 0; i < count; i++)
      ours += strncmp(class_getName(all[i]), "_ANE", 4) == 0;
    free(all);
    unsigned int methods;
    free(class_copyMethodList(object_getClass(requestClass), &methods));
    printf("%s classes, %u ways to make a request\n", ours > 20 ? "many" : "few", methods);

    NSData *text = [textOf() dataUsingEncoding:NSUTF8StringEncoding];
    NSDictionary *weights = @{@"@model_path/weights/weight.bin" : @{@"offset" : @0, @"data" : weightsOf(2)}};
    Kernel *kernel = &(Kernel){.model = modelOf(text, weights)};
    kernel->folder = prepare(kernel->model, text, weights);
    printf("known before: %d\n", ((BOOL(*)(id, SEL))objc_msgSend)(kernel->model, @selector(compiledModelExists)));
    printf("compile %d\n", call(kernel->model, @selector(compileWithQoS:options:error:)));
    printf("load %d\n", call(kernel->model, @selector(loadWithQoS:options:error:)));
    printf("state %d\n", [[kernel->model valueForKey:@"state"] intValue]);

    const size_t bytes = kChannels * kColumns * 2;
    kernel->input = surfaceOf(bytes);
    kernel->output = surfaceOf(bytes);
    IOSurfaceLock(kernel->input, 0, NULL);
    _Float16 *values = IOSurfaceGetBaseAddress(kernel->input);
    for (size_t i = 0; i < bytes / 2; i++)
      values[i] = (_Float16)1.5f;
    IOSurfaceUnlock(kernel->input, 0, NULL);

    kernel->request = requestOf(kernel, nil, nil, @0);
    printf("evaluate %d: %g\n", evaluate(kernel, kernel->request), take(kernel));

    // Names, by which surfaces can be bound.
    NSDictionary *description = ((NSDictionary * (*)(id, SEL))
                                     objc_msgSend)(kernel->model, @selector(modelAttributes))[@"ANEFModelDescription"];
    printf("symbols %s -> %s\n", [description[@"kANEFModelInputSymbolsArrayKey"][0] UTF8String],
           [description[@"kANEFModelOutputSymbolsArrayKey"][0] UTF8String]);

    // A buffer of weights is taken and changes nothing.
    IOSurfaceRef other = surfaceOf(kChannels * kChannels * 2);
    id buffer = ((id(*)(Class, SEL, IOSurfaceRef))objc_msgSend)(surfaceClass, @selector(objectWithIOSurface:), other);
    printf("weights buffer %d: %g\n", evaluate(kernel, requestOf(kernel, buffer, nil, @0)), take(kernel));
    CFRelease(other);

    // Statistics: no object by init, one by a number, which stays what it is.
    Class statsClass = NSClassFromString(@"_ANEPerformanceStats");
    printf("stats by init: %s\n", [[statsClass alloc] init] ? "an object" : "nil");
    id stats = ((id(*)(Class, SEL, uint64_t))objc_msgSend)(statsClass, @selector(statsWithHardwareExecutionNS:), 0ull);
    printf("stats in an array %d: %g, %s ns\n", evaluate(kernel, requestOf(kernel, nil, @[ stats ], @0)), take(kernel),
           [[[stats valueForKey:@"hwExecutionTime"] description] UTF8String]);
    @try {
      evaluate(kernel, requestOf(kernel, nil, stats, @0));
      printf("stats alone: taken\n");
    } @catch (NSException *exception) {
      printf("stats alone: %s\n", [[exception name] UTF8String]);
    }

    // Other ways to the same values.
    NSError *error = nil;
    Class clientClass = NSClassFromString(@"_ANEClient");
    id shared = [clientClass performSelector:@selector(sharedConnection)];
    id own =
        ((id(*)(id, SEL, BOOL))objc_msgSend)([clientClass alloc], @selector(initWithRestrictedAccessAllowed:), YES);
    BOOL direct = ((BOOL(*)(id, SEL, id, id, id, unsigned int, NSError **))objc_msgSend)(
        own, @selector(doEvaluateDirectWithModel:options:request:qos:error:), kernel->model, @{}, kernel->request, 21,
        &error);
    printf("direct %d: %g\n", direct, take(kernel));
    printf("real-time task: %d\n", ((BOOL(*)(id, SEL))objc_msgSend)(shared, @selector(beginRealTimeTask)));
    BOOL now = ((BOOL(*)(id, SEL, id, id, id, NSError **))objc_msgSend)(
        shared, @selector(evaluateRealTimeWithModel:options:request:error:), kernel->model, @{}, kernel->request,
        &error);
    printf("real-time %d: %g\n", now, take(kernel));
    id program = [kernel->model valueForKey:@"program"];
    SEL process = @selector(processRequest:model:qos:qIndex:modelStringID:options:returnValue:error:);
    BOOL returned = NO;
    BOOL low = ((BOOL(*)(id, SEL, id, id, unsigned int, int, id, id, BOOL *, NSError **))objc_msgSend)(
        program, process, kernel->request, [kernel->model valueForKey:@"model"], 21, 0,
        [kernel->model valueForKey:@"hexStringIdentifier"], @{}, &returned, &error);
    printf("low level %d %d: %g\n", low, returned, take(kernel));
    Ivar connection = class_getInstanceVariable(object_getClass(kernel->model), "_sharedConnection");
    printf("its connection is the shared one: %d\n", connection && object_getIvar(kernel->model, connection) == shared);

    // A chain can be made, and is refused.
    id input =
        ((id(*)(Class, SEL, IOSurfaceRef))objc_msgSend)(surfaceClass, @selector(objectWithIOSurface:), kernel->input);
    id output =
        ((id(*)(Class, SEL, IOSurfaceRef))objc_msgSend)(surfaceClass, @selector(objectWithIOSurface:), kernel->output);
    SEL bufferOf = @selector(bufferWithIOSurfaceObject:symbolIndex:source:);
    Class bufferClass = NSClassFromString(@"_ANEBuffer");
    id from = ((id(*)(Class, SEL, id, id, long long))objc_msgSend)(bufferClass, bufferOf, input, @0, 0);
    id to = ((id(*)(Class, SEL, id, id, long long))objc_msgSend)(bufferClass, bufferOf, output, @0, 1);
    IOSurfaceRef counts = surfaceOf(64);
    id set = ((id(*)(Class, SEL, IOSurfaceRef, id))objc_msgSend)(
        NSClassFromString(@"_ANEIOSurfaceOutputSets"), @selector(objectWithstatsSurRef:outputBuffer:), counts, @[ to ]);
    id chain = ((id(*)(Class, SEL, id, id, id, id, id, id, id, id, id))objc_msgSend)(
        NSClassFromString(@"_ANEChainingRequest"),
        @selector(chainingRequestWithInputs:
                                 outputSets:lbInputSymbolId:lbOutputSymbolId:procedureIndex:signalEvents
                                           :transactionHandle:fwEnqueueDelay:memoryPoolId:),
        @[ from ], @[ set ], @[ @0 ], @[ @0 ], @0, @[], @0, @0, @0);
    printf("chain is valid: %d\n", ((BOOL(*)(id, SEL))objc_msgSend)(chain, @selector(validate)));
    BOOL chained = ((BOOL(*)(id, SEL, id, id, id, unsigned int, NSError **))objc_msgSend)(
        shared, @selector(prepareChainingWithModel:options:chainingReq:qos:error:), kernel->model, @{}, chain, 21,
        &error);
    printf("chain %d: code %ld\n", chained, (long)[error code]);
    CFRelease(counts);

    // Files that change after the compilation change nothing, or something, as the machine is.
    [weightsOf(5) writeToFile:[kernel->folder stringByAppendingPathComponent:@"weights/weight.bin"] atomically:YES];
    ((BOOL(*)(id, SEL, unsigned int, NSError **))objc_msgSend)(kernel->model, @selector(unloadWithQoS:error:), 21,
                                                               &error);
    printf("reload %d\n", call(kernel->model, @selector(loadWithQoS:options:error:)));
    printf("patched %d: %g\n", evaluate(kernel, kernel->request), take(kernel));

    // A donor: new weights, the compiled description of the other.
    NSDictionary *fresh = @{@"@model_path/weights/weight.bin" : @{@"offset" : @0, @"data" : weightsOf(7)}};
    Kernel *donated = &(Kernel){.model = modelOf(text, fresh), .input = kernel->input, .output = kernel->output};
    donated->folder = prepare(donated->model, text, fresh);
    [[NSFileManager defaultManager] copyItemAtPath:[kernel->folder stringByAppendingPathComponent:@"net.plist"]
                                            toPath:[donated->folder stringByAppendingPathComponent:@"net.plist"]
                                             error:nil];
    printf("donor %d\n", call(donated->model, @selector(loadWithQoS:options:error:)));
    printf("donated %d: %g\n", evaluate(donated, kernel->request), take(kernel));

    // The identifier of another model, with weights that are nothing like its.
    NSDictionary *dummy = @{@"@model_path/weights/weight.bin" : @{@"offset" : @0, @"data" : weightsOf(0)}};
    Kernel *forged = &(Kernel){.model = modelOf(text, dummy), .input = kernel->input, .output = kernel->output};
    ((BOOL(*)(id, SEL, unsigned int, NSError **))objc_msgSend)(kernel->model, @selector(unloadWithQoS:error:), 21,
                                                               &error);
    [forged->model setValue:[kernel->model valueForKey:@"hexStringIdentifier"] forKey:@"hexStringIdentifier"];
    printf("forged %d\n", call(forged->model, @selector(loadWithQoS:options:error:)));
    printf("forged %d: %g\n", evaluate(forged, kernel->request), take(kernel));

    for (id each in @[ donated->model, forged->model ])
      ((BOOL(*)(id, SEL, unsigned int, NSError **))objc_msgSend)(each, @selector(unloadWithQoS:error:), 21, &error);
    kernel->request = nil;
    CFRelease(kernel->input);
    CFRelease(kernel->output);
    kernel->model = donated->model = forged->model = nil;
    printf("%s\n", mach_absolute_time() > start ? "time goes on" : "no time");
  }
  return 0;
}
