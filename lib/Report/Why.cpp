//===- Why.cpp - follows a node of the model through the compiler ---------===//

#include "ane/Report/Why.h"
#include "CanonicalOps.h"
#include "ane/Constraint/Origin.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/Report/Report.h"
#include "ane/Support/Diagnostics.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <deque>
#include <map>

using namespace mlir;
using namespace mlir::ane;

/// Of ops of canonical bodies and of whole models.
static bool comesFrom(Operation *op, StringRef node) {
  return op->getLoc()
      ->walk([&](Location inner) {
        auto name = dyn_cast<NameLoc>(inner);
        return name && name.getName() == node ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Of ops of an engine region or a program.
static bool comesFrom(Operation *op, StringRef node, const CanonicalOps &canonical) {
  return llvm::any_of(canonical.originsOf(op), [&](Operation *origin) { return comesFrom(origin, node); });
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
    else if (!isa<ElementsAttr>(attr.getValue()) && attr.getName() != attrs::from.name)
      os << ", " << attr.getName().getValue() << " = " << attr.getValue();
  }
  return {name, all};
}

/// The ops of a node under `root`. Of an island those of the engine region are the island's passes' to tell, the others
/// the function's.
static std::vector<OpText> opsOf(Operation *root, StringRef node) {
  std::vector<OpText> result;
  std::optional<CanonicalOps> canonical;
  if (auto island = dyn_cast<IslandOp>(root))
    canonical.emplace(island);
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto island = dyn_cast_or_null<IslandOp>(op->getParentOp());
    if (island && (op->getParentRegion() == &island.getEngine()) != (root == island))
      return WalkResult::skip();
    if (op != root && !op->getNumRegions() && isa_and_nonnull<ANEDialect>(op->getDialect()) &&
        !op->hasTrait<OpTrait::IsTerminator>() && !isConstantExpr(op) &&
        (canonical ? comesFrom(op, node, *canonical) : comesFrom(op, node)))
      result.push_back(describe(op));
    return WalkResult::advance();
  });
  llvm::sort(result);
  return result;
}

//===-- between passes ----------------------------------------------------===//

namespace {
/// The ops of a function by the nodes that they come from, to tell where a vanished one has gone.
struct NodeGraph {
  explicit NodeGraph(Operation *root) {
    root->walk([&](Operation *op) {
      std::string node = nodeName(op->getLoc());
      if (node.empty() || isConstantExpr(op))
        return;
      texts[node].push_back(op->getName().getStringRef().str() + "/" + std::to_string(op->getNumOperands()));
      for (Value operand : op->getOperands())
        if (Operation *producer = operand.getDefiningOp(); producer && !isConstantExpr(producer))
          if (std::string other = nodeName(producer->getLoc()); !other.empty() && other != node) {
            users[other].push_back(node);
            producers[node].push_back(other);
          }
    });
  }

  /// The nearest node whose ops are others in `after`, past nodes that are gone like `node` itself; users before
  /// producers.
  std::string heirOf(const std::string &node, NodeGraph &after) {
    for (auto *edges : {&users, &producers}) {
      std::deque<std::string> queue{node};
      llvm::StringSet<> seen;
      while (!queue.empty()) {
        std::string current = queue.front();
        queue.pop_front();
        if (!seen.insert(current).second)
          continue;
        bool isGone = !after.texts.count(current);
        if (!isGone && after.texts[current] != texts[current])
          return current;
        if (isGone)
          llvm::append_range(queue, (*edges)[current]);
      }
    }
    return "";
  }

  std::map<std::string, std::vector<std::string>> texts, users, producers;
};
} // namespace

class NodeTrace::Instrumentation : public PassInstrumentation {
public:
  explicit Instrumentation(NodeTrace &trace) : trace(trace) {}

  void runBeforePass(Pass *pass, Operation *op) override { states.push_back(snapshot(pass, op)); }
  void runAfterPass(Pass *pass, Operation *op) override {
    State before = std::move(states.back());
    states.pop_back();
    State after = snapshot(pass, op);
    for (auto [story, old, now] : llvm::zip_equal(trace.stories, before.ops, after.ops)) {
      if (old == now)
        continue;
      record(story, pass->getArgument(), isa<IslandOp>(op), old, now);
      if (now.empty() && before.graph && after.graph)
        if (std::string heir = before.graph->heirOf(story.followed().str(), *after.graph); !heir.empty())
          story.mergedInto = heir;
    }
  }
  void runAfterPassFailed(Pass *, Operation *) override { states.pop_back(); }

private:
  struct State {
    std::vector<std::vector<OpText>> ops; // by story
    std::optional<NodeGraph> graph;       // of a function
  };

  State snapshot(Pass *pass, Operation *op) {
    State state;
    state.ops.resize(trace.stories.size());
    // Adaptors have no name, and what a pass lets others do is theirs to tell; what passes do to a whole module after
    // it is legal is in the programs.
    StringRef name = pass->getArgument();
    if (name.empty() || name == "ane-legalize-island" || isa<ModuleOp>(op))
      return state;
    for (auto [story, ops] : llvm::zip_equal(trace.stories, state.ops))
      ops = opsOf(op, story.followed());
    if (!isa<IslandOp>(op))
      state.graph.emplace(op);
    return state;
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
  std::vector<State> states; // of the passes that run
};

NodeTrace::NodeTrace(std::vector<std::string> nodes) {
  for (std::string &node : nodes)
    stories.push_back({std::move(node), "", {}, {}, {}, {}});
}
NodeTrace::~NodeTrace() = default;

std::unique_ptr<PassInstrumentation> NodeTrace::instrumentation() { return std::make_unique<Instrumentation>(*this); }

//===-- first and last ----------------------------------------------------===//

/// "no node 'x' in the model; the nearest are 'y', 'z'".
static std::string unknownNode(StringRef node, const llvm::StringSet<> &known) {
  std::vector<std::pair<unsigned, StringRef>> nearest;
  for (StringRef name : known.keys()) {
    // A part of a name is what people have in mind, an edit is a slip: in the name, or in its last part.
    StringRef last = name.contains('/') ? name.rsplit('/').second : name;
    unsigned distance =
        name.contains_insensitive(node) ? 0 : 1 + std::min(name.edit_distance(node), last.edit_distance(node));
    nearest.push_back({distance, name});
  }
  llvm::sort(nearest);
  constexpr size_t shown = 5;
  std::string text =
      ("no op of the model comes from a node '" + node + "': there is none, or its value is known on import").str();
  if (nearest.empty())
    return text + "; no op has a name";
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
  std::map<Operation *, ValueRanges> ranges; // of functions
  for (NodeStory &story : stories) {
    visitPlacedOps(emittable, [&](Operation *op, StringRef where, bool engine) {
      if (!comesFrom(op, story.followed()))
        return;
      NodeOp row{op->getName().stripDialect().str(), typesOf(op), where.str(), engine, {}};
      if (auto host = attrs::host.get(op)) {
        if (std::optional<ConstraintID> id = findConstraint(host.getConstraint()))
          row.findings.push_back({*id, host.getReason().str()});
      } else if (engine) {
        for (const Violation &violation :
             findViolations(op, env, &ranges.try_emplace(op->getParentOp(), op->getParentOp()).first->second))
          row.findings.push_back({violation.id, violation.text()});
      }
      story.ops.push_back(std::move(row));
    });
    CanonicalOps canonical(emittable);
    for (auto program : emittable.getOps<ProgramOp>())
      program.walk([&](Operation *op) {
        auto name = dyn_cast_or_null<StringAttr>(attrs::name.get(op));
        if (name && !isConstantExpr(op) && !isa<BlobOp>(op) && comesFrom(op, story.followed(), canonical))
          story.statements.push_back({procedureName(op->getParentOfType<func::FuncOp>()), name.str(),
                                      op->getName().stripDialect().str(), typesOf(op)});
      });
  }
}
