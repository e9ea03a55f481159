// Models: what is compiled, loaded and evaluated, be it of memory or of a folder.
#ifndef ANE_RUNTIME_TEST_SIMULATION_MODEL_H
#define ANE_RUNTIME_TEST_SIMULATION_MODEL_H

#import "runtime/test/simulation/engine.h"
#import "runtime/test/simulation/request.h"

/// A program with a text and weight files, in a folder.
@interface SimulatedModel : SimulatedObject {
@public
  NSData *text;
  NSDictionary *files;                            ///< by the names of the text: NSData
  NSString *_hexStringIdentifier, *ownIdentifier; ///< the first may be set by KVC (1.5)
  id _sharedConnection, _program;
  SimulatedProgram *program;
  BOOL isLoaded;
  int service;     ///< in which it was loaded
  long long bytes; ///< of its files, while it is loaded
  unsigned int _perfStatsMask;
  char _queueDepth;
}
/// Where its files are.
- (NSString *)folder;
- (BOOL)isFolderReady;
- (void)identify;
- (NSString *)hexStringIdentifier;
- (NSDictionary *)modelAttributes;
- (unsigned long long)state;
- (unsigned long long)string_id;
- (BOOL)compiledModelExists;
- (void)purgeCompiledModel;
- (BOOL)compile:(unsigned int)qos options:(NSDictionary *)options error:(NSError **)error;
- (BOOL)load:(unsigned int)qos options:(NSDictionary *)options error:(NSError **)error;
- (BOOL)evaluate:(unsigned int)qos options:(NSDictionary *)options request:(id)request error:(NSError **)error;
- (BOOL)unload:(unsigned int)qos error:(NSError **)error;
/// Whether the surfaces of a request fit: memory[0] of inputs, memory[1] of outputs, in the order of symbols.
- (BOOL)bind:(_ANERequest *)request procedure:(size_t *)procedure memory:(void *[2][256])memory error:(NSError **)error;
@end

/// What a client calls a model: one of memory, one of a folder, or the shell of one of memory. Nil with a finding.
SimulatedModel *simulated_model(id given);

#endif
