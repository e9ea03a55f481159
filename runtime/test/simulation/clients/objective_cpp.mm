// A client in Objective-C++: exceptions of both languages through the same frames, NEON's rarer functions, and a
// framework that is imported and not there.
#import <CoreML/CoreML.h>
#import <Foundation/Foundation.h>
#include <arm_neon.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

int left = 0;
struct Guard {
  ~Guard() { ++left; }
};

void fail(int kind) {
  Guard guard;
  if (kind == 0)
    [NSException raise:@"Kind" format:@"number %d", kind];
  if (kind == 1)
    throw std::runtime_error("C++");
  if (kind == 2)
    @throw @"text";
  [NSException raise:NSRangeException format:@"range"];
}

void catchEach() {
  for (int kind = 0; kind < 4; ++kind) {
    try {
      @try {
        std::string held(99, 'a');
        fail(kind);
      } @catch (NSString *text) {
        printf("string %s\n", text.UTF8String);
      } @catch (NSException *exception) {
        printf("exception %s\n", exception.name.UTF8String);
      } @finally {
        printf("finally %d\n", kind);
      }
    } catch (const std::exception &exception) {
      printf("std %s\n", exception.what());
    }
  }
  @try {
    @try {
      fail(0);
    } @catch (NSString *) {
      printf("no\n");
    }
  } @catch (id thrown) {
    printf("outer %s\n", [[thrown reason] UTF8String]);
  }
  try {
    fail(3);
  } catch (...) {
    printf("left %d\n", left);
  }
}

__unused void neon() {
  float16x8_t halves = vfmaq_f16(vdupq_n_f16(2), vdupq_n_f16(2), vdupq_n_f16(7));
  float32x4_t four = vsqrtq_f32(vcvt_f32_f16(vget_high_f16(halves)));
  int8x16_t threes = vdupq_n_s8(3);
  int32x4_t dot = vdotq_s32(vcvtnq_s32_f32(four), threes, threes);
  float32x4_t reciprocal = vrecpeq_f32(four);
  reciprocal = vmulq_f32(reciprocal, vrecpsq_f32(four, reciprocal));
  printf("neon %g %d %.3f %g\n", vaddvq_f32(four), vaddvq_s32(dot), vgetq_lane_f32(reciprocal, 1), (double)halves[3]);
}

} // namespace

int main() {
  @autoreleasepool {
    catchEach();
    neon();
    std::vector<id> held { @1, @2 };
    NSError *error = nil;
    MLModel *model = [MLModel modelWithContentsOfURL:[NSURL fileURLWithPath:@"/m.mlmodelc"] error:&error];
    printf("%d %s: %s\n", [held[1] intValue], model ? "model" : "no model", error.localizedDescription.UTF8String);
  }
  return 0;
}
