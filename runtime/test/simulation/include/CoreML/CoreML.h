// Core ML is not simulated: programs that import it are compiled, and are told so when they open a model.
#ifndef SIMULATED_COREML_H
#define SIMULATED_COREML_H

#import <Foundation/Foundation.h>

typedef NS_ENUM(NSInteger, MLComputeUnits) {
  MLComputeUnitsCPUOnly = 0,
  MLComputeUnitsCPUAndGPU = 1,
  MLComputeUnitsAll = 2,
  MLComputeUnitsCPUAndNeuralEngine = 3
};

@protocol MLFeatureProvider <NSObject>
@property(readonly, nonatomic) NSSet *featureNames;
- (id)featureValueForName:(NSString *)name;
@end

@interface MLModelConfiguration : NSObject {
  MLComputeUnits computeUnits;
}
@property(nonatomic) MLComputeUnits computeUnits;
@end

@interface MLModel : NSObject
+ (NSURL *)compileModelAtURL:(NSURL *)url error:(NSError **)error;
+ (instancetype)modelWithContentsOfURL:(NSURL *)url error:(NSError **)error;
+ (instancetype)modelWithContentsOfURL:(NSURL *)url
                         configuration:(MLModelConfiguration *)configuration
                                 error:(NSError **)error;
- (id<MLFeatureProvider>)predictionFromFeatures:(id<MLFeatureProvider>)features error:(NSError **)error;
@end

#endif // SIMULATED_COREML_H
