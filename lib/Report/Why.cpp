//===- Why.cpp - follows a node of the model through the compiler ---------===//

#include "ane/Report/Why.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/Report/Report.h"
#include "ane/Support/Diagnostics.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::ane;

static bool comesFrom(Operation *op, StringRef node) {
  return op->getLoc()
      ->walk([&](Location inner) {
        auto name = dyn_cast<NameLoc>(inner);
        return name && name.getName() == node ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static std::string typesOf(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(op->getResultTypes(), os);
  return text;
}

/// An op of a node as two texts: what it is called, and all that tells it from others.
using OpText = std::pair<std::string, std::string>;

static OpText describe(Operation *op) {
  std::string name = op->getName().stripDialect().str(), all = name + " -> " + typesOf(op);
  llvm::raw_string_ostream os(all);
  for (NamedAttribute attr : op->getAttrs()) {
    if (auto host = dyn_cast<HostAttr>(attr.getValue()))
      os << ", to the CPU: " << host.getConstraint() << ": " << host.getReason();
    else if (!isa<ElementsAttr>(attr.getValue()))
      os << ", " << attr.getName().getValue() << " = " << attr.getValue();
  }
  return {name, all};
}

/// The ops of a node under `root`. Of an island those of the engine region are the island's passes' to tell, the others the
/// function's.
static std::vector<OpText> opsOf(Operation *root, StringRef node) {
  std::vector<OpText> result;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto island = dyn_cast_or_null<IslandOp>(op->getParentOp());
    if (island && (op->getParentRegion() == &island.getEngine()) != (root == island))
      return WalkResult::skip();
    if (op != root && !op->getNumRegions() && isa_and_nonnull<ANEDialect>(op->getDialect()) &&
        !op->hasTrait<OpTrait::IsTerminator>() && !isConstantExpr(op) && comesFrom(op, node))
      result.push_back(describe(op));
    return WalkResult::advance();
  });
  llvm::sort(result);
  return result;
}

//===-- between passes ----------------------------------------------------===//

class NodeTrace::Instrumentation : public PassInstrumentation {
public:
  explicit Instrumentation(NodeTrace &trace) : trace(trace) {}

  void runBeforePass(Pass *pass, Operation *op) override { states.push_back(snapshot(pass, op)); }
  void runAfterPass(Pass *pass, Operation *op) override {
    std::vector<std::vector<OpText>> after = snapshot(pass, op);
    for (auto [story, old, now] : llvm::zip_equal(trace.stories, states.back(), after))
      if (old != now)
        record(story, pass->getArgument(), isa<IslandOp>(op), old, now);
    states.pop_back();
  }
  void runAfterPassFailed(Pass *, Operation *) override { states.pop_back(); }

private:
  std::vector<std::vector<OpText>> snapshot(Pass *pass, Operation *op) {
    std::vector<std::vector<OpText>> result(trace.stories.size());
    // Adaptors have no name; what passes do to a whole module after it is legal is in the programs.
    if (!pass->getArgument().empty() && !isa<ModuleOp>(op))
      for (auto [story, ops] : llvm::zip_equal(trace.stories, result))
        ops = opsOf(op, story.node);
    return result;
  }

  static void record(NodeStory &story, StringRef pass, bool onEngine, const std::vector<OpText> &old,
                     const std::vector<OpText> &now) {
    // Islands are legalised anew when they were formed anew: what was done to the first ones is void.
    if (pass == "ane-begin-engine-body") {
      llvm::erase_if(story.changes, [](const NodeChange &change) { return change.onEngine; });
      return;
    }
    auto names = [](const std::vector<OpText> &ops) {
      return llvm::to_vector(llvm::map_range(ops, [](const OpText &op) { return op.first; }));
    };
    NodeChange change{pass.str(), onEngine, {}, {}};
    bool sameNames = names(old) == names(now);
    for (auto [ops, texts] : {std::pair(&old, &change.before), {&now, &change.after}})
      for (const OpText &op : *ops)
        texts->push_back(sameNames ? op.second : op.first);
    story.changes.push_back(std::move(change));
  }

  NodeTrace &trace;
  std::vector<std::vector<std::vector<OpText>>> states; // of the passes that run, by story
};

NodeTrace::NodeTrace(std::vector<std::string> nodes) {
  for (std::string &node : nodes)
    stories.push_back({std::move(node), {}, {}, {}, {}});
}
NodeTrace::~NodeTrace() = default;

std::unique_ptr<PassInstrumentation> NodeTrace::instrumentation() { return std::make_unique<Instrumentation>(*this); }

//===-- first and last ----------------------------------------------------===//

/// "no node 'x' in the model; the nearest are 'y', 'z'".
static std::string unknownNode(StringRef node, const llvm::StringSet<> &known) {
  std::vector<std::pair<unsigned, StringRef>> nearest;
  for (StringRef name : known.keys()) {
    // A part of a name is what people have in mind, an edit is a slip.
    unsigned distance = name.contains_insensitive(node) ? 0 : 1 + name.edit_distance(node);
    nearest.push_back({distance, name});
  }
  llvm::sort(nearest);
  constexpr size_t shown = 5;
  std::string text = ("no op of the model comes from a node '" + node + "'").str();
  if (nearest.empty())
    return text + "; none of its ops has a name";
  nearest.resize(std::min(nearest.size(), shown));
  text += "; the nearest of " + std::to_string(known.size()) + " names: ";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(nearest, os, [&](auto &entry) { os << "'" << entry.second << "'"; });
  return text;
}

LogicalResult NodeTrace::begin(ModuleOp imported, std::string &error) {
  llvm::StringSet<> known;
  imported.walk([&](Operation *op) {
    op->getLoc()->walk([&](Location inner) {
      if (auto name = dyn_cast<NameLoc>(inner); name && isa_and_nonnull<ANEDialect>(op->getDialect()))
        known.insert(name.getName());
      return WalkResult::advance();
    });
  });
  for (NodeStory &story : stories) {
    if (!known.contains(story.node)) {
      error = unknownNode(story.node, known);
      return failure();
    }
    for (const OpText &op : opsOf(imported, story.node))
      story.imported.push_back(op.first);
  }
  return success();
}

void NodeTrace::end(ModuleOp emittable) {
  TargetEnv env = lookupTargetEnv(emittable);
  target = env.str();
  for (NodeStory &story : stories) {
    visitPlacedOps(emittable, [&](Operation *op, StringRef where, bool engine) {
      if (!comesFrom(op, story.node))
        return;
      NodeOp row{op->getName().stripDialect().str(), typesOf(op), where.str(), engine, {}};
      if (auto host = op->getAttrOfType<HostAttr>("ane.host")) {
        if (std::optional<ConstraintID> id = findConstraint(host.getConstraint()))
          row.findings.push_back({*id, host.getReason().str()});
      } else if (engine) {
        for (const Violation &violation : findViolations(op, env))
          row.findings.push_back({violation.id, violation.text()});
      }
      story.ops.push_back(std::move(row));
    });
    for (auto program : emittable.getOps<ProgramOp>())
      program.walk([&](Operation *op) {
        auto name = op->getAttrOfType<StringAttr>("ane.name");
        if (name && !isConstantExpr(op) && !isa<BlobOp>(op) && comesFrom(op, story.node))
          story.statements.push_back(
              {program.getName().str(), name.str(), op->getName().stripDialect().str(), typesOf(op)});
      });
  }
}
