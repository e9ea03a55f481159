//===- run_mil.cpp - One MIL program on the emulator, from files to files -===//

#include "runtime/device/emulator/run_mil.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/device/emulator/emulator_device.h"
#include "runtime/device/emulator/program.h"
#include "runtime/device/emulator/surface_io.h"
#include "runtime/format/mil/parser.h"
#include "runtime/format/npy/npy.h"
#include "runtime/lint/linter.h"
#include "runtime/lint/view.h"
#include "runtime/support/half.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>

namespace ane::rt::emulator {
namespace {

template <typename T>
void spread(const npy::Array &array, std::vector<double> &values) {
  const auto *data = reinterpret_cast<const T *>(array.data.data());
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<double>(data[i]);
}

/// Elements of any .npy type; exact but for 64-bit integers above 2^53.
absl::StatusOr<std::vector<double>> elementsOf(const npy::Array &array) {
  std::vector<double> values(static_cast<size_t>(array.elements()));
  switch (array.type) {
  case ElementType::Float64:
    spread<double>(array, values);
    break;
  case ElementType::Float32:
    spread<float>(array, values);
    break;
  case ElementType::Float16: {
    const auto *data = reinterpret_cast<const uint16_t *>(array.data.data());
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = halfToFloat(data[i]);
    break;
  }
  case ElementType::Bool:
  case ElementType::UInt8:
    spread<uint8_t>(array, values);
    break;
  case ElementType::Int8:
    spread<int8_t>(array, values);
    break;
  case ElementType::Int16:
    spread<int16_t>(array, values);
    break;
  case ElementType::UInt16:
    spread<uint16_t>(array, values);
    break;
  case ElementType::Int32:
    spread<int32_t>(array, values);
    break;
  case ElementType::UInt32:
    spread<uint32_t>(array, values);
    break;
  case ElementType::Int64:
    spread<int64_t>(array, values);
    break;
  default:
    return absl::InvalidArgumentError(absl::StrCat("element type ", array.describe(), " is not supported"));
  }
  return values;
}

/// Smallest and largest value of an integer type.
std::pair<double, double> limitsOf(ElementType type) {
  int64_t bits = bitWidth(type);
  double span = static_cast<double>(int64_t(1) << (type == ElementType::Bool ? 1 : bits));
  bool isSigned = type == ElementType::Int8 || type == ElementType::Int16 || type == ElementType::Int32;
  return isSigned ? std::pair(-span / 2, span / 2 - 1) : std::pair(0.0, span - 1);
}

absl::Status fillInput(const Port &port, const std::string &path, void *to) {
  absl::StatusOr<npy::Array> array = npy::read(path);
  if (!array.ok())
    return array.status();
  std::string where = absl::StrCat("input '", port.name, "' (", path, ")");
  if (array->shape != port.type.shape)
    return absl::InvalidArgumentError(
        absl::StrCat(where, " is ", array->describe(), "; the program takes ", port.type.str()));
  bool floats = heldAsFloat(port.type.element);
  if (!floats && isFloat(array->type))
    return absl::InvalidArgumentError(
        absl::StrCat(where, " is ", array->describe(), "; the program takes ", port.type.str()));
  absl::StatusOr<std::vector<double>> values = elementsOf(*array);
  if (!values.ok())
    return absl::Status(values.status().code(), absl::StrCat(where, ": ", values.status().message()));
  if (floats) {
    std::copy(values->begin(), values->end(), static_cast<float *>(to));
    storeAs(port.type, to);
    return absl::OkStatus();
  }
  auto [low, high] = limitsOf(port.type.element);
  auto *ints = static_cast<int32_t *>(to);
  for (size_t i = 0; i < values->size(); ++i) {
    double value = (*values)[i];
    if (value < low || value > high)
      return absl::OutOfRangeError(
          absl::StrCat(where, " contains ", value, ", which ", port.type.str(), " does not hold"));
    ints[i] = static_cast<int32_t>(static_cast<int64_t>(value));
  }
  return absl::OkStatus();
}

/// A surface without padding, which holds what a file of the value does.
SurfaceDesc dense(const Port &port) {
  SurfaceDesc surface = {port.name, port.type.element, port.type.shape};
  surface.rowStride = surfaceRowBytes(surface.type, surface.shape);
  surface.bytes = surfaceRows(surface.shape) * surface.rowStride;
  return surface;
}

absl::Status writeOutput(const Port &port, const void *from, const std::string &directory) {
  const SurfaceDesc surface = dense(port);
  std::vector<uint8_t> bytes(static_cast<size_t>(surface.bytes));
  writeSurface(surface, from, bytes.data());
  return npy::write(absl::StrCat(directory, "/", port.name, ".npy"), surface.type, surface.shape, bytes.data());
}

/// Surfaces of a list of ports, as a host allocates them: rows of 64 bytes, all of one size, at least `least` bytes
/// (constraints C02, C04, C18). Nothing: plain mode, which has no constraints, and weights among the inputs that would
/// be many times as large.
std::vector<SurfaceDesc> describe(const std::vector<Port> &ports, std::optional<int64_t> least) {
  std::vector<SurfaceDesc> result;
  for (const Port &port : ports) {
    result.push_back(least ? makeSurfaceDesc(port.name, port.type.element, port.type.shape) : dense(port));
    least = least ? std::optional(std::max(*least, result.back().bytes)) : least;
  }
  for (SurfaceDesc &surface : result)
    surface.bytes = least.value_or(surface.bytes);
  return result;
}

/// A program on a device with its surfaces.
struct Session {
  std::vector<Port> inputs, outputs;
  std::vector<std::unique_ptr<Surface>> memory;
  std::vector<Surface *> inputSurfaces, outputSurfaces;
  ProgramDesc desc;

  absl::Status fillInputs(const RunMilOptions &options) {
    std::vector<bool> used(options.inputs.size(), false);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Port &port = inputs[i];
      const std::string *path = nullptr;
      for (size_t j = 0; j < options.inputs.size(); ++j)
        if (options.inputs[j].first == port.name) {
          path = &options.inputs[j].second;
          used[j] = true;
        }
      if (!path)
        return absl::InvalidArgumentError(absl::StrCat("no file for input '", port.name, "', ", port.type.str()));
      Buffer elements = allocateElements(port.type.size());
      if (absl::Status status = fillInput(port, *path, elements.get()); !status.ok())
        return status;
      auto mapped = inputSurfaces[i]->map(Access::Write);
      if (!mapped.ok())
        return mapped.status();
      writeSurface(desc.procedures[0].inputs[i], elements.get(), mapped->data());
    }
    for (size_t j = 0; j < used.size(); ++j)
      if (!used[j])
        return absl::InvalidArgumentError(absl::StrCat(
            "the program has no input '", options.inputs[j].first, "'; it has: ",
            absl::StrJoin(inputs, ", ", [](std::string *out, const Port &port) { absl::StrAppend(out, port.name); })));
    return absl::OkStatus();
  }

  absl::Status writeOutputs(const std::string &directory) {
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error)
      return absl::InternalError(absl::StrCat("cannot make folder ", directory, ": ", error.message()));
    for (size_t i = 0; i < outputs.size(); ++i) {
      Buffer elements = allocateElements(outputs[i].type.size());
      auto mapped = outputSurfaces[i]->map(Access::Read);
      if (!mapped.ok())
        return mapped.status();
      readSurface(desc.procedures[0].outputs[i], mapped->data(), elements.get());
      if (absl::Status status = writeOutput(outputs[i], elements.get(), directory); !status.ok())
        return status;
    }
    return absl::OkStatus();
  }
};

/// Ports as the text declares them; what is not a tensor is left to the loader's
/// messages.
void addPorts(const mil::Function &function, Session &session) {
  auto add = [](const mil::Variable &variable, std::vector<Port> &ports) {
    absl::StatusOr<TensorType> type = tensorType(variable.type);
    if (type.ok())
      ports.push_back({variable.name, *type});
  };
  for (const mil::Variable &parameter : function.params)
    add(parameter, session.inputs);
  lint::FunctionView view(function);
  for (const lint::Definition *output : view.outputs())
    if (output)
      add(*output->variable, session.outputs);
}

} // namespace

absl::Status runMil(const RunMilOptions &options) {
  absl::StatusOr<Behaviours> told = parseBehaviours(options.mode);
  if (!told.ok())
    return told.status();
  absl::StatusOr<lint::Target> target = lint::Target::parse(options.target);
  if (!target.ok())
    return target.status();
  absl::StatusOr<std::string> text = mil::readText(options.milPath);
  if (!text.ok())
    return text.status();
  mil::ParseOptions parse;
  parse.fileName = options.milPath;
  absl::StatusOr<mil::Program> tree = mil::parse(*text, parse);
  if (!tree.ok())
    return tree.status();

  Session session;
  ProgramDesc &desc = session.desc;
  desc.name = options.milPath;
  desc.milText = std::move(*text);
  desc.source = options.milPath;
  ProcedureDesc &procedure = desc.procedures[0];
  procedure.function = options.function;
  if (procedure.function.empty())
    procedure.function = tree->functions.size() == 1 ? tree->functions.front().name : "main";
  std::string modelDir =
      options.modelDir.empty() ? std::filesystem::path(options.milPath).parent_path().string() : options.modelDir;
  absl::StatusOr<Folder> folder = Folder::open(modelDir.empty() ? "." : modelDir);
  if (!folder.ok())
    return folder.status();
  desc.folder = std::make_shared<const Folder>(*std::move(folder));
  std::optional<int64_t> least;
  if (told->mode != Mode::Plain)
    least = target->limit(lint::Limit::MinSurfaceBytes);
  if (const mil::Function *function = tree->function(procedure.function))
    addPorts(*function, session);
  procedure.inputs = describe(session.inputs, least);
  procedure.outputs = describe(session.outputs, least);

  EmulatorOptions emulator;
  emulator.mode = told->mode;
  emulator.machine = told->machine;
  emulator.target = options.target;
  emulator.strictBlobs = false;
  std::unique_ptr<Device> device = makeEmulatorDevice(emulator);
  auto program = device->load(desc);
  if (!program.ok())
    return program.status();
  for (auto [surfaces, pointers] :
       {std::pair(&procedure.inputs, &session.inputSurfaces), std::pair(&procedure.outputs, &session.outputSurfaces)})
    for (const SurfaceDesc &surface : *surfaces) {
      auto memory = device->allocate(surface);
      if (!memory.ok())
        return memory.status();
      pointers->push_back(memory->get());
      session.memory.push_back(std::move(*memory));
    }
  if (absl::Status status = session.fillInputs(options); !status.ok())
    return status;
  if (absl::Status status = (*program)->evaluate(0, session.inputSurfaces, session.outputSurfaces); !status.ok())
    return status;
  return options.outputDir.empty() ? absl::OkStatus() : session.writeOutputs(options.outputDir);
}

} // namespace ane::rt::emulator
