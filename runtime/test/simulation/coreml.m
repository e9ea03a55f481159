// What Core ML's classes say where there is none.
#import "runtime/test/simulation/include/CoreML/CoreML.h"
#import "runtime/test/simulation/object.h"

@implementation MLModelConfiguration
@synthesize computeUnits;
@end

@implementation MLModel
+ (NSURL *)compileModelAtURL:(NSURL *)url error:(NSError **)error {
  simulated_error(error, 0, @"Core ML is not simulated");
  return nil;
}
+ (instancetype)modelWithContentsOfURL:(NSURL *)url error:(NSError **)error {
  simulated_error(error, 0, @"Core ML is not simulated");
  return nil;
}
+ (instancetype)modelWithContentsOfURL:(NSURL *)url
                         configuration:(MLModelConfiguration *)configuration
                                 error:(NSError **)error {
  return [self modelWithContentsOfURL:url error:error];
}
- (id<MLFeatureProvider>)predictionFromFeatures:(id<MLFeatureProvider>)features error:(NSError **)error {
  simulated_error(error, 0, @"Core ML is not simulated");
  return nil;
}
@end
