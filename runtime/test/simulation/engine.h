//===- engine.h - The emulator, for the simulated framework -----*- C++ -*-===//
//
// The framework is Objective-C, the emulator C++; this is C, between them.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_TEST_SIMULATION_ENGINE_H
#define ANE_RUNTIME_TEST_SIMULATION_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A program of the emulator, compiled.
typedef struct SimulatedProgram SimulatedProgram;

typedef struct {
  const char *name; ///< as the text has it
  const void *bytes;
  size_t size;
} SimulatedFile;

/// Null with an error of at most `room` bytes. The files are copied.
SimulatedProgram *simulated_compile(const char *text, size_t length, const SimulatedFile *files, size_t count,
                                    char *error, size_t room);
/// Reads weights and gets memory.
int simulated_load(SimulatedProgram *program, char *error, size_t room);
void simulated_unload(SimulatedProgram *program);
void simulated_destroy(SimulatedProgram *program);

size_t simulated_procedures(const SimulatedProgram *program);
const char *simulated_procedure(const SimulatedProgram *program, size_t procedure);
/// Inputs or outputs in the order of their symbols, which is that of their names.
size_t simulated_ports(const SimulatedProgram *program, size_t procedure, int isOutput);
const char *simulated_port(const SimulatedProgram *program, size_t procedure, int isOutput, size_t port);
int64_t simulated_port_bytes(const SimulatedProgram *program, size_t procedure, int isOutput, size_t port);
/// How a port lies in its surface: batches, channels, depth, height and width. Shapes of less than four dimensions have
/// ones in front, for all that is known.
typedef struct {
  const char *type;
  int64_t dims[5], rowStride;
} SimulatedLayout;
SimulatedLayout simulated_port_layout(const SimulatedProgram *program, size_t procedure, int isOutput, size_t port);
/// Bytes of what the text declares at a place.
int64_t simulated_declared_bytes(const SimulatedProgram *program, size_t procedure, int isOutput, size_t place);

/// Evaluates it on memory in the order of symbols.
int simulated_run(SimulatedProgram *program, size_t procedure, void *const *inputs, void *const *outputs, char *error,
                  size_t room);

/// A name for what is given, as long as it stays the same: three hashes.
void simulated_identifier(const char *text, size_t length, const SimulatedFile *files, size_t count, char name[99]);

#ifdef __cplusplus
}
#endif
#endif // ANE_RUNTIME_TEST_SIMULATION_ENGINE_H
