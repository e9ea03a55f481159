// What a client must not do, one thing a run: misuse NAME. The framework reports it, and gives the error that was seen.
#import <Foundation/Foundation.h>
#import <IOSurface/IOSurface.h>
#import <objc/message.h>
#import <objc/runtime.h>

static NSString *const kHead =
    @"program(1.3)\n{\nfunc main<ios18>(tensor<fp16, [1, 8, 1, 64]> x, tensor<fp16, [1, 8, 1, 64]> a) {\n";

/// A text of its own for each number.
static NSData *textOf(int number) {
  return [[kHead stringByAppendingFormat:
                     @"tensor<fp16, [1, 8, 1, 64]> y%d = sub(x = x, y = a)[name = string(\"y\")];\n} -> (y%d);\n}\n",
                     number, number] dataUsingEncoding:NSUTF8StringEncoding];
}

static id describe(id text, id weights) {
  return ((id(*)(Class, SEL, id, id, id))objc_msgSend)(NSClassFromString(@"_ANEInMemoryModelDescriptor"),
                                                       @selector(modelWithMILText:weights:optionsPlist:), text, weights,
                                                       nil);
}

static id modelOf(id text, NSDictionary *weights, BOOL isPrepared) {
  id model = ((id(*)(Class, SEL, id))objc_msgSend)(NSClassFromString(@"_ANEInMemoryModel"),
                                                   @selector(inMemoryModelWithDescriptor:), describe(text, weights));
  NSString *folder = [NSTemporaryDirectory() stringByAppendingPathComponent:[model valueForKey:@"hexStringIdentifier"]];
  if (!isPrepared)
    return model;
  [[NSFileManager defaultManager] createDirectoryAtPath:[folder stringByAppendingPathComponent:@"weights"]
                            withIntermediateDirectories:YES
                                             attributes:nil
                                                  error:nil];
  [text writeToFile:[folder stringByAppendingPathComponent:@"model.mil"] atomically:YES];
  for (NSString *path in weights)
    [weights[path][@"data"] writeToFile:[folder stringByAppendingPathComponent:[path substringFromIndex:12]]
                             atomically:YES];
  return model;
}

static BOOL step(id model, NSString *name) {
  NSError *error = nil;
  BOOL done =
      [name isEqual:@"unload"]
          ? ((BOOL(*)(id, SEL, unsigned int, NSError **))objc_msgSend)(model, @selector(unloadWithQoS:error:), 21,
                                                                       &error)
          : ((BOOL(*)(id, SEL, unsigned int, id, NSError **))objc_msgSend)(
                model, NSSelectorFromString([name stringByAppendingString:@"WithQoS:options:error:"]), 21, @{}, &error);
  if (!done)
    printf("%s: %s\n", name.UTF8String, error.localizedDescription.UTF8String);
  return done;
}

static IOSurfaceRef surfaceOf(size_t bytes) {
  return IOSurfaceCreate((CFDictionaryRef) @{
    (id)kIOSurfaceWidth : @(bytes),
    (id)kIOSurfaceHeight : @1,
    (id)kIOSurfaceBytesPerElement : @1,
    (id)kIOSurfaceBytesPerRow : @(bytes),
    (id)kIOSurfaceAllocSize : @(bytes),
    (id)kIOSurfacePixelFormat : @0
  });
}

static id wrapped(IOSurfaceRef surface) {
  return ((id(*)(Class, SEL, IOSurfaceRef))objc_msgSend)(NSClassFromString(@"_ANEIOSurfaceObject"),
                                                         @selector(objectWithIOSurface:), surface);
}

static id requestOf(NSArray *inputs, NSArray *outputs, NSNumber *procedure) {
  return ((id(*)(Class, SEL, id, id, id, id, id, id, id))objc_msgSend)(
      NSClassFromString(@"_ANERequest"),
      @selector(requestWithInputs:inputIndices:outputs:outputIndices:weightsBuffer:perfStats:procedureIndex:), inputs,
      [@[ @0, @1 ] subarrayWithRange:NSMakeRange(0, inputs.count)], outputs, @[ @0 ], nil, nil, procedure);
}

static BOOL evaluate(id model, id request, unsigned int qos) {
  NSError *error = nil;
  BOOL done = ((BOOL(*)(id, SEL, unsigned int, id, id, NSError **))objc_msgSend)(
      model, @selector(evaluateWithQoS:options:request:error:), qos, @{}, request, &error);
  if (!done)
    printf("evaluate: %s\n", error.localizedDescription.UTF8String);
  return done;
}

static id ready(int number) {
  id model = modelOf(textOf(number), @{}, YES);
  if (!step(model, @"compile"))
    return nil;
  step(model, @"load");
  return model;
}

static void run(NSString *name) {
  IOSurfaceRef surfaces[3] = {surfaceOf(1024), surfaceOf([name isEqual:@"small"] ? 512 : 1024), surfaceOf(1024)};
  NSArray *inputs = @[ wrapped(surfaces[0]), wrapped(surfaces[1]) ], *outputs = @[ wrapped(surfaces[2]) ];
  id model = nil;
  if ([name isEqual:@"string"]) {
    describe([[NSString alloc] initWithData:textOf(0) encoding:NSUTF8StringEncoding], @{});
  } else if ([name isEqual:@"nil-weights"]) {
    describe(textOf(0), nil);
  } else if ([name isEqual:@"array-weights"]) {
    describe(textOf(0), @[]);
  } else if ([name isEqual:@"weights-name"]) {
    describe(textOf(0), @{@"weights/w.bin" : @{@"offset" : @0, @"data" : textOf(0)}});
  } else if ([name isEqual:@"surface-class"]) {
    requestOf(@[ @"x", @"a" ], outputs, @0);
  } else if ([name isEqual:@"no-files"]) {
    step(modelOf(textOf(0), @{}, NO), @"compile");
  } else if ([name isEqual:@"no-compile"]) {
    step(modelOf(textOf(0), @{}, YES), @"load");
  } else if ([name isEqual:@"no-load"]) {
    model = modelOf(textOf(0), @{}, YES);
    step(model, @"compile");
    evaluate(model, requestOf(inputs, outputs, @0), 21);
    model = nil;
  } else if ([name isEqual:@"compilations"]) {
    for (int i = 0; i < 120; ++i)
      step(modelOf(textOf(i), @{}, YES), @"compile");
  } else if ([name isEqual:@"programs"]) {
    NSMutableArray *models = [NSMutableArray array];
    for (int i = 0; i < 4; ++i) // of three, as the test says
      [models addObject:ready(i)];
    for (int i = 0; i < 3; ++i)
      step(models[i], @"unload");
  } else if ([name isEqual:@"bytes"]) {
    NSData *large = [NSMutableData dataWithLength:(1 << 20) + 1];
    model = modelOf(textOf(0), @{@"@model_path/weights/w.bin" : @{@"offset" : @0, @"data" : large}}, YES);
    step(model, @"compile");
    if (!step(model, @"load"))
      model = nil;
  } else if ([name isEqual:@"record"]) {
    NSMutableData *file = [NSMutableData dataWithLength:128 + 1024];
    memcpy(file.mutableBytes, "\1\0\0\0\2", 5);
    memcpy((char *)file.mutableBytes + 64, "\xef\xbe\xad\xde\1\0\0\0\0\0\x8", 11); // another's size, no offset
    NSData *text =
        [@"program(1.3)\n{\nfunc main<ios18>(tensor<fp16, [1, 8, 1, 64]> x) {\n"
          "tensor<fp16, [1, 8, 1, 64]> w = const()[name = string(\"w\"), val = tensor<fp16, [1, 8, 1, 64]>(BLOBFILE("
          "path = string(\"@model_path/weights/w.bin\"), offset = uint64(64)))];\n"
          "tensor<fp16, [1, 8, 1, 64]> y = add(x = x, y = w)[name = string(\"y\")];\n} -> (y);\n}\n"
            dataUsingEncoding:NSUTF8StringEncoding];
    step(modelOf(text, @{@"@model_path/weights/w.bin" : @{@"offset" : @0, @"data" : file}}, YES), @"compile");
  } else if ([name isEqual:@"order"]) {
    NSData *text =
        [@"program(1.3)\n{\nfunc main<ios18>(tensor<fp16, [1, 16, 1, 64]> x, tensor<fp16, [1, 8, 1, 64]> a) {\n"
          "tensor<fp16, [1, 16, 1, 64]> y = add(x = x, y = x)[name = string(\"y\")];\n} -> (y);\n}\n"
            dataUsingEncoding:NSUTF8StringEncoding];
    IOSurfaceRef large[2] = {surfaceOf(2048), surfaceOf(2048)};
    model = modelOf(text, @{}, YES);
    step(model, @"compile");
    step(model, @"load");
    evaluate(model, requestOf(@[ wrapped(large[0]), inputs[0] ], @[ wrapped(large[1]) ], @0), 21); // x, a: as declared
    CFRelease(large[0]);
    CFRelease(large[1]);
  } else {
    model = ready(0);
    if ([name isEqual:@"small"])
      evaluate(model, requestOf(inputs, outputs, @0), 21);
    else if ([name isEqual:@"load-twice"])
      step(model, @"load");
    else if ([name isEqual:@"unload-twice"])
      step(model, @"unload");
    else if ([name isEqual:@"qos"])
      evaluate(model, requestOf(inputs, outputs, @0), 64);
    else if ([name isEqual:@"procedure"])
      evaluate(model, requestOf(inputs, outputs, @3), 21);
    else if ([name isEqual:@"one-surface"])
      evaluate(model, requestOf(@[ inputs[0] ], outputs, @0), 21);
    else if ([name isEqual:@"unlock"])
      IOSurfaceUnlock(surfaces[0], 0, NULL);
    else if ([name isEqual:@"other-unlock"]) {
      IOSurfaceLock(surfaces[0], kIOSurfaceLockReadOnly, NULL);
      IOSurfaceUnlock(surfaces[0], 0, NULL);
      IOSurfaceUnlock(surfaces[0], kIOSurfaceLockReadOnly, NULL);
    } else if ([name isEqual:@"touch"])
      *(volatile char *)IOSurfaceGetBaseAddress(surfaces[0]) = 1;
    else if ([name isEqual:@"read-only"]) {
      IOSurfaceLock(surfaces[0], kIOSurfaceLockReadOnly, NULL);
      *(volatile char *)IOSurfaceGetBaseAddress(surfaces[0]) = 1;
      IOSurfaceUnlock(surfaces[0], kIOSurfaceLockReadOnly, NULL);
    } else if ([name isEqual:@"held"]) {
      IOSurfaceLock(surfaces[0], 0, NULL);
      evaluate(model, requestOf(inputs, outputs, @0), 21);
      IOSurfaceUnlock(surfaces[0], 0, NULL);
    } else if ([name isEqual:@"locked-at-end"]) {
      IOSurfaceLock(surfaces[0], 0, NULL);
      CFRetain(surfaces[0]);
    } else if ([name isEqual:@"twins"]) {
      id twin = ready(0);
      step(twin, @"unload");
    } else if ([name isEqual:@"leak"])
      CFRetain((CFTypeRef)model);
    else if ([name isEqual:@"lost"])
      model = nil;
    else if (![name isEqual:@"nothing"])
      printf("unknown\n");
  }
  if (model)
    step(model, @"unload");
  for (int i = 0; i < 3; ++i)
    CFRelease(surfaces[i]);
}

int main(int argc, char **argv) {
  @autoreleasepool {
    run([NSString stringWithUTF8String:argv[1]]);
  }
  return 0;
}
