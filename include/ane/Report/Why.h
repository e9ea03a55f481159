//===- Why.h - what became of a node of the model --------------*- C++ -*-===//
//
//   NodeTrace trace({"/encoder/act"});
//   trace.begin(module);                                  the imported module
//   pm.addInstrumentation(trace.instrumentation());       for all passes up to phase emittable
//   trace.end(module);                                    phase emittable
//   trace.text()
//
// The context must be single-threaded: what passes do is compared before and after each.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_REPORT_WHY_H
#define ANE_REPORT_WHY_H

#include "ane/Constraint/Constraints.h"
#include "mlir/Pass/PassInstrumentation.h"
#include <memory>
#include <string>
#include <vector>

namespace mlir::ane {

/// What one pass did to the ops that come from a node.
struct NodeChange {
  std::string pass; // "ane-legalize-gelu"
  /// The engine body of an island was changed, not the canonical one.
  bool onEngine;
  std::vector<std::string> before, after; // mnemonics; with types and attributes where these alone changed
};

/// A record that an op of phase canonical does not meet.
struct NodeFinding {
  ConstraintID id;
  std::string finding;
};

/// An op of phase canonical that comes from a node.
struct NodeOp {
  std::string op, type;
  std::string where; // program or CPU function
  bool engine;
  /// CPU: the one that sent it there. Engine: those that legalisers made hold.
  std::vector<NodeFinding> findings;
};

/// A statement of a program that comes from a node.
struct NodeStatement {
  std::string program, name, op, type;
};

struct NodeStory {
  std::string node;
  /// The node whose op took over what this one computed, as a raised composite does; what follows is told of it.
  std::string mergedInto;
  std::vector<std::string> imported;
  std::vector<NodeChange> changes;
  std::vector<NodeOp> ops;
  std::vector<NodeStatement> statements;

  llvm::StringRef followed() const { return mergedInto.empty() ? node : mergedInto; }
};

class NodeTrace {
public:
  explicit NodeTrace(std::vector<std::string> nodes);
  ~NodeTrace();

  /// Looks the nodes up. Failure, and an error that gives the nearest names, if the model has no such node.
  LogicalResult begin(ModuleOp imported, std::string &error);
  /// To be added to each pass manager; the trace must outlive it.
  std::unique_ptr<PassInstrumentation> instrumentation();
  void end(ModuleOp emittable);

  std::string text() const;
  std::string json() const;

private:
  class Instrumentation;
  std::string target;
  std::vector<NodeStory> stories;
};

} // namespace mlir::ane

#endif // ANE_REPORT_WHY_H
