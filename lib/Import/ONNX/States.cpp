//===- States.cpp - inputs and outputs that are states --------------------===//

#include "States.h"
#include "Values.h"
#include "ane/IR/ANE.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

//===-- options -------------------------------------------------------------===//

std::string ONNXImportOptions::addState(StringRef text) {
  auto [input, output] = text.rsplit('=');
  if (input.empty() || output.empty())
    return ("'" + text + "' is not INPUT=OUTPUT, the names of a state's value before and after a run").str();
  for (const auto &[otherInput, otherOutput] : states)
    if (otherInput == input || otherOutput == output)
      return ((otherInput == input ? "input '" + input : "output '" + output) + "' is of two states").str();
  states.push_back({input.str(), output.str()});
  return "";
}

std::string ONNXImportOptions::addStateValue(StringRef text) {
  auto [name, value] = text.rsplit('=');
  if (name.empty() || value.empty())
    return ("'" + text + "' is not STATE=VALUE with a number, numbers separated by commas, or the name of a .npy file")
        .str();
  for (const auto &[other, given] : stateValues)
    if (other == name && given != value)
      return ("state '" + name + "' is given two values").str();
  stateValues.push_back({name.str(), value.str()});
  return "";
}

//===-- names ---------------------------------------------------------------===//

/// What `*` of `pattern` stands for in `name`; "" for a pattern without it. Nothing if they don't match.
static std::optional<StringRef> match(StringRef pattern, StringRef name) {
  size_t star = pattern.find('*');
  if (star == StringRef::npos)
    return name == pattern ? std::optional<StringRef>("") : std::nullopt;
  StringRef head = pattern.take_front(star), tail = pattern.drop_front(star + 1);
  if (name.size() <= head.size() + tail.size() || !name.consume_front(head) || !name.consume_back(tail))
    return std::nullopt;
  return name;
}

std::string mlir::ane::nextValueName(StringRef input, ArrayRef<std::string> outputs) {
  struct Pattern {
    StringLiteral input, output;
  };
  static constexpr Pattern patterns[] = {
#define PATTERN(INPUT, OUTPUT) {INPUT, OUTPUT},
#include "StatePatterns.inc"
#undef PATTERN
  };
  for (auto [inputPattern, outputPattern] : patterns) {
    std::optional<StringRef> middle = match(inputPattern, input);
    if (!middle)
      continue;
    auto [head, tail] = outputPattern.split('*');
    std::string wanted = (head + *middle + tail).str();
    if (llvm::is_contained(outputs, wanted))
      return wanted;
  }
  return "";
}

//===-- states --------------------------------------------------------------===//

static std::string named(ArrayRef<std::string> names) {
  constexpr size_t shown = 20;
  std::string text = llvm::join(names.take_front(shown), ", ");
  return names.size() > shown ? text + ", ..." : text;
}

llvm::Expected<std::vector<ModelState>>
mlir::ane::onnx_import::findStates(const Model &model, const ONNXImportOptions &options, ArrayRef<ModelInput> inputs) {
  std::vector<std::string> inputNames, outputNames, problems;
  llvm::StringMap<std::string> outputOf;
  llvm::StringSet<> taken;
  for (const ModelInput &input : inputs)
    inputNames.push_back(input.name);
  for (const onnx::ValueInfoProto &output : model.proto().graph().output())
    outputNames.push_back(output.name());
  for (const auto &[input, output] : options.states) {
    std::string flag = "--state " + input + "=" + output;
    // Another function's, which this one may write.
    if (options.isOneOfSeveral && !llvm::is_contained(inputNames, input) && llvm::is_contained(outputNames, output))
      continue;
    if (!llvm::is_contained(inputNames, input))
      problems.push_back(flag + ": the model has no input '" + input + "'" + didYouMean(input, inputNames) +
                         "; its inputs: " + named(inputNames));
    if (!llvm::is_contained(outputNames, output))
      problems.push_back(flag + ": the model has no output '" + output + "'" + didYouMean(output, outputNames) +
                         "; its outputs: " + named(outputNames));
    outputOf[input] = output;
    taken.insert(output);
  }
  bool found = false;
  for (const ModelInput &input : inputs) {
    if (!options.findStates || input.value || outputOf.contains(input.name))
      continue;
    std::string output = nextValueName(input.name, outputNames);
    if (output.empty() || !taken.insert(output).second)
      continue;
    outputOf[input.name] = output;
    found = true;
  }
  if (options.findStates && !options.isOneOfSeveral && !found && options.states.empty())
    problems.push_back("--states=auto: no input and output are called as exporters call states; name them by --state "
                       "INPUT=OUTPUT; the model's inputs: " +
                       named(inputNames) + "; its outputs: " + named(outputNames));

  llvm::StringMap<TypedAttr> initials;
  for (const auto &[name, text] : options.stateValues) {
    bool isOthers = options.isOneOfSeveral && !llvm::is_contained(inputNames, name) &&
                    llvm::any_of(options.states, [&, state = name](const auto &pair) { return pair.first == state; });
    if (isOthers)
      continue;
    std::string flag = "--state-init " + name + "=" + text;
    auto input = llvm::find_if(inputs, [&](const ModelInput &input) { return input.name == name; });
    if (input == inputs.end() || !outputOf.contains(name)) {
      problems.push_back(flag + ": there is no state of that name; a state is called as its input, see --state");
      continue;
    }
    auto value = GivenValue::parse(text);
    auto constant = value ? value->constant(input->type, "state '" + name + "'") : value.takeError();
    if (constant)
      initials[name] = *constant;
    else
      problems.push_back(flag + ": " + llvm::toString(constant.takeError()));
  }
  std::vector<ModelState> states;
  for (const ModelInput &input : inputs) {
    auto output = outputOf.find(input.name);
    if (output == outputOf.end())
      continue;
    if (input.value)
      problems.push_back("input '" + input.name + "' is a state and, by --value, a constant: leave one out");
    states.push_back({input.name, output->second, initials.lookup(input.name)});
  }
  if (!problems.empty())
    return makeError("the model's states can't be bound:\n  " + llvm::join(problems, "\n  "));
  return states;
}

static std::string text(Type type) {
  std::string spelled;
  llvm::raw_string_ostream(spelled) << type;
  return spelled;
}

Value mlir::ane::onnx_import::nextValue(OpBuilder &builder, Location loc, const ModelState &state,
                                        RankedTensorType type, Value output, std::string &problem) {
  if (output.getType() == type)
    return output;
  auto next = dyn_cast<RankedTensorType>(output.getType());
  std::string subject = "state '" + state.input + "' is " + text(type) + ", but its output '" + state.output + "' is " +
                        text(output.getType()) + ": ";
  if (!next || next.getElementType() != type.getElementType()) {
    problem = subject + "both must have one element type; export the model with one";
    return nullptr;
  }
  SmallVector<int64_t> begin(type.getRank(), 0);
  int longer = 0, other = 0;
  if (next.getRank() == type.getRank())
    for (int64_t i = 0; i < type.getRank(); ++i) {
      begin[i] = next.getDimSize(i) - type.getDimSize(i);
      longer += begin[i] > 0;
      other += begin[i] < 0;
    }
  if (longer != 1 || other != 0) {
    problem = subject +
              "it may be longer along one axis, of which the state keeps the last entries; bind dimensions so "
              "that the shapes agree (--dim, --shape), or leave the state out";
    return nullptr;
  }
  return builder.create<SliceBySizeOp>(loc, output, begin, llvm::to_vector(type.getShape()));
}
