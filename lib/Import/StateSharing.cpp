//===- StateSharing.cpp - states of other functions -----------------------===//

#include "StateSharing.h"
#include "ane/IR/ANE.h"
#include "ane/IR/DialectAttrs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::ane;

namespace {
class StateSharing {
public:
  explicit StateSharing(std::vector<NamedModel> &models) : models(models) {
    for (NamedModel &model : models)
      for (auto state : model.module->getOps<StateOp>())
        if (names.insert(nameOf(state)).second)
          states.push_back({nameOf(state), state, model.function});
  }

  LogicalResult run() {
    for (NamedModel &model : models)
      if (model.options && (failed(checkNames(model)) || failed(share(model))))
        return failure();
    return success();
  }

private:
  struct Known {
    std::string name;
    StateOp op;
    StringRef function;
  };

  static std::string nameOf(StateOp state) {
    auto name = attrs::ioName.get(state);
    return (name ? name.getValue() : state.getSymName()).str();
  }

  LogicalResult checkNames(NamedModel &model) {
    for (const auto &[input, output] : model.options->states)
      if (!names.contains(input))
        return model.module->emitError() << "--state " << input << "=" << output << ": no function has an input '"
                                         << input << "', which is the state's value before a run";
    return success();
  }

  /// The output that is the state's next value, as the options say or by its name; empty if none is.
  static std::string outputFor(const NamedModel &model, const std::string &state, ArrayRef<std::string> outputs) {
    for (const auto &[input, output] : model.options->states)
      if (input == state)
        return output;
    return model.options->findStates ? nextValueName(state, outputs) : "";
  }

  LogicalResult share(NamedModel &model) {
    auto function = *model.module->getOps<func::FuncOp>().begin();
    auto end = cast<func::ReturnOp>(function.front().getTerminator());
    std::vector<std::string> outputs;
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      auto name = attrs::ioName.ofResult(function, i);
      outputs.push_back(name ? name.str() : "");
    }
    llvm::StringSet<> own;
    for (auto state : model.module->getOps<StateOp>())
      own.insert(nameOf(state));
    BitVector written(outputs.size());
    std::vector<std::string> different; // names of outputs
    std::string difference;
    OpBuilder builder(end), symbols(model.module->getBodyRegion());
    for (auto &[name, state, owner] : states) {
      std::string output = own.contains(name) ? "" : outputFor(model, name, outputs);
      auto place = output.empty() ? outputs.end() : llvm::find(outputs, output);
      if (place == outputs.end() || written.test(place - outputs.begin()))
        continue;
      unsigned i = place - outputs.begin();
      if (Type type = function.getResultTypes()[i]; type != state.getType()) {
        different.push_back(output);
        if (difference.empty())
          llvm::raw_string_ostream(difference) << "'" << output << "' is " << type << ", and state '" << name
                                               << "' of function '" << owner << "' is " << state.getType();
        continue;
      }
      written.set(i);
      symbols.clone(*state);
      builder.create<WriteStateOp>(state.getLoc(), state.getSymName(), end.getOperand(i));
    }
    end->eraseOperands(written);
    function.eraseResults(written);
    return different.empty() ? success() : report(model, different, difference);
  }

  /// Who asked for this by name is wrong; what is only called so may be meant otherwise.
  LogicalResult report(NamedModel &model, ArrayRef<std::string> outputs, StringRef difference) {
    bool isAsked = llvm::any_of(model.options->states,
                                [&](const auto &state) { return llvm::is_contained(outputs, state.second); });
    constexpr size_t shown = 20;
    std::string list = llvm::join(outputs.take_front(shown), ", ") + (outputs.size() > shown ? ", ..." : "");
    InFlightDiagnostic message = isAsked ? model.module->emitError() : model.module->emitWarning();
    message << "function '" << model.function << "' does not write states of other functions, which don't go on from "
            << "its run: its outputs " << list << " stay outputs; " << difference
            << "; bind dimensions so that they agree: --dim FUNCTION:NAME=SIZE, or write the state between the runs "
               "(ane_state_write)";
    return failure(isAsked);
  }

  std::vector<NamedModel> &models;
  std::vector<Known> states; // each once, the first function's
  llvm::StringSet<> names;
};
} // namespace

LogicalResult mlir::ane::shareStates(std::vector<NamedModel> &models) { return StateSharing(models).run(); }
