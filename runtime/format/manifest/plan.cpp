//===- plan.cpp - Consistency of a manifest's plans -----------------------===//
#include "runtime/format/manifest/diagnostic.h"
#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace ane::rt::manifest {
namespace {

/// Looks up records by name and walks every plan once.
class PlanVerifier {
public:
  explicit PlanVerifier(const Manifest &m) : m(m) {
    for (const HostFunction &function : m.hostFunctions)
      hostFunctions[function.name] = &function;
    for (const Program &program : m.programs)
      for (const Procedure &procedure : program.procedures)
        procedures[program.name][procedure.name] = &procedure;
  }

  absl::Status run() {
    for (size_t i = 0; i < m.programs.size(); ++i)
      for (size_t p = 0; p < m.programs[i].procedures.size(); ++p)
        if (absl::Status s = checkTwin(at(at("$.programs", i) + ".procedures", p), m.programs[i].procedures[p]);
            !s.ok())
          return s;
    for (size_t i = 0; i < m.functions.size(); ++i)
      if (absl::Status s = checkFunction(at("$.functions", i), m.functions[i]); !s.ok())
        return s;
    return absl::OkStatus();
  }

private:
  absl::Status checkIndex(const std::string &where, int64_t index) const {
    if (index < 0 || index >= static_cast<int64_t>(m.tensors.size()))
      return errorAt(where, "is ", index, ", there are ", m.tensors.size(), " tensors");
    return absl::OkStatus();
  }

  /// The twin computes the same values, so it has the same arguments up to
  /// layout: as many of them, with as many elements.
  absl::Status checkTwin(const std::string &where, const Procedure &procedure) {
    if (procedure.twin.empty())
      return absl::OkStatus();
    auto it = hostFunctions.find(procedure.twin);
    if (it == hostFunctions.end())
      return errorAt(where + ".twin", quote(procedure.twin), " is not in $.host_functions");
    auto check = [&](const char *field, const std::vector<Surface> &surfaces, const std::vector<TensorType> &types) {
      if (surfaces.size() != types.size())
        return errorAt(where + field, "has ", surfaces.size(), " surfaces, its twin ", quote(procedure.twin), " has ",
                       types.size(), " tensors");
      for (size_t i = 0; i < types.size(); ++i)
        if (dataElements(surfaces[i]) != elementCount(types[i].shape))
          return errorAt(at(where + field, i) + ".shape", shapeText(surfaces[i].shape), " has ",
                         dataElements(surfaces[i]), " elements, the tensor of the twin is ", typeText(types[i]));
      return absl::OkStatus();
    };
    absl::Status s = check(".inputs", procedure.inputs, it->second->inputs);
    return s.ok() ? check(".outputs", procedure.outputs, it->second->outputs) : s;
  }

  bool isRange(int64_t min, int64_t max, int64_t tensor) const {
    ElementType dtype = m.tensors[tensor].type.dtype;
    return min <= max && !isFloat(dtype) && dtype != ElementType::Bool;
  }

  absl::Status checkCheck(const std::string &where, const Check &check, const std::unordered_set<int64_t> &defined) {
    if (absl::Status s = checkIndex(where + ".tensor", check.tensor); !s.ok())
      return s;
    if (!defined.count(check.tensor))
      return errorAt(where + ".tensor", "no step defines tensor ", check.tensor, ", or a later one overwrites it");
    if (check.subject.empty())
      return errorAt(where + ".subject", "is empty");
    if (!isRange(check.min, check.max, check.tensor))
      return errorAt(where, "has no range of integers");
    return absl::OkStatus();
  }

  absl::Status checkFunction(const std::string &where, const Function &f) {
    std::unordered_set<int64_t> defined;
    std::unordered_set<std::string> names;
    auto checkPort = [&](const std::string &place, const Port &port) {
      if (port.name.empty())
        return errorAt(place + ".name", "is empty");
      if (!names.insert(port.name).second)
        return errorAt(place + ".name", quote(port.name), " is the name of two inputs or of two outputs");
      if (absl::Status s = checkIndex(place + ".tensor", port.tensor); !s.ok())
        return s;
      if (!port.reader.empty() && !isRange(port.min, port.max, port.tensor))
        return errorAt(place + ".range", "is no range of integers");
      return absl::OkStatus();
    };
    for (size_t i = 0; i < f.inputs.size(); ++i) {
      std::string place = at(where + ".inputs", i);
      if (absl::Status s = checkPort(place, f.inputs[i]); !s.ok())
        return s;
      if (!defined.insert(f.inputs[i].tensor).second)
        return errorAt(place + ".tensor", "tensor ", f.inputs[i].tensor, " is two inputs");
    }
    if (absl::Status s = checkReads(where + ".states", f, defined); !s.ok())
      return s;
    for (size_t i = 0; i < f.steps.size(); ++i) {
      std::string place = at(where + ".steps", i);
      bool update = f.steps[i].kind == Step::Kind::Update;
      if (absl::Status s = update ? checkUpdate(place, f.steps[i], defined) : checkStep(place, f.steps[i], defined);
          !s.ok())
        return s;
    }
    for (size_t i = 0; i < f.states.size(); ++i)
      if (!defined.count(f.states[i].write))
        return errorAt(at(where + ".states", i) + ".write", "no step defines tensor ", f.states[i].write,
                       ", or a later one overwrites it");
    names.clear();
    for (size_t i = 0; i < f.outputs.size(); ++i) {
      std::string place = at(where + ".outputs", i);
      if (absl::Status s = checkPort(place, f.outputs[i]); !s.ok())
        return s;
      if (!defined.count(f.outputs[i].tensor))
        return errorAt(place + ".tensor", "no step defines tensor ", f.outputs[i].tensor,
                       ", or a later one overwrites it");
    }
    for (size_t i = 0; i < f.checks.size(); ++i)
      if (absl::Status s = checkCheck(at(where + ".checks", i), f.checks[i], defined); !s.ok())
        return s;
    return absl::OkStatus();
  }

  /// States of a function, and their values at its start.
  absl::Status checkReads(const std::string &where, const Function &f, std::unordered_set<int64_t> &defined) {
    std::unordered_set<int64_t> seen;
    uses.clear();
    for (size_t i = 0; i < f.states.size(); ++i) {
      const StateUse &use = f.states[i];
      std::string place = at(where, i);
      if (use.state < 0 || use.state >= static_cast<int64_t>(m.states.size()))
        return errorAt(place + ".state", "is ", use.state, ", there are ", m.states.size(), " states");
      if (!seen.insert(use.state).second)
        return errorAt(place + ".state", "state ", quote(m.states[use.state].name), " is used twice");
      uses.emplace(m.states[use.state].name, &use);
      for (auto [field, tensor] : {std::pair(".read", use.read), std::pair(".write", use.write)}) {
        if (absl::Status s = checkIndex(place + field, tensor); !s.ok())
          return s;
        if (!(m.tensors[tensor].type == m.states[use.state].type))
          return errorAt(place + field, "tensor ", quote(m.tensors[tensor].name), " is ",
                         typeText(m.tensors[tensor].type), ", state ", quote(m.states[use.state].name), " is ",
                         typeText(m.states[use.state].type));
      }
      if (!defined.insert(use.read).second)
        return errorAt(place + ".read", "tensor ", use.read, " is an input or another state's value, too");
    }
    return absl::OkStatus();
  }

  /// The window lies in the state's memory; the old value is gone then.
  absl::Status checkUpdate(const std::string &where, const Step &step, std::unordered_set<int64_t> &defined) {
    auto known = uses.find(step.target);
    if (known == uses.end())
      return errorAt(where + ".state", quote(step.target), " is not in the function's states");
    const StateUse *use = known->second;
    const TensorType &type = m.states[use->state].type;
    int64_t rank = static_cast<int64_t>(type.shape.size());
    if (step.axis < 0 || step.axis >= rank)
      return errorAt(where + ".axis", "is ", step.axis, ", state ", quote(step.target), " is ", typeText(type));
    for (auto [field, tensors, size] :
         {std::tuple(".inputs", &step.inputs, 2), std::tuple(".outputs", &step.outputs, 1)}) {
      if (static_cast<int>(tensors->size()) != size)
        return errorAt(where + field, "has ", tensors->size(), " tensors, an update has ", size);
      for (size_t i = 0; i < tensors->size(); ++i)
        if (absl::Status s = checkIndex(at(where + field, i), (*tensors)[i]); !s.ok())
          return s;
    }
    const TensorType &window = m.tensors[step.inputs[0]].type, &position = m.tensors[step.inputs[1]].type;
    TensorType expected = type;
    if (window.shape.size() == type.shape.size())
      expected.shape[step.axis] = std::min(window.shape[step.axis], type.shape[step.axis]);
    if (!(window == expected) || (step.skipOutside && window.shape[step.axis] != 1))
      return errorAt(where + ".inputs[0]", "is ", typeText(window), ", no window of ",
                     step.skipOutside ? "one entry of " : "", typeText(type), " along axis ", step.axis);
    int64_t positions = elementCount(position.shape);
    if (isFloat(position.dtype) || position.dtype == ElementType::Bool ||
        (positions != 1 && positions != window.shape[step.axis]))
      return errorAt(where + ".inputs[1]", "is ", typeText(position), ", expected one integer, or one for each of the ",
                     window.shape[step.axis], " entries");
    if (step.outputs[0] != use->write || use->write == use->read)
      return errorAt(where + ".outputs[0]", "is tensor ", step.outputs[0], ", state ", quote(step.target),
                     " is tensor ", use->write, " afterwards");
    if (absl::Status s = define(where, step, defined); !s.ok())
      return s;
    defined.erase(use->read);
    return absl::OkStatus();
  }

  absl::Status checkStep(const std::string &where, const Step &step, std::unordered_set<int64_t> &defined) {
    bool host = step.kind == Step::Kind::Host;
    const HostFunction *function = nullptr;
    const Procedure *procedure = nullptr;
    if (host) {
      auto it = hostFunctions.find(step.target);
      if (it == hostFunctions.end())
        return errorAt(where + ".function", quote(step.target), " is not in $.host_functions");
      function = it->second;
    } else {
      auto program = procedures.find(step.target);
      if (program == procedures.end())
        return errorAt(where + ".program", quote(step.target), " is not in $.programs");
      auto it = program->second.find(step.procedure);
      if (it == program->second.end())
        return errorAt(where + ".procedure", quote(step.procedure), " is none of the ", program->second.size(),
                       " procedures of ", quote(step.target));
      procedure = it->second;
      // run() has checked that the twin exists and matches the surfaces.
      if (!procedure->twin.empty())
        function = hostFunctions.at(procedure->twin);
      else if (absl::Status s = checkSurfaces(where, step, *procedure); !s.ok())
        return s;
    }
    if (function) {
      if (absl::Status s = checkArguments(where + ".inputs", step, step.inputs, function->inputs); !s.ok())
        return s;
      if (absl::Status s = checkArguments(where + ".outputs", step, step.outputs, function->outputs); !s.ok())
        return s;
    }
    if (absl::Status s = procedure ? checkMasks(where, step, *procedure) : absl::OkStatus(); !s.ok())
      return s;
    return define(where, step, defined);
  }

  /// Rows of which the largest element is taken are rows of floats.
  absl::Status checkMasks(const std::string &where, const Step &step, const Procedure &procedure) const {
    for (size_t i = 0; i < procedure.inputs.size(); ++i) {
      const Tensor &tensor = m.tensors[step.inputs[i]];
      if (procedure.inputs[i].mask.extent && tensor.type.dtype != ElementType::Float32 &&
          tensor.type.dtype != ElementType::Float16)
        return errorAt(at(where + ".inputs", i), "tensor ", quote(tensor.name), " is ", typeText(tensor.type),
                       ", and surface ", quote(procedure.inputs[i].name), " of ", quote(step.target),
                       " shows a mask of float32 or float16");
    }
    return absl::OkStatus();
  }

  absl::Status define(const std::string &where, const Step &step, std::unordered_set<int64_t> &defined) {
    for (size_t i = 0; i < step.inputs.size(); ++i)
      if (!defined.count(step.inputs[i]))
        return errorAt(at(where + ".inputs", i), "tensor ", step.inputs[i],
                       " is used before a step defines it, or behind one that overwrites it");
    for (size_t i = 0; i < step.outputs.size(); ++i)
      if (!defined.insert(step.outputs[i]).second)
        return errorAt(at(where + ".outputs", i), "tensor ", step.outputs[i], " is defined twice");
    return absl::OkStatus();
  }

  /// Of a procedure without a twin only the surfaces say what it takes.
  absl::Status checkSurfaces(const std::string &where, const Step &step, const Procedure &procedure) {
    auto check = [&](const std::string &place, const std::vector<int64_t> &tensors,
                     const std::vector<Surface> &surfaces) {
      if (tensors.size() != surfaces.size())
        return errorAt(place, "has ", tensors.size(), " tensors, ", quote(step.target), " takes ", surfaces.size());
      for (size_t i = 0; i < tensors.size(); ++i) {
        if (absl::Status s = checkIndex(at(place, i), tensors[i]); !s.ok())
          return s;
        const Tensor &tensor = m.tensors[tensors[i]];
        if (elementCount(tensor.type.shape) != dataElements(surfaces[i]))
          return errorAt(at(place, i), "tensor ", quote(tensor.name), " is ", typeText(tensor.type), ", surface ",
                         quote(surfaces[i].name), " of ", quote(step.target), " has shape ",
                         shapeText(surfaces[i].shape));
      }
      return absl::OkStatus();
    };
    absl::Status s = check(where + ".inputs", step.inputs, procedure.inputs);
    return s.ok() ? check(where + ".outputs", step.outputs, procedure.outputs) : s;
  }

  absl::Status checkArguments(const std::string &where, const Step &step, const std::vector<int64_t> &tensors,
                              const std::vector<TensorType> &types) {
    if (tensors.size() != types.size())
      return errorAt(where, "has ", tensors.size(), " tensors, ", quote(step.target), " takes ", types.size());
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (absl::Status s = checkIndex(at(where, i), tensors[i]); !s.ok())
        return s;
      const Tensor &tensor = m.tensors[tensors[i]];
      if (!(tensor.type == types[i]))
        return errorAt(at(where, i), "tensor ", quote(tensor.name), " is ", typeText(tensor.type), ", ",
                       quote(step.target), " takes ", typeText(types[i]));
    }
    return absl::OkStatus();
  }

  const Manifest &m;
  std::unordered_map<std::string, const HostFunction *> hostFunctions;
  std::unordered_map<std::string, const StateUse *> uses; ///< of the function, by the state's name
  std::unordered_map<std::string, std::unordered_map<std::string, const Procedure *>> procedures; ///< by program
};

} // namespace

absl::Status verifyPlans(const Manifest &manifest) { return PlanVerifier(manifest).run(); }

} // namespace ane::rt::manifest
