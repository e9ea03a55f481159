//===- program_loader.cpp - From syntax tree to program -------------------===//

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/device/emulator/cliffs.h"
#include "runtime/device/emulator/program.h"
#include "runtime/support/half.h"
#include "runtime/support/memory_plan.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace ane::rt::emulator {

namespace {

/// A constant that stays in its file, as a value that can be returned.
std::shared_ptr<const Constant> widened(const Constant &packed) {
  auto wide = std::make_shared<Constant>();
  wide->type = packed.type;
  wide->elements = makeElements(packed.type.size());
  widenHalf(packed.packed, static_cast<float *>(wide->elements.get()), packed.type.size());
  return wide;
}

} // namespace

class ProgramLoader {
public:
  ProgramLoader(const std::string &source, ConstantPool &constants, const NumericModel &numerics, const Limits &limits)
      : source(source), limits(limits), pool(constants), program(new Program) {
    program->numerics = numerics;
  }

  absl::StatusOr<std::unique_ptr<Program>> load(const mil::Function &function);

private:
  /// A step before unneeded ones are dropped.
  struct Draft {
    KernelFn kernel;
    std::vector<int64_t> operands;
    std::vector<int64_t> results;
    bool exact = false;
    int64_t scratch = 0;
  };

  std::string place(mil::Location loc) const { return absl::StrCat(source, ":", loc.line, ":", loc.column); }
  absl::Status at(mil::Location loc, const absl::Status &status) const {
    return absl::Status(status.code(), absl::StrCat(place(loc), ": ", status.message()));
  }

  int64_t addValue(TensorType type) {
    int64_t index = static_cast<int64_t>(program->values.size());
    program->values.push_back({std::move(type), nullptr, index, -1});
    constantMemory.push_back(nullptr);
    constantHalves.push_back(nullptr);
    return index;
  }
  int64_t addConstant(std::shared_ptr<const Constant> constant) {
    int64_t index = addValue(constant->type);
    setConstant(index, std::move(constant));
    return index;
  }
  void setConstant(int64_t slot, std::shared_ptr<const Constant> constant) {
    constantMemory[static_cast<size_t>(slot)] = constant->elements.get();
    constantHalves[static_cast<size_t>(slot)] = constant->packed;
    program->values[static_cast<size_t>(slot)].constant = std::move(constant);
  }
  Operand operandOf(int64_t slot) const {
    const Program::Value &value = program->values[static_cast<size_t>(slot)];
    return {slot, value.type, value.constant.get()};
  }

  absl::StatusOr<TensorType> runtimeType(const mil::Variable &variable, const std::string &where) const;
  absl::Status addParameter(const mil::Variable &parameter);
  absl::Status addConst(const mil::Statement &statement);
  absl::Status addOp(const mil::Statement &statement);
  absl::StatusOr<Operand> readOperand(const mil::Value &value, const std::string &where);
  absl::StatusOr<std::vector<Argument>> readArguments(const mil::Statement &statement, const std::string &where);
  absl::Status fold(const PreparedOp &op, const std::vector<int64_t> &results, const std::string &where);
  absl::Status checkCost(const PreparedOp &op, const std::vector<Argument> &arguments, const std::string &where) const;
  absl::Status addOutputs(const mil::Function &function);
  absl::Status schedule();

  std::string source;
  Limits limits;
  int opset = 15;
  ConstantPool &pool;
  std::unique_ptr<Program> program;
  std::map<std::string, int64_t, std::less<>> names;
  std::vector<Draft> drafts;
  std::vector<void *> constantMemory; ///< of each value; null where it is not known at load
  std::vector<const uint16_t *> constantHalves;
};

/// The type of a value that is there when the program runs: never empty, and
/// small enough to be held.
absl::StatusOr<TensorType> ProgramLoader::runtimeType(const mil::Variable &variable, const std::string &where) const {
  absl::StatusOr<TensorType> type = tensorType(variable.type);
  if (!type.ok())
    return at(variable.loc, absl::Status(type.status().code(), absl::StrCat(where, ": ", type.status().message())));
  if (type->size() == 0)
    return at(variable.loc,
              absl::InvalidArgumentError(absl::StrCat(where, ": type ", type->str(), " has no elements")));
  if (type->size() > limits.bytes / 4)
    return at(variable.loc,
              absl::ResourceExhaustedError(absl::StrCat(where, ": type ", type->str(), " has ", type->size(),
                                                        " elements; the limit is ", limits.bytes / 4)));
  return type;
}

absl::Status ProgramLoader::addParameter(const mil::Variable &parameter) {
  absl::StatusOr<TensorType> type = runtimeType(parameter, absl::StrCat("parameter '", parameter.name, "'"));
  if (!type.ok())
    return type.status();
  if (!names.emplace(parameter.name, addValue(*type)).second)
    return at(parameter.loc,
              absl::InvalidArgumentError(absl::StrCat("parameter '", parameter.name, "' is defined twice")));
  program->inputPorts.push_back({parameter.name, *type});
  return absl::OkStatus();
}

absl::Status ProgramLoader::addConst(const mil::Statement &statement) {
  const mil::Value *value = statement.operand("val");
  if (!value || statement.results.size() != 1)
    return at(statement.loc, absl::InvalidArgumentError("a const needs one result and an attribute "
                                                        "'val'"));
  const mil::Variable &result = statement.results.front();
  auto constant = pool.decode(*value);
  if (!constant.ok())
    return at(value->loc, absl::Status(constant.status().code(),
                                       absl::StrCat("const '", result.name, "': ", constant.status().message())));
  absl::StatusOr<TensorType> declared = tensorType(result.type);
  if (!declared.ok())
    return at(result.loc, declared.status());
  std::shared_ptr<const Constant> decoded = *constant;
  // A literal without its own type has the declared one.
  if (!value->typed) {
    mil::Value typed = *value;
    if (heldAsFloat(declared->element) && typed.floats.empty())
      typed.floats.assign(typed.ints.begin(), typed.ints.end());
    typed.type = result.type;
    constant = pool.decode(typed);
    if (!constant.ok())
      return at(value->loc, constant.status());
    decoded = *constant;
  }
  if (decoded->type != *declared)
    return at(statement.loc,
              absl::InvalidArgumentError(absl::StrCat("op 'const' (result '", result.name, "'): the value is ",
                                                      decoded->type.str(), ", declared is ", declared->str())));
  // Generators repeat constants; the last definition holds.
  names[result.name] = addConstant(std::move(decoded));
  return absl::OkStatus();
}

absl::StatusOr<Operand> ProgramLoader::readOperand(const mil::Value &value, const std::string &where) {
  if (value.isReference()) {
    auto found = names.find(value.name);
    if (found == names.end())
      return absl::InvalidArgumentError(absl::StrCat(where, ": '", value.name, "' is not defined"));
    return operandOf(found->second);
  }
  auto constant = pool.decode(value);
  if (!constant.ok())
    return absl::Status(constant.status().code(), absl::StrCat(where, ": ", constant.status().message()));
  return operandOf(addConstant(std::move(*constant)));
}

absl::StatusOr<std::vector<Argument>> ProgramLoader::readArguments(const mil::Statement &statement,
                                                                   const std::string &where) {
  std::vector<Argument> result;
  std::set<std::string_view> given;
  auto read = [&](const mil::NamedValue &named) -> absl::Status {
    if (!given.insert(named.name).second)
      return absl::InvalidArgumentError(absl::StrCat(where, ": argument '", named.name, "' is given twice"));
    Argument argument{named.name, {}};
    std::string what = absl::StrCat(where, ": argument '", named.name, "'");
    std::vector<const mil::Value *> items = {&named.value};
    if (named.value.kind == mil::Value::Kind::Tuple) {
      items.clear();
      for (const mil::Value &item : named.value.items)
        items.push_back(&item);
    }
    for (const mil::Value *item : items) {
      absl::StatusOr<Operand> operand = readOperand(*item, what);
      if (!operand.ok())
        return operand.status();
      argument.operands.push_back(std::move(*operand));
    }
    result.push_back(std::move(argument));
    return absl::OkStatus();
  };
  for (const mil::NamedValue &argument : statement.arguments)
    if (absl::Status status = read(argument); !status.ok())
      return status;
  // constexpr ops may have operands among their attributes.
  for (const mil::NamedValue &attribute : statement.attributes)
    if (attribute.name != "name")
      if (absl::Status status = read(attribute); !status.ok())
        return status;
  return result;
}

/// The bound on memory and work that every op passes before it is scheduled or
/// evaluated.
absl::Status ProgramLoader::checkCost(const PreparedOp &op, const std::vector<Argument> &arguments,
                                      const std::string &where) const {
  int64_t work = op.cost.work, results = 0;
  for (const Argument &argument : arguments)
    for (const Operand &operand : argument.operands)
      work = saturatingSum(work, operand.type.size());
  for (const TensorType &type : op.results)
    results = saturatingSum(results, type.size());
  work = saturatingSum(work, results);
  if (work > limits.work)
    return absl::ResourceExhaustedError(
        absl::StrCat(where, ": the op visits ", work, " elements; the limit is ", limits.work));
  int64_t elements = saturatingSum(results, op.cost.scratch);
  if (elements > limits.bytes / 4)
    return absl::ResourceExhaustedError(
        absl::StrCat(where, ": the op needs room for ", elements, " elements; the limit is ", limits.bytes / 4));
  return absl::OkStatus();
}

/// Evaluates an op whose operands are all constants.
absl::Status ProgramLoader::fold(const PreparedOp &op, const std::vector<int64_t> &results, const std::string &where) {
  if (!op.kernel) {
    auto folded = std::make_shared<Constant>(*op.alias.constant);
    folded->type = op.results.front();
    setConstant(results.front(), std::move(folded));
    return absl::OkStatus();
  }
  std::vector<std::shared_ptr<Constant>> constants;
  for (size_t i = 0; i < results.size(); ++i) {
    if (absl::Status status = pool.take(op.results[i].size()); !status.ok())
      return absl::Status(status.code(), absl::StrCat(where, ": ", status.message()));
    auto constant = std::make_shared<Constant>();
    constant->type = op.results[i];
    constant->elements = makeElements(op.results[i].size());
    constantMemory[static_cast<size_t>(results[i])] = constant->elements.get();
    constants.push_back(std::move(constant));
  }
  Scratch scratch;
  KernelContext context(constantMemory, constantHalves, results, scratch, program->numerics);
  absl::Status status = op.kernel(context);
  if (!status.ok())
    return status;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!op.exact)
      storeAs(op.results[i], constants[i]->elements.get());
    setConstant(results[i], std::move(constants[i]));
  }
  return absl::OkStatus();
}

absl::Status ProgramLoader::addOp(const mil::Statement &statement) {
  if (statement.results.empty())
    return at(statement.loc, absl::UnimplementedError(absl::StrCat("op '", statement.op,
                                                                   "' has no result; the emulator has no "
                                                                   "states")));
  std::string where =
      absl::StrCat(place(statement.loc), ": op '", statement.op, "' (result '", statement.results.front().name, "')");
  const OpEntry *entry = findOp(statement.op);
  if (!entry)
    return absl::UnimplementedError(absl::StrCat(where, ": the emulator has no such op"));
  if (entry->opset > opset)
    return absl::InvalidArgumentError(
        absl::StrCat(where, ": the op needs ios", entry->opset, ", the function is for ios", opset));
  std::vector<TensorType> declared;
  for (const mil::Variable &result : statement.results) {
    absl::StatusOr<TensorType> type =
        runtimeType(result, absl::StrCat("op '", statement.op, "' (result '", result.name, "')"));
    if (!type.ok())
      return type.status();
    declared.push_back(std::move(*type));
  }
  auto arguments = readArguments(statement, where);
  if (!arguments.ok())
    return arguments.status();
  std::vector<int64_t> operands;
  bool constant = true;
  for (const Argument &argument : *arguments)
    for (const Operand &operand : argument.operands) {
      operands.push_back(operand.slot);
      constant &= operand.constant != nullptr;
    }
  if (program->numerics.attentionIgnoresMask && statement.op == "scaled_dot_product_attention")
    arguments->erase(std::remove_if(arguments->begin(), arguments->end(),
                                    [](const Argument &argument) { return argument.name == "attn_mask"; }),
                     arguments->end());
  OpArgs args(where, opset, *arguments, declared);
  absl::StatusOr<PreparedOp> op = entry->prepare(args);
  if (!op.ok())
    return op.status();
  if (absl::Status status = args.finish(); !status.ok())
    return status;
  args.fitsCount(op->results.size());
  for (size_t i = 0; i < op->results.size() && args.ok(); ++i)
    args.fits(op->results[i], i);
  if (!args.ok())
    return args.status();
  if (absl::Status status = checkCost(*op, *arguments, where); !status.ok())
    return status;

  std::vector<int64_t> results;
  for (size_t i = 0; i < op->results.size(); ++i) {
    results.push_back(addValue(op->results[i]));
    // A name that is defined again hides the earlier one, as with constants.
    names[statement.results[i].name] = results.back();
  }
  if (constant) {
    for (const Argument &argument : *arguments)
      for (const Operand &operand : argument.operands)
        operand.constant->isUsed = true;
    // Of weights only what the records say of this very one.
    if (op->kernel && program->numerics.faults.count(statement.results[0].name))
      op->kernel = withCliffs(statement, *arguments, op->results, op->exact, std::move(op->kernel), program->numerics);
    return fold(*op, results, where);
  }
  if (!op->kernel) {
    Program::Value &value = program->values[static_cast<size_t>(results[0])];
    value.root = program->values[static_cast<size_t>(op->alias.slot)].root;
    return absl::OkStatus();
  }
  KernelFn kernel = withCliffs(statement, *arguments, op->results, op->exact, std::move(op->kernel), program->numerics);
  drafts.push_back({std::move(kernel), std::move(operands), results, op->exact, op->cost.scratch});
  return absl::OkStatus();
}

absl::Status ProgramLoader::addOutputs(const mil::Function &function) {
  for (const std::string &name : function.outputs) {
    auto found = names.find(name);
    if (found == names.end())
      return at(function.loc, absl::InvalidArgumentError(absl::StrCat("function '", function.name, "' returns '", name,
                                                                      "', which is not defined")));
    const Program::Value &value = program->values[static_cast<size_t>(found->second)];
    if (value.type.element == ElementType::String)
      return at(function.loc, absl::InvalidArgumentError(
                                  absl::StrCat("function '", function.name, "' returns the string '", name, "'")));
    int64_t slot = found->second;
    if (value.constant && value.constant->packed) {
      value.constant->isUsed = true;
      slot = addConstant(widened(*value.constant));
    }
    program->outputValues.push_back(slot);
    program->outputPorts.push_back({name, program->values[static_cast<size_t>(slot)].type});
  }
  return absl::OkStatus();
}

/// Keeps the steps that an output needs and places their results.
absl::Status ProgramLoader::schedule() {
  std::vector<Program::Value> &values = program->values;
  std::vector<bool> needed(values.size(), false);
  auto need = [&](int64_t slot) { needed[static_cast<size_t>(values[static_cast<size_t>(slot)].root)] = true; };
  for (int64_t output : program->outputValues)
    need(output);
  std::vector<bool> kept(drafts.size(), false);
  for (size_t i = drafts.size(); i-- > 0;) {
    for (int64_t result : drafts[i].results)
      if (needed[static_cast<size_t>(result)])
        kept[i] = true;
    if (kept[i])
      for (int64_t operand : drafts[i].operands)
        need(operand);
  }

  // Times only grow: a value lives from its first touch to its last.
  int64_t time = 0;
  std::vector<Lifetime> lives;
  std::vector<int64_t> slots;                     // that `lives` are of
  std::vector<int64_t> lifeOf(values.size(), -1); // by slot
  auto touch = [&](int64_t slot, int64_t when) {
    const Program::Value &value = values[static_cast<size_t>(slot)];
    if (value.constant)
      return;
    int64_t &life = lifeOf[static_cast<size_t>(value.root)];
    if (life < 0) {
      life = static_cast<int64_t>(lives.size());
      int64_t elements = values[static_cast<size_t>(value.root)].type.size();
      lives.push_back({std::max<int64_t>(elements, 1) * 4, when, when});
      slots.push_back(value.root);
    }
    lives[static_cast<size_t>(life)].last = when;
  };
  for (size_t i = 0; i < program->inputPorts.size(); ++i)
    if (needed[i])
      touch(static_cast<int64_t>(i), time);
  for (size_t i = 0; i < drafts.size(); ++i) {
    if (!kept[i])
      continue;
    ++time;
    for (int64_t operand : drafts[i].operands)
      touch(operand, time);
    for (int64_t result : drafts[i].results)
      touch(result, time);
    program->scratchElements = std::max(program->scratchElements, drafts[i].scratch);
    program->schedule.push_back({std::move(drafts[i].kernel), std::move(drafts[i].results), drafts[i].exact});
  }
  for (int64_t output : program->outputValues)
    touch(output, time + 1);
  absl::StatusOr<MemoryPlan> plan = planMemory(lives);
  if (!plan.ok())
    return plan.status();
  program->arenaElements = plan->bytes / 4;
  for (size_t i = 0; i < slots.size(); ++i)
    values[static_cast<size_t>(slots[i])].offset = plan->offsets[i] / 4;
  for (Program::Value &value : values)
    if (!value.constant)
      value.offset = values[static_cast<size_t>(value.root)].offset;
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Program>> ProgramLoader::load(const mil::Function &function) {
  std::string_view digits(function.opset);
  if (digits.substr(0, 3) == "ios")
    digits.remove_prefix(3);
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), opset);
  if (error != std::errc() || end != digits.data() + digits.size() || opset < 15)
    return at(function.loc, absl::InvalidArgumentError(absl::StrCat("function '", function.name, "' is for \"",
                                                                    function.opset, "\"; known are ios15 and later")));
  for (const mil::Variable &parameter : function.params)
    if (absl::Status status = addParameter(parameter); !status.ok())
      return status;
  for (const mil::Statement &statement : function.statements) {
    absl::Status status = statement.isConst() ? addConst(statement) : addOp(statement);
    if (!status.ok())
      return status;
  }
  if (absl::Status status = addOutputs(function); !status.ok())
    return status;
  if (absl::Status status = schedule(); !status.ok())
    return status;
  if (int64_t bytes = program->workingBytes(); bytes > limits.bytes)
    return absl::ResourceExhaustedError(absl::StrCat(source, ": function '", function.name, "' needs ", bytes,
                                                     " bytes for its values; the limit is ", limits.bytes));
  program->findPacked();
  program->giveBack(program->takeMemory()); // what is loaded has room to run
  return std::move(program);
}

absl::StatusOr<std::unique_ptr<Program>> Program::load(const mil::Program &program, const std::string &function,
                                                       const std::string &source, const ConstantOptions &constants,
                                                       const NumericModel &numerics, const Limits &limits) {
  ConstantPool pool(constants, limits);
  return load(program, function, source, pool, numerics, limits);
}

absl::StatusOr<std::unique_ptr<Program>> Program::load(const mil::Program &program, const std::string &function,
                                                       const std::string &source, ConstantPool &constants,
                                                       const NumericModel &numerics, const Limits &limits) {
  const mil::Function *found = program.function(function);
  if (!found) {
    std::string names = absl::StrJoin(program.functions, ", ", [](std::string *out, const mil::Function &f) {
      absl::StrAppend(out, "'", f.name, "'");
    });
    return absl::NotFoundError(absl::StrCat(source, ": no function '", function, "'; there are: ", names));
  }
  return ProgramLoader(source, constants, numerics, limits).load(*found);
}

} // namespace ane::rt::emulator
