//===- engine.cpp - The emulator, for the simulated framework -------------===//
#include "runtime/test/simulation/engine.h"

#include "runtime/device/emulator/emulator_device.h"
#include "runtime/format/mil/parser.h"
#include "runtime/support/hash.h"
#include "runtime/test/simulation/control.h"

#include <array>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <tuple>

using namespace ane::rt;

namespace {

/// Memory of a surface, while it is locked for the engine.
class Shown final : public Surface {
public:
  Shown(void *memory, int64_t size) : memory(static_cast<uint8_t *>(memory)), size(size) {}
  int64_t bytes() const override { return size; }

protected:
  absl::StatusOr<uint8_t *> lock(Access) override { return memory; }
  void unlock(Access) noexcept override {}

private:
  uint8_t *memory;
  int64_t size;
};

std::vector<SurfaceDesc> describe(const std::map<std::string, mil::Type> &ports) { // in the order of names
  std::vector<SurfaceDesc> result;
  for (const auto &[name, type] : ports)
    result.push_back(makeSurfaceDesc(name, type.dtype, type.dims));
  return result;
}

/// In the order of the text.
std::vector<std::string> declared(const mil::Function &function, bool isOutput) {
  if (isOutput)
    return function.outputs;
  std::vector<std::string> names;
  for (const mil::Variable &parameter : function.params)
    names.push_back(parameter.name);
  return names;
}

ProcedureDesc describe(const mil::Function &function) {
  std::map<std::string, mil::Type> inputs, outputs, all;
  for (const mil::Variable &parameter : function.params)
    inputs[parameter.name] = all[parameter.name] = parameter.type;
  for (const mil::Statement &statement : function.statements)
    for (const mil::Variable &result : statement.results)
      all[result.name] = result.type;
  for (const std::string &output : function.outputs)
    outputs[output] = all[output];
  return {function.name, describe(inputs), describe(outputs)};
}

int fail(const absl::Status &status, char *error, size_t room) {
  if (status.ok())
    return 1;
  std::snprintf(error, room, "%s", std::string(status.message()).c_str());
  return 0;
}

/// The first that a program has more of than the machine takes; empty: none.
std::string beyondLimits(const std::string &text, size_t files) {
  size_t constants = 0;
  for (size_t at = 0; (at = text.find("BLOBFILE(", at)) != std::string::npos; ++at)
    ++constants;
  for (auto [name, what, count] :
       {std::tuple("weight_files", "weight files", files), {"constants", "weight constants", constants}})
    if (const int64_t most = simulated_option(name); most != 0 && static_cast<int64_t>(count) > most)
      return "of " + std::to_string(count) + " " + what + " " + std::to_string(most) + " are taken";
  return "";
}

} // namespace

struct SimulatedProgram {
  ProgramDesc desc;
  std::unique_ptr<Device> device;
  std::unique_ptr<DeviceProgram> program;
  std::vector<std::array<std::vector<std::string>, 2>> declared; ///< names of each procedure's ports

  const std::vector<SurfaceDesc> &ports(size_t procedure, int isOutput) const {
    const ProcedureDesc &own = desc.procedures[procedure];
    return isOutput ? own.outputs : own.inputs;
  }
};

SimulatedProgram *simulated_compile(const char *text, size_t length, const SimulatedFile *files, size_t count,
                                    char *error, size_t room) {
  auto made = std::make_unique<SimulatedProgram>();
  made->desc.name = made->desc.source = "model.mil";
  made->desc.milText.assign(text, length);
  auto folder = std::make_shared<Folder>(Folder::inMemory("weights"));
  for (size_t i = 0; i < count; ++i) {
    auto path = weightPath(files[i].name);
    auto copy = MappedFile::copyOf(files[i].bytes, files[i].size);
    if (!path || !copy.ok()) {
      fail(absl::InvalidArgumentError(std::string("no weight file: ") + files[i].name), error, room);
      return nullptr;
    }
    folder->replace(std::string(*path), std::make_shared<const MappedFile>(*std::move(copy)));
  }
  made->desc.folder = std::move(folder);
  if (const std::string beyond = beyondLimits(made->desc.milText, count); !beyond.empty()) {
    fail(absl::InvalidArgumentError(beyond), error, room);
    return nullptr;
  }
  auto tree = mil::parse(made->desc.milText, {});
  if (!tree.ok()) {
    fail(tree.status(), error, room);
    return nullptr;
  }
  made->desc.procedures.clear();
  for (const mil::Function &function : tree->functions) {
    made->desc.procedures.push_back(describe(function));
    made->declared.push_back({declared(function, false), declared(function, true)});
  }
  emulator::EmulatorOptions options;
  options.mode = emulator::Mode::Plain;
  made->device = emulator::makeEmulatorDevice(options);
  auto program = made->device->load(made->desc); // ops and types are looked at, too
  if (!program.ok()) {
    fail(program.status(), error, room);
    return nullptr;
  }
  made->program = *std::move(program);
  made->program->unload();
  return made.release();
}

int simulated_load(SimulatedProgram *program, char *error, size_t room) {
  return fail(program->program->load(), error, room);
}

void simulated_unload(SimulatedProgram *program) { program->program->unload(); }

void simulated_destroy(SimulatedProgram *program) { delete program; }

size_t simulated_procedures(const SimulatedProgram *program) { return program->desc.procedures.size(); }

const char *simulated_procedure(const SimulatedProgram *program, size_t procedure) {
  return program->desc.procedures[procedure].function.c_str();
}

size_t simulated_ports(const SimulatedProgram *program, size_t procedure, int isOutput) {
  return program->ports(procedure, isOutput).size();
}

const char *simulated_port(const SimulatedProgram *program, size_t procedure, int isOutput, size_t port) {
  return program->ports(procedure, isOutput)[port].name.c_str();
}

int64_t simulated_port_bytes(const SimulatedProgram *program, size_t procedure, int isOutput, size_t port) {
  return program->ports(procedure, isOutput)[port].bytes;
}

int64_t simulated_declared_bytes(const SimulatedProgram *program, size_t procedure, int isOutput, size_t place) {
  const std::string &name = program->declared[procedure][isOutput][place];
  for (const SurfaceDesc &port : program->ports(procedure, isOutput))
    if (port.name == name)
      return port.bytes;
  return 0;
}

int simulated_run(SimulatedProgram *program, size_t procedure, void *const *inputs, void *const *outputs, char *error,
                  size_t room) {
  std::vector<std::unique_ptr<Shown>> shown;
  std::vector<Surface *> lists[2];
  for (int i : {0, 1})
    for (size_t port = 0; port < program->ports(procedure, i).size(); ++port) {
      shown.push_back(std::make_unique<Shown>((i ? outputs : inputs)[port], program->ports(procedure, i)[port].bytes));
      lists[i].push_back(shown.back().get());
    }
  return fail(program->program->evaluate(procedure, lists[0], lists[1]), error, room);
}

void simulated_identifier(const char *text, size_t length, const SimulatedFile *files, size_t count, char name[99]) {
  Hash texts, weights, options;
  texts.update(text, length);
  std::map<std::string, const SimulatedFile *> sorted;
  for (size_t i = 0; i < count; ++i)
    sorted[files[i].name] = &files[i];
  for (const auto &[file, content] : sorted) {
    weights.update(file.data(), file.size() + 1);
    if (std::strcmp(simulated_word("identifier"), "content") == 0)
      weights.update(content->bytes, content->size);
  }
  std::snprintf(name, 99, "%s_%s_%s", texts.digest().c_str(), weights.digest().c_str(), options.digest().c_str());
}
