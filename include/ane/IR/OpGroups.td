//===- OpGroups.td - ops that are named together ------------------------===//
//
// What constraints say of several ops is said of a group. An op names those that it is in (`groups`), mostly by its family's
// class. Compiler and linter ask `isIn(OpGroup::Name, op)`.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_IR_OPGROUPS_TD
#define ANE_IR_OPGROUPS_TD

class OpGroup<string groupText> { string text = groupText; }

def ShapeOnly : OpGroup<"they only give a value another shape">;
def Slices : OpGroup<"they take parts of a value, which lie where constants say">;
def Roundings : OpGroup<"they round to integers">;
def Reductions : OpGroup<"they reduce axes">;
def Nonlinearities : OpGroup<"they apply a nonlinear function to each element">;

#endif // ANE_IR_OPGROUPS_TD
