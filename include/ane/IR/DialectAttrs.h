//===- DialectAttrs.h - the dialect's attributes on any op -----*- C++ -*-===//
//
// The discardable attributes `ane.*`. Each is declared here once, with its type and the places where it may stand, and
// read and written through its declaration. The verifier refuses any other name, type and place; in which phase an
// attribute must be there is for VerifyPhase to say.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_IR_DIALECTATTRS_H
#define ANE_IR_DIALECTATTRS_H

#include "ane/IR/ANE.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::ane {

/// Where a declared attribute may stand; a bit each.
enum AttrPlace : unsigned {
  OnModule = 1,
  OnFunction = 2, // of any dialect: functions are lowered with their attributes
  OnArgument = 4,
  OnResult = 8, // of a function
  OnProgram = 16,
  OnState = 32,
  OnOp = 64, // any other
};

/// A declaration, whatever its type.
struct AttrDeclaration {
  llvm::StringLiteral name;
  unsigned places;
  llvm::StringLiteral type; // what `holds` takes, in words
  bool (*holds)(Attribute value);
  llvm::StringLiteral meaning;
};

template <typename AttrType>
struct DeclaredAttr : AttrDeclaration {
  constexpr operator StringRef() const { return name; }

  bool isOn(Operation *op) const { return op->hasAttr(name); }
  /// Null if it is not there.
  AttrType get(Operation *op) const { return op->getAttrOfType<AttrType>(name); }
  void set(Operation *op, AttrType value) const { op->setAttr(name, value); }
  void remove(Operation *op) const { op->removeAttr(name); }

  AttrType ofArgument(FunctionOpInterface function, unsigned index) const {
    return function.getArgAttrOfType<AttrType>(index, name);
  }
  AttrType ofResult(FunctionOpInterface function, unsigned index) const {
    return function.getResultAttrOfType<AttrType>(index, name);
  }
};

namespace attrs {

// What `holds` may be.
template <typename AttrType>
bool is(Attribute value) {
  return isa<AttrType>(value);
}
template <typename AttrType>
bool isListOf(Attribute value) {
  auto list = dyn_cast<ArrayAttr>(value);
  return list && llvm::all_of(list, [](Attribute item) { return isa<AttrType>(item); });
}
bool isRange(Attribute value);
bool isBucket(Attribute value);
bool isName(Attribute value);
bool isPreference(Attribute value);
bool isRole(Attribute value);
bool isMasked(Attribute value);
bool isHolds(Attribute value);
bool isMaskRows(Attribute value);

//===-- what is compiled, and for what --------------------------------------===//

inline constexpr DeclaredAttr<StringAttr> phase{
    {"ane.phase", OnModule, "a string", is<StringAttr>, "the phase that the module has reached"}};
inline constexpr DeclaredAttr<TargetAttr> target{
    {"ane.target", OnModule, "#ane.target", is<TargetAttr>, "the machine that programs are compiled for"}};
inline constexpr DeclaredAttr<ArrayAttr> keep{{"ane.keep", OnModule, "a list of strings", isListOf<StringAttr>,
                                               "rules that strictness = evidence does not lift, and disputed ones"}};
inline constexpr DeclaredAttr<StringAttr> prefer{
    {"ane.prefer", OnModule, "\"speed\"", isPreference, "what is preferred where accuracy costs time"}};
inline constexpr DeclaredAttr<DictionaryAttr> weights{
    {"ane.weights", OnModule, "a dictionary", is<DictionaryAttr>, "the ranges of weights by their names in the model"}};
inline constexpr DeclaredAttr<ArrayAttr> trainable{{"ane.trainable", OnModule, "a list of strings",
                                                    isListOf<StringAttr>,
                                                    "names in ane.weights of those that will have other values"}};

//===-- the model's border --------------------------------------------------===//

inline constexpr DeclaredAttr<StringAttr> ioName{{"ane.io_name", OnArgument | OnResult | OnState, "a string",
                                                  is<StringAttr>,
                                                  "the name of an input, output or state in the model"}};
inline constexpr DeclaredAttr<DictionaryAttr> range{{"ane.range", OnArgument,
                                                     "a dictionary of integers min and max and a string reader",
                                                     isRange, "what an input may hold, and the node that wants it"}};
inline constexpr DeclaredAttr<TypedAttr> initial{{"ane.initial", OnState, "a typed attribute", is<TypedAttr>,
                                                  "what the state holds at first, where that is not zero"}};
inline constexpr DeclaredAttr<DictionaryAttr> bucket{
    {"ane.bucket", OnFunction, "a dictionary of strings name and dimension, integers size and masks, and bool pads",
     isBucket, "the size of the dimension that the function is for"}};
inline constexpr DeclaredAttr<DenseI64ArrayAttr> bucketAxes{{"ane.bucket_axes", OnArgument | OnResult, "array<i64>",
                                                             is<DenseI64ArrayAttr>,
                                                             "the axes that are a bucket's dimension"}};

//===-- where ops run, and what they come from -------------------------------===//

inline constexpr DeclaredAttr<HostAttr> host{
    {"ane.host", OnOp, "#ane.host", is<HostAttr>, "why the op runs on the CPU"}};
inline constexpr DeclaredAttr<HostAttr> declined{
    {"ane.declined", OnOp, "#ane.host", is<HostAttr>, "the record that a legaliser could not make hold, and why"}};
inline constexpr DeclaredAttr<DenseI64ArrayAttr> from{{"ane.from", OnOp, "array<i64>", is<DenseI64ArrayAttr>,
                                                       "the places in the twin of the ops that the op stands for"}};
inline constexpr DeclaredAttr<IntegerAttr> cut{
    {"ane.cut", OnOp, "an integer", is<IntegerAttr>,
     "programs that end between the op and those, on the engine, that it reads from; otherwise they may be one"}};
inline constexpr DeclaredAttr<UnitAttr> recomputed{
    {"ane.recomputed", OnOp, "unit", is<UnitAttr>,
     "the op computes for the backward pass what could be kept from the forward pass, and stands where it is read"}};
inline constexpr DeclaredAttr<StringAttr> role{{"ane.role", OnFunction, "\"plan\", \"twin\" or \"host\"", isRole,
                                                "what a function is for since islands were outlined"}};

/// A product of attention of which much need not be computed. "scores": what a mask that is added to the result lowers
/// by `hiddenScore` or more counts for nothing behind it. "values": steps whose x is 0 add nothing, whatever y holds
/// there.
inline constexpr DeclaredAttr<StringAttr> masked{
    {"ane.masked", OnOp, "\"scores\" or \"values\"", isMasked, "which products of attention a mask makes superfluous"}};
/// What masks add to hide a score: this much lower, it has no weight in any type; lower than that, sums with it leave
/// fp16's range.
inline constexpr double hiddenScore = -30000;

//===-- constants -----------------------------------------------------------===//

inline constexpr DeclaredAttr<UnitAttr> decides{
    {"ane.decides", OnOp, "unit", is<UnitAttr>, "the constant's elements have decided how the model is compiled"}};
inline constexpr DeclaredAttr<FloatAttr> overflow{
    {"ane.overflow", OnOp, "a float", is<FloatAttr>, "what a cast to fp16 makes of constants that fp16 can't hold"}};
inline constexpr DeclaredAttr<ArrayAttr> sources{{"ane.sources", OnOp, "a list of #ane.weight", isListOf<WeightAttr>,
                                                  "the weights that a small constant was made of"}};

//===-- programs ------------------------------------------------------------===//

inline constexpr DeclaredAttr<LayoutAttr> layout{
    {"ane.layout", OnArgument | OnResult, "#ane.layout", is<LayoutAttr>, "how a tensor of the plan becomes a surface"}};
inline constexpr DeclaredAttr<SurfaceAttr> surface{{"ane.surface", OnArgument | OnResult, "#ane.surface",
                                                    is<SurfaceAttr>, "the allocation behind an argument or result"}};
/// What has to hold of an input of a procedure, or it does not compute what the model says, and the CPU computes that
/// run: each of a list of dictionaries does, of floats `low` and `high` and a unit `exact`. One holds where all
/// elements are from `low` to `high`, or, with `exact`, where fp16 holds each of them. A bound that is missing is
/// infinite; without bounds only `exact` counts. So {low = 7.7e-6} is for a logarithm, {exact} for a step function such
/// as floor, and {low = -8., high = 8., exact} for a sine, which is as good as its angle is small or exact. What
/// another program computed is taken as it is, and exact. Of a function's argument: as the plan gives it, before it is
/// a surface.
inline constexpr DeclaredAttr<ArrayAttr> holds{
    {"ane.holds", OnArgument, "a list of dictionaries of f64 low and high, in order, and a unit exact", isHolds,
     "what must hold of an input, or the CPU computes the run"}};
/// Of an input that is an additive mask (ane.narrow because `mask`): the rows of the plan's tensor that a softmax reads
/// have `extent` elements, `inner` apart; each is taken less the largest of its row, and as `least` where it is below.
inline constexpr DeclaredAttr<DictionaryAttr> maskRows{
    {"ane.mask_rows", OnArgument, "a dictionary of i64 extent and inner, and f64 least", isMaskRows,
     "how an input that is a mask becomes numbers of fp16"}};
inline constexpr DeclaredAttr<Attribute> name{
    {"ane.name", OnOp, "a string, or a list of one for each result", isName, "the names of results in MIL text"}};
inline constexpr DeclaredAttr<StringAttr> portName{
    {"ane.name", OnArgument | OnResult, "a string", is<StringAttr>, "the name of an argument or result in MIL text"}};
inline constexpr DeclaredAttr<StringAttr> opset{{"ane.opset", OnFunction, "a string", is<StringAttr>,
                                                 "the opset that a MIL function is written for, if not the target's"}};
inline constexpr DeclaredAttr<StringAttr> milVersion{
    {"ane.mil_version", OnModule | OnProgram, "a string", is<StringAttr>, "the version of MIL text, 1.0 or 1.3"}};

} // namespace attrs
} // namespace mlir::ane

#endif // ANE_IR_DIALECTATTRS_H
