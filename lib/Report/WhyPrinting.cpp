//===- WhyPrinting.cpp - what became of a node, as text and as JSON -------===//

#include "ane/Report/Why.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::ane;

/// "mul 4, tanh", or "nothing".
static std::string counted(ArrayRef<std::string> texts) {
  llvm::MapVector<StringRef, unsigned> counts;
  for (StringRef text : texts)
    ++counts[text];
  auto parts = llvm::map_range(counts, [](auto &entry) {
    return entry.second == 1 ? entry.first.str() : llvm::formatv("{0} {1}", entry.first, entry.second).str();
  });
  return counts.empty() ? "nothing" : llvm::join(parts, ", ");
}

/// Why no pass makes the record hold for the op.
static std::string noPassText(const ConstraintInfo &record, StringRef op) {
  if (record.host || record.passes.empty())
    return "no pass makes it hold: the op has no other form on the engine";
  std::string passes = "--" + llvm::join(record.passes, ", --");
  bool isAbout = record.anyOp || record.ops.empty() || llvm::is_contained(record.ops, ("ane." + op).str());
  return passes + (isAbout ? " could not make it hold for this op" : " made this op so that it holds for others");
}

static void printFinding(const NodeOp &op, const NodeFinding &finding, llvm::raw_ostream &os) {
  const ConstraintInfo &record = info(finding.id);
  os << "    " << record.code << " " << record.slug << ": " << finding.finding << "\n      " << record.summary
     << "; otherwise " << record.symptomText << "\n";
  if (op.engine)
    os << "      made to hold" << (record.passes.empty() ? "" : " by --") << llvm::join(record.passes, ", --")
       << (record.remedy.empty() ? "" : ": ") << record.remedy << "\n";
  else
    os << "      " << noPassText(record, op.op) << (record.remedy.empty() ? "" : "; ") << record.remedy << "\n";
  for (const EvidenceInfo &evidence : record.evidence)
    os << "      " << evidenceText(evidence) << "\n";
}

std::string NodeTrace::text() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const NodeStory &story : stories) {
    os << "node '" << story.node << "' on " << target << "\n  imported as "
       << (story.imported.empty() ? "a constant" : counted(story.imported)) << "\n";
    if (!story.changes.empty())
      os << "\n  changed by\n";
    for (const NodeChange &change : story.changes)
      os << "    " << llvm::left_justify(change.pass, 26) << " " << counted(change.before) << "\n"
         << std::string(27, ' ') << "=> " << counted(change.after) << "\n";
    os << "\n";
    if (!story.mergedInto.empty())
      os << "  it is part of what node '" << story.mergedInto << "' became:\n";
    if (story.ops.empty())
      os << "  no op is left of it: its value is known before the model runs, or is another op's\n";
    for (const NodeOp &op : story.ops) {
      os << "  " << op.op << " -> " << op.type << ": " << (op.engine ? "engine, program " : "CPU, function ")
         << op.where << "\n";
      for (const NodeFinding &finding : op.findings)
        printFinding(op, finding, os);
    }
    if (!story.statements.empty())
      os << "\n  in MIL\n";
    for (const NodeStatement &statement : story.statements)
      os << "    " << statement.program << ": " << statement.name << " = " << statement.op << " -> " << statement.type
         << "\n";
    if (&story != &stories.back())
      os << "\n";
  }
  return text;
}

static llvm::json::Object opJSON(const NodeOp &op) {
  llvm::json::Array findings;
  for (const NodeFinding &finding : op.findings) {
    const ConstraintInfo &record = info(finding.id);
    findings.push_back(llvm::json::Object{{"constraint", record.code},
                                          {"name", record.slug},
                                          {"finding", finding.finding},
                                          {"summary", record.summary},
                                          {"passes", llvm::json::Array(record.passes)},
                                          {"remedy", record.remedy},
                                          {"evidence", evidenceJSON(record.evidence)}});
  }
  return llvm::json::Object{{"op", op.op},
                            {"type", op.type},
                            {"device", op.engine ? "engine" : "cpu"},
                            {"where", op.where},
                            {"findings", std::move(findings)}};
}

std::string NodeTrace::json() const {
  llvm::json::Array nodes;
  for (const NodeStory &story : stories) {
    llvm::json::Array changes, ops, statements;
    for (const NodeChange &change : story.changes)
      changes.push_back(llvm::json::Object{{"pass", change.pass},
                                           {"on_engine", change.onEngine},
                                           {"before", llvm::json::Array(change.before)},
                                           {"after", llvm::json::Array(change.after)}});
    for (const NodeOp &op : story.ops)
      ops.push_back(opJSON(op));
    for (const NodeStatement &statement : story.statements)
      statements.push_back(llvm::json::Object{
          {"program", statement.program}, {"name", statement.name}, {"op", statement.op}, {"type", statement.type}});
    nodes.push_back(llvm::json::Object{
        {"node", story.node},
        {"merged_into", story.mergedInto.empty() ? llvm::json::Value(nullptr) : llvm::json::Value(story.mergedInto)},
        {"imported", llvm::json::Array(story.imported)},
        {"changes", std::move(changes)},
        {"ops", std::move(ops)},
        {"statements", std::move(statements)}});
  }
  llvm::json::Object root{{"schema", 1}, {"target", target}, {"nodes", std::move(nodes)}};
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(root)));
}
