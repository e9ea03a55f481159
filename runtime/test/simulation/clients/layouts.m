// A client that believes the framework: surfaces and places in them are by the model's attributes, weights are only in
// the folder, and what is known is loaded without one.
#import <Foundation/Foundation.h>
#import <IOSurface/IOSurface.h>
#import <dlfcn.h>
#import <objc/message.h>
#import <objc/runtime.h>

enum { kChannels = 4, kWidth = 1 };

static NSData *weights(void) {
  NSMutableData *file = [NSMutableData dataWithLength:128 + kChannels * 2];
  uint8_t *bytes = file.mutableBytes;
  const uint32_t words[] = {0xdeadbeef, 1, kChannels * 2, 0, 128};
  bytes[0] = 1;
  bytes[4] = 2;
  memcpy(bytes + 64, words, sizeof words);
  for (int i = 0; i < kChannels; ++i)
    ((_Float16 *)(bytes + 128))[i] = (_Float16)(10 * (i + 1));
  return file;
}

static IOSurfaceRef surfaceOf(NSDictionary *port) {
  id bytes = port[@"BatchStride"];
  return IOSurfaceCreate((__bridge CFDictionaryRef) @{
    (id)kIOSurfaceWidth : bytes,
    (id)kIOSurfaceHeight : @1,
    (id)kIOSurfaceBytesPerElement : @1,
    (id)kIOSurfaceBytesPerRow : bytes,
    (id)kIOSurfaceAllocSize : bytes,
    (id)kIOSurfacePixelFormat : @0
  });
}

static _Float16 *at(IOSurfaceRef surface, NSDictionary *port, int channel) {
  return (_Float16 *)((char *)IOSurfaceGetBaseAddress(surface) + channel * [port[@"PlaneStride"] longLongValue]);
}

static id wrapped(IOSurfaceRef surface) {
  return ((id(*)(Class, SEL, IOSurfaceRef))objc_msgSend)(NSClassFromString(@"_ANEIOSurfaceObject"),
                                                         @selector(objectWithIOSurface:), surface);
}

int main(void) {
  @autoreleasepool {
    dlopen("/System/Library/PrivateFrameworks/AppleNeuralEngine.framework/AppleNeuralEngine", RTLD_NOW);
    NSData *text =
        [@"program(1.3)\n{\nfunc main<ios18>(tensor<fp16, [1, 4, 1, 1]> x) {\n"
          "tensor<fp16, [1, 4, 1, 1]> w = const()[name = string(\"w\"), val = tensor<fp16, [1, 4, 1, 1]>(BLOBFILE("
          "path = string(\"@model_path/weights/w.bin\"), offset = uint64(64)))];\n"
          "tensor<fp16, [1, 4, 1, 1]> y = add(x = x, y = w)[name = string(\"y\")];\n} -> (y);\n}\n"
            dataUsingEncoding:NSUTF8StringEncoding];
    id descriptor = ((id(*)(Class, SEL, id, id, id))objc_msgSend)(
        NSClassFromString(@"_ANEInMemoryModelDescriptor"), @selector(modelWithMILText:weights:optionsPlist:), text,
        @{@"@model_path/weights/w.bin" : @{@"offset" : @0, @"data" : [NSData data]}}, nil);
    id model = ((id(*)(Class, SEL, id))objc_msgSend)(NSClassFromString(@"_ANEInMemoryModel"),
                                                     @selector(inMemoryModelWithDescriptor:), descriptor);
    NSString *name = [model valueForKey:@"hexStringIdentifier"];
    printf("one name %d\n", [name isEqual:[descriptor valueForKey:@"hexStringIdentifier"]]);
    NSFileManager *files = NSFileManager.defaultManager;
    NSString *folder = [NSTemporaryDirectory() stringByAppendingFormat:@"/own-%d-%@", getpid(), name];
    ((void (*)(id, SEL, id))objc_msgSend)(model, @selector(setModelURL:), [NSURL fileURLWithPath:folder]);
    BOOL isKnown = ((BOOL(*)(id, SEL))objc_msgSend)(model, @selector(compiledModelExists));
    NSError *error = nil;
    if (!isKnown) {
      [files createDirectoryAtPath:[folder stringByAppendingPathComponent:@"weights"]
          withIntermediateDirectories:YES
                           attributes:nil
                                error:nil];
      [text writeToFile:[folder stringByAppendingPathComponent:@"model.mil"] atomically:YES];
      [weights() writeToFile:[folder stringByAppendingPathComponent:@"weights/w.bin"] atomically:YES];
      ((BOOL(*)(id, SEL, unsigned int, id, NSError **))objc_msgSend)(model, @selector(compileWithQoS:options:error:),
                                                                     21, @{}, &error);
    }
    BOOL isLoaded = ((BOOL(*)(id, SEL, unsigned int, id, NSError **))objc_msgSend)(
        model, @selector(loadWithQoS:options:error:), 21, @{}, &error);
    printf("known %d loaded %d %s\n", isKnown, isLoaded, error ? error.localizedDescription.UTF8String : "");
    NSDictionary *network = [[model valueForKey:@"modelAttributes"][@"NetworkStatusList"] firstObject];
    NSDictionary *input = [network[@"LiveInputList"] firstObject], *output = [network[@"LiveOutputList"] firstObject];
    printf("%s: %s %s %s channels %s width %s, rows %s planes %s batches %s\n", [network[@"Name"] UTF8String],
           [input[@"Name"] UTF8String], [output[@"Symbol"] UTF8String], [input[@"Type"] UTF8String],
           [[input[@"Channels"] stringValue] UTF8String], [[input[@"Width"] stringValue] UTF8String],
           [[input[@"RowStride"] stringValue] UTF8String], [[input[@"PlaneStride"] stringValue] UTF8String],
           [[input[@"BatchStride"] stringValue] UTF8String]);
    IOSurfaceRef in = surfaceOf(input), out = surfaceOf(output);
    IOSurfaceLock(in, 0, NULL);
    for (int i = 0; i < kChannels; ++i)
      *at(in, input, i) = (_Float16)i;
    IOSurfaceUnlock(in, 0, NULL);
    id request = ((id(*)(Class, SEL, id, id, id, id, id, id, id))objc_msgSend)(
        NSClassFromString(@"_ANERequest"),
        @selector(requestWithInputs:inputIndices:outputs:outputIndices:weightsBuffer:perfStats:procedureIndex:),
        @[ wrapped(in) ], @[ @0 ], @[ wrapped(out) ], @[ @0 ], nil, nil, @0);
    BOOL isDone = ((BOOL(*)(id, SEL, unsigned int, id, id, NSError **))objc_msgSend)(
        model, @selector(evaluateWithQoS:options:request:error:), 21, @{}, request, &error);
    IOSurfaceLock(out, kIOSurfaceLockReadOnly, NULL);
    printf("evaluated %d:", isDone);
    for (int i = 0; i < kChannels; ++i)
      printf(" %g", (double)*at(out, output, i));
    printf("\n");
    IOSurfaceUnlock(out, kIOSurfaceLockReadOnly, NULL);
    ((BOOL(*)(id, SEL, unsigned int, NSError **))objc_msgSend)(model, @selector(unloadWithQoS:error:), 21, &error);
    CFRelease(in);
    CFRelease(out);
    [files removeItemAtPath:folder error:nil];
  }
  return 0;
}
