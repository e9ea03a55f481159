// A client with classes of its own: models of a folder through _ANEModel and _ANEClient, completion handlers, queues.
#import <Accelerate/Accelerate.h>
#import <Foundation/Foundation.h>
#import <IOSurface/IOSurface.h>
#import <arm_neon.h>
#import <objc/runtime.h>

@interface NSObject (NeuralEngine)
+ (id)sharedConnection;
+ (id)modelAtURL:(NSURL *)url key:(NSString *)key;
+ (id)objectWithIOSurface:(IOSurfaceRef)surface;
+ (id)requestWithInputs:(NSArray *)inputs
           inputIndices:(NSArray *)inputIndices
                outputs:(NSArray *)outputs
          outputIndices:(NSArray *)outputIndices
         procedureIndex:(NSNumber *)procedure;
- (BOOL)compileModel:(id)model options:(NSDictionary *)options qos:(unsigned int)qos error:(NSError **)error;
- (BOOL)loadModel:(id)model options:(NSDictionary *)options qos:(unsigned int)qos error:(NSError **)error;
- (BOOL)mapIOSurfacesWithModel:(id)model request:(id)request cacheInference:(BOOL)caches error:(NSError **)error;
- (void)unmapIOSurfacesWithModel:(id)model request:(id)request;
- (BOOL)evaluateWithModel:(id)model
                  options:(NSDictionary *)options
                  request:(id)request
                      qos:(unsigned int)qos
                    error:(NSError **)error;
- (BOOL)unloadModel:(id)model options:(NSDictionary *)options qos:(unsigned int)qos error:(NSError **)error;
- (id)inputSymbolIndicesForProcedureIndex:(unsigned int)index;
- (void)setCompletionHandler:(void (^)(BOOL, NSError *))handler;
@end

@interface Buffer : NSObject
@property(nonatomic, readonly) IOSurfaceRef surface;
@property(nonatomic, readonly, strong) id object;
@property(nonatomic, weak) Buffer *other;
- (instancetype)initWithBytes:(size_t)bytes;
@end

@implementation Buffer {
  size_t _bytes;
}
- (instancetype)initWithBytes:(size_t)bytes {
  if ((self = [super init])) {
    _bytes = bytes;
    _surface = IOSurfaceCreate((__bridge CFDictionaryRef) @{
      (id)kIOSurfaceWidth : @(bytes),
      (id)kIOSurfaceHeight : @1,
      (id)kIOSurfaceBytesPerElement : @1,
      (id)kIOSurfaceBytesPerRow : @(bytes),
      (id)kIOSurfaceAllocSize : @(bytes),
    });
    _object = [NSClassFromString(@"_ANEIOSurfaceObject") objectWithIOSurface:_surface];
  }
  return self;
}
- (void)dealloc {
  CFRelease(_surface);
}
- (void)fill:(const float *)values count:(int)count {
  IOSurfaceLock(self.surface, 0, NULL);
  _Float16 *to = IOSurfaceGetBaseAddress(self.surface);
  for (int i = 0; i + 7 < count; i += 8) {
    float16x8_t half = vcombine_f16(vcvt_f16_f32(vld1q_f32(values + i)), vcvt_f16_f32(vld1q_f32(values + i + 4)));
    vst1q_f16((__fp16 *)(to + i), half);
  }
  IOSurfaceUnlock(self.surface, 0, NULL);
}
- (float)sum:(int)count {
  NSMutableData *data = [NSMutableData dataWithLength:count * sizeof(float)];
  float *values = data.mutableBytes, sum = 0;
  IOSurfaceLock(self.surface, kIOSurfaceLockReadOnly, NULL);
  const _Float16 *from = IOSurfaceGetBaseAddress(self.surface);
  for (int i = 0; i + 7 < count; i += 8) {
    float16x8_t half = vld1q_f16((const __fp16 *)(from + i));
    vst1q_f32(values + i, vcvt_f32_f16(vget_low_f16(half)));
    vst1q_f32(values + i + 4, vcvt_f32_f16(vget_high_f16(half)));
  }
  IOSurfaceUnlock(self.surface, kIOSurfaceLockReadOnly, NULL);
  vDSP_sve(values, 1, &sum, count);
  return sum;
}
@end

int main(int argc, char **argv) {
  @autoreleasepool {
    NSString *folder = [NSString stringWithUTF8String:argv[1]];
    NSError *error = nil;
    id client = [NSClassFromString(@"_ANEClient") sharedConnection];
    id model = [NSClassFromString(@"_ANEModel") modelAtURL:[NSURL fileURLWithPath:folder] key:@"main"];
    NSDictionary *options = @{};
    printf("compile %d\n", [client compileModel:model options:options qos:21 error:&error]);
    if (![client loadModel:model options:options qos:21 error:&error]) {
      printf("load: %s\n", error.localizedDescription.UTF8String);
      return 1;
    }
    printf("inputs %s\n", [[model inputSymbolIndicesForProcedureIndex:0] description].UTF8String);

    Buffer *left = [[Buffer alloc] initWithBytes:8 * 64 * 2], *right = [[Buffer alloc] initWithBytes:8 * 64 * 2],
           *sum = [[Buffer alloc] initWithBytes:8 * 64 * 2];
    left.other = right;
    float values[512];
    for (int i = 0; i < 512; i++)
      values[i] = 0.25f;
    [left fill:values count:512];
    [left.other fill:values count:512];
    id request = [NSClassFromString(@"_ANERequest") requestWithInputs:@[ left.object, right.object ]
                                                         inputIndices:@[ @0, @1 ]
                                                              outputs:@[ sum.object ]
                                                        outputIndices:@[ @0 ]
                                                       procedureIndex:@0];
    __block int completions = 0;
    [request setCompletionHandler:^(BOOL done, NSError *trouble) {
      completions += done && trouble == nil;
    }];
    printf("map %d\n", [client mapIOSurfacesWithModel:model request:request cacheInference:YES error:&error]);
    dispatch_queue_t queue = dispatch_queue_create("evaluations", DISPATCH_QUEUE_SERIAL);
    dispatch_semaphore_t done = dispatch_semaphore_create(0);
    dispatch_async(queue, ^{
      @autoreleasepool {
        NSError *trouble = nil;
        BOOL evaluated = [client evaluateWithModel:model options:options request:request qos:21 error:&trouble];
        printf("evaluate %d\n", evaluated);
        dispatch_semaphore_signal(done);
      }
    });
    dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER);
    dispatch_sync(queue, ^{
      printf("sum %g\n", [sum sum:512]);
    });
    printf("completions %d\n", completions);
    [request setCompletionHandler:nil];
    [client unmapIOSurfacesWithModel:model request:request];
    printf("unload %d\n", [client unloadModel:model options:options qos:21 error:&error]);
    right = nil;
    printf("other %s\n", left.other ? "is held" : "is gone");
  }
  return 0;
}
