// A client of what surrounds the framework on a Mac: Foundation, Dispatch, Mach, Accelerate and the C library.
#include <Accelerate/Accelerate.h>
#include <AvailabilityMacros.h>
#import <Foundation/Foundation.h>
#import <IOSurface/IOSurface.h>
#import <QuartzCore/QuartzCore.h>
#include <mach-o/dyld.h>
#include <mach/mach.h>
#include <malloc/malloc.h>
#import <objc/runtime.h>
#include <os/signpost.h>
#include <sys/sysctl.h>

static int gone;

@interface Held : NSObject
@end
@implementation Held
- (void)dealloc {
  ++gone;
}
@end

API_AVAILABLE(macos(13.0))
@interface Worker : NSObject {
  dispatch_group_t group;
}
@property(nonatomic, strong) dispatch_queue_t queue;
- (int)work;
@end
@implementation Worker
- (int)work {
  __block int done = 0;
  group = dispatch_group_create();
  dispatch_semaphore_t told = dispatch_semaphore_create(0);
  dispatch_group_async(group, self.queue, ^{
    ++done;
  });
  dispatch_group_notify(group, dispatch_get_global_queue(QOS_CLASS_DEFAULT, 0), ^{
    dispatch_semaphore_signal(told);
  });
  dispatch_semaphore_wait(told, DISPATCH_TIME_FOREVER);
  dispatch_after(dispatch_time(DISPATCH_TIME_NOW, NSEC_PER_MSEC), self.queue, ^{
    ++done;
    dispatch_semaphore_signal(told);
  });
  dispatch_semaphore_wait(told, DISPATCH_TIME_FOREVER);
  dispatch_barrier_sync(self.queue, ^{
    ++done;
  });
  dispatch_sync(dispatch_get_main_queue(), ^{
    ++done;
  });
  return done;
}
@end

static void check(const char *what, BOOL isRight) {
  if (!isRight)
    printf("wrong: %s\n", what);
}

static void checkFoundation(void) {
  NSError *error = nil;
  check("boxed YES", [@YES boolValue] && ![@NO boolValue]);
  NSString *path = [NSFileManager.defaultManager.temporaryDirectory.path stringByAppendingPathComponent:@"file"];
  [[@"text" dataUsingEncoding:NSUTF8StringEncoding] writeToFile:path atomically:YES];
  NSData *read = [NSData dataWithContentsOfFile:path options:NSDataReadingMappedIfSafe error:&error];
  check("data", read.length == 4 && !error);
  read = [NSData dataWithContentsOfURL:[NSURL fileURLWithPath:@"/no/file"] options:0 error:&error];
  check("no data", !read && [error.userInfo[NSFilePathErrorKey] isEqual:@"/no/file"]);
  NSProcessInfo *process = NSProcessInfo.processInfo;
  check("process", process.thermalState == NSProcessInfoThermalStateNominal &&
                       process.operatingSystemVersion.majorVersion >= 13 &&
                       [process isOperatingSystemAtLeastVersion:(NSOperatingSystemVersion){13, 9, 9}] &&
                       ![process isOperatingSystemAtLeastVersion:(NSOperatingSystemVersion){99, 0, 0}]);
  check("JSON", [NSJSONSerialization dataWithJSONObject:@{
                  @"a" : @1
                }
                                                options:NSJSONWritingSortedKeys
                                                  error:NULL] != nil);
  NSTask *task = [NSTask new];
  task.executableURL = [NSURL fileURLWithPath:@"/bin/true"];
  check("task", [task launchAndReturnError:&error]);
  [task waitUntilExit];
  task = [NSTask new];
  task.executableURL = [NSURL fileURLWithPath:@"/no/program"];
  check("no task", ![task launchAndReturnError:&error]);
  NSFileHandle *handle = [NSFileHandle fileHandleForReadingAtPath:path];
  check("handle", [handle readDataUpToLength:2 error:&error].length == 2 && [handle closeAndReturnError:&error]);
  check("URL", strcmp([NSURL fileURLWithPath:path].fileSystemRepresentation, path.fileSystemRepresentation) == 0);
  NSBundle *bundle = [NSBundle bundleWithPath:@"/System/Library/PrivateFrameworks/AppleNeuralEngine.framework"];
  check("bundle", [bundle load] && [bundle classNamed:@"_ANEClient"] && ![NSBundle bundleWithPath:@"/no/bundle"]);
  dispatch_semaphore_t told = dispatch_semaphore_create(0);
  @autoreleasepool {
    [[[NSThread alloc] initWithBlock:^{
      dispatch_semaphore_signal(told);
    }] start];
    [NSThread detachNewThreadWithBlock:^{
      dispatch_semaphore_signal(told);
    }];
  }
  for (int i = 0; i < 2; ++i)
    dispatch_semaphore_wait(told, DISPATCH_TIME_FOREVER);
  const UInt8 bytes[] = {1};
  check("types", bytes[0] == 1 && MACH_PORT_NULL == 0 && noErr == 0);
  static char key, other;
  @autoreleasepool {
    NSObject *object = [NSObject new];
    objc_setAssociatedObject(object, &key, [Held new], OBJC_ASSOCIATION_RETAIN_NONATOMIC);
    objc_setAssociatedObject(object, &other, [Held new], OBJC_ASSOCIATION_RETAIN);
    check("associated", [objc_getAssociatedObject(object, &other) isKindOfClass:[Held class]]);
    objc_setAssociatedObject(object, &key, nil, OBJC_ASSOCIATION_RETAIN_NONATOMIC);
    check("one is gone", gone == 1);
  }
  check("both are gone", gone == 2);
  @autoreleasepool {
    Worker *worker = [Worker new];
    worker.queue = dispatch_queue_create("worker", DISPATCH_QUEUE_SERIAL);
    check("queues", [worker work] == 4);
  }
  IOSurface *surface = [[IOSurface alloc] initWithProperties:@{
    IOSurfacePropertyKeyWidth : @64,
    IOSurfacePropertyKeyHeight : @2,
    IOSurfacePropertyKeyBytesPerElement : @2
  }];
  check("surface", surface.bytesPerRow == 128 && surface.allocationSize == 256);
}

static void checkSystem(void) {
  char text[1024];
  uint32_t room = sizeof text;
  size_t size = 0;
  int64_t memory = 0;
  int cores = 0;
  check("path", _NSGetExecutablePath(text, &room) == 0 && strstr(text, getprogname()));
  check("size alone", sysctlbyname("hw.model", NULL, &size, NULL, 0) == 0 && size > 1);
  size = sizeof memory;
  check("memory", sysctlbyname("hw.memsize", &memory, &size, NULL, 0) == 0 && size == 8 && memory == 16ll << 30);
  size = sizeof cores;
  check("cores", sysctlbyname("hw.perflevel0.physicalcpu", &cores, &size, NULL, 0) == 0 && size == 4 && cores == 4);
  size = 1;
  check("no room", sysctlbyname("hw.ncpu", &cores, &size, NULL, 0) != 0);
  mach_task_basic_info_data_t basic;
  mach_msg_type_number_t count = MACH_TASK_BASIC_INFO_COUNT;
  check("task", task_info(mach_task_self(), MACH_TASK_BASIC_INFO, (task_info_t)&basic, &count) == KERN_SUCCESS &&
                    basic.resident_size > 0);
  task_vm_info_data_t footprint;
  count = TASK_VM_INFO_COUNT;
  check("footprint", task_info(mach_task_self(), TASK_VM_INFO, (task_info_t)&footprint, &count) == KERN_SUCCESS &&
                         footprint.phys_footprint > 0);
  check("clocks", clock_gettime_nsec_np(CLOCK_UPTIME_RAW) > 0 && CACurrentMediaTime() > 0);
  check("thread",
        pthread_setname_np("client") == 0 && pthread_set_qos_class_self_np(QOS_CLASS_USER_INTERACTIVE, 0) == 0);
  const uint32_t pattern = 0x01020304;
  memset_pattern4(text, &pattern, 10);
  check("pattern", memcmp(text + 4, &pattern, 4) == 0 && text[8] == text[0]);
  void *block = malloc(10);
  check("malloc", malloc_size(block) >= 10);
  free(block);
  os_log_t log = os_log_create("client", "points");
  os_signpost_id_t point = os_signpost_id_generate(log);
  os_signpost_interval_begin(log, point, "work");
  os_signpost_interval_end(log, point, "work");
}

static void checkAccelerate(void) {
  float a[4] = {1, 2, 3, 4}, b[4] = {4, 3, 2, 1}, c[4], d[4], sum;
  const float two = 2;
  const int count = 4;
  uint16_t halves[4];
  vImage_Buffer wide = {a, 1, 4, sizeof a}, narrow = {halves, 1, 4, sizeof halves}, back = {c, 1, 4, sizeof c};
  vImageConvert_PlanarFtoPlanar16F(&wide, &narrow, kvImageNoFlags);
  vImageConvert_Planar16FtoPlanarF(&narrow, &back, kvImageNoFlags);
  check("halves", halves[0] == 0x3c00 && c[3] == 4);
  vDSP_vsmsa(a, 1, &two, &two, c, 1, 4);
  vDSP_vam(a, 1, b, 1, c, 1, d, 1, 4);
  check("vDSP", c[3] == 10 && d[3] == 50);
  vDSP_vasm(a, 1, b, 1, &two, d, 1, 4);
  vDSP_distancesq(a, 1, b, 1, &sum, 4);
  check("more vDSP", d[0] == 10 && sum == 20);
  vDSP_vramp(&two, &two, c, 1, 4);
  vDSP_vswap(a, 1, c, 1, 4);
  vDSP_svemg(a, 1, &sum, 4);
  check("most vDSP", a[3] == 8 && c[3] == 4 && sum == 20);
  vvdivf(d, a, b, &count);
  vvlog1pf(c, b, &count);
  vvsincosf(a, b, b, &count);
  check("vForce", d[3] == 8 && c[3] == log1pf(1) && a[3] == sinf(1) && b[3] == cosf(1));
}

int main(void) {
  @autoreleasepool {
    checkFoundation();
    checkSystem();
    checkAccelerate();
    if (@available(macOS 13.0, *))
      printf("done\n");
  }
  return 0;
}
