//===- graph.cpp - What a function of MIL computes from what --------------===//
#include "runtime/tools/diff/graph.h"
#include "absl/strings/str_cat.h"
#include "runtime/support/quote.h"

#include <algorithm>
#include <unordered_map>

namespace ane::rt::mildiff {

class GraphBuilder {
public:
  GraphBuilder(const mil::Function &function, ConstantReader &reader, const std::string &file, Tolerance tolerance)
      : function(function), reader(reader), file(file), tolerance(tolerance) {
    graph.source = &function;
  }

  absl::StatusOr<Graph> build() {
    for (uint32_t i = 0; i < function.params.size(); ++i)
      defined[function.params[i].name].origin = {Origin::Kind::Input, i, 0, &function.params[i].type};
    for (const mil::NamedValue &attribute : function.attributes)
      if (absl::Status s = flatten(attribute.name, attribute.value, ElementType::Float32, graph.own); !s.ok())
        return at(function.loc, function.name, s);
    for (const mil::Statement &statement : function.statements)
      if (absl::Status s = statement.isConst() ? define(statement) : add(statement); !s.ok())
        return at(statement.loc, statement.results.empty() ? statement.op : statement.results[0].name, s);
    for (size_t i = 0; i < function.outputs.size(); ++i) {
      absl::StatusOr<Origin> origin = resolve(function.outputs[i]);
      if (!origin.ok())
        return at(i < function.outputLocs.size() ? function.outputLocs[i] : function.loc, function.name,
                  origin.status());
      graph.results.push_back({function.outputs[i], *origin});
    }
    for (const mil::Variable &param : function.params)
      if (param.type.kind == mil::Type::Kind::State)
        graph.finals.push_back({param.name, defined[param.name].origin});
    return std::move(graph);
  }

private:
  /// A name: a value, or a constant that nobody has asked for yet.
  struct Definition {
    Origin origin;
    const mil::Value *pending = nullptr;
    ElementType bareFloat = ElementType::Float32;
  };

  absl::Status at(mil::Location loc, const std::string &subject, const absl::Status &status) const {
    // A package has no lines.
    std::string place = loc.line == 0 ? absl::StrCat(file, ": ", quote(subject), ": ")
                                      : absl::StrCat(file, ":", loc.line, ":", loc.column, ": ");
    return absl::Status(status.code(), absl::StrCat(place, status.message()));
  }

  absl::StatusOr<Origin> constant(const mil::Value &value, ElementType bareFloat) {
    absl::StatusOr<Constant> read = reader.read(value, bareFloat);
    if (!read.ok())
      return read.status();
    graph.values.push_back(*std::move(read));
    return Origin{Origin::Kind::Constant, static_cast<uint32_t>(graph.values.size() - 1), 0, &graph.values.back().type};
  }

  absl::StatusOr<Origin> resolve(const std::string &name) {
    auto found = defined.find(name);
    if (found == defined.end())
      return absl::InvalidArgumentError(absl::StrCat(quote(name), " is used and nothing before defines it"));
    Definition &definition = found->second;
    if (definition.pending) {
      absl::StatusOr<Origin> read = constant(*definition.pending, definition.bareFloat);
      if (!read.ok())
        return absl::Status(read.status().code(),
                            absl::StrCat("constant ", quote(name), ": ", read.status().message()));
      definition.origin = *read;
      definition.pending = nullptr;
    }
    return definition.origin;
  }

  absl::Status flatten(const std::string &name, const mil::Value &value, ElementType bareFloat,
                       std::vector<Operand> &operands) {
    // A package has no tuple of one.
    if (value.kind == mil::Value::Kind::Tuple && value.items.size() == 1)
      return flatten(name, value.items[0], bareFloat, operands);
    if (value.kind == mil::Value::Kind::Tuple || value.kind == mil::Value::Kind::Dict) {
      for (size_t i = 0; i < value.items.size(); ++i)
        if (absl::Status s = flatten(absl::StrCat(name, "[", i, "]"), value.items[i], bareFloat, operands); !s.ok())
          return s;
      return absl::OkStatus();
    }
    absl::StatusOr<Origin> origin = value.isReference() ? resolve(value.name) : constant(value, bareFloat);
    if (!origin.ok())
      return value.isReference()
                 ? origin.status()
                 : absl::Status(origin.status().code(), absl::StrCat(name, ": ", origin.status().message()));
    operands.push_back({name, *origin});
    return absl::OkStatus();
  }

  /// Who defines a name again, hides the first: some generators do, and the system takes it.
  absl::Status define(const mil::Statement &statement) {
    const mil::Value *value = statement.operand("val");
    if (!value || statement.results.size() != 1)
      return absl::InvalidArgumentError("a const has one result and an attribute val");
    Definition &definition = defined[statement.results[0].name];
    const ElementType type = statement.results[0].type.dtype;
    definition = {{}, value, isFloat(type) ? type : ElementType::Float32};
    return absl::OkStatus();
  }

  absl::Status add(const mil::Statement &statement) {
    Node node;
    node.statement = &statement;
    const ElementType type = statement.results.empty() ? ElementType::Float32 : statement.results[0].type.dtype;
    const ElementType bareFloat = isFloat(type) ? type : ElementType::Float32;
    for (const std::vector<mil::NamedValue> *values : {&statement.arguments, &statement.attributes})
      for (const mil::NamedValue &value : *values)
        if (value.name != "name" || values == &statement.arguments)
          if (absl::Status s = flatten(value.name, value.value, bareFloat, node.operands); !s.ok())
            return s;
    std::sort(node.operands.begin(), node.operands.end(),
              [](const Operand &a, const Operand &b) { return a.name < b.name; });
    if (tolerance.types && statement.op == "cast" && statement.results.size() == 1) {
      const Operand *x = node.operand("x");
      if (x && isFloat(type) && isTensorLike(*x->origin.type) && isFloat(x->origin.type->dtype)) {
        defined[statement.results[0].name] = {x->origin};
        return absl::OkStatus();
      }
    }
    const auto index = static_cast<uint32_t>(graph.all.size());
    for (uint32_t i = 0; i < statement.results.size(); ++i)
      defined[statement.results[i].name] = {{Origin::Kind::Result, index, i, &statement.results[i].type}};
    if (statement.op != "read_state")
      changeStates(statement, index);
    graph.all.push_back(std::move(node));
    return absl::OkStatus();
  }

  /// Every operation but a read leaves a new version of the states that it is given.
  void changeStates(const mil::Statement &statement, uint32_t index) {
    auto version = static_cast<uint32_t>(statement.results.size());
    for (const mil::NamedValue &argument : statement.arguments) {
      if (!argument.value.isReference())
        continue;
      auto found = defined.find(argument.value.name);
      if (found == defined.end() || found->second.pending)
        continue;
      if (const mil::Type *type = found->second.origin.type; type->kind == mil::Type::Kind::State)
        found->second.origin = {Origin::Kind::Result, index, version++, type};
    }
  }

  static bool isTensorLike(const mil::Type &type) { return type.isScalar() || type.isTensor(); }

  const mil::Function &function;
  ConstantReader &reader;
  const std::string &file;
  const Tolerance tolerance;
  std::unordered_map<std::string, Definition> defined;
  Graph graph;
};

const Operand *Node::operand(const std::string &name) const {
  auto found = std::find_if(operands.begin(), operands.end(), [&](const Operand &o) { return o.name == name; });
  return found == operands.end() ? nullptr : &*found;
}

absl::StatusOr<Graph> Graph::of(const mil::Function &function, ConstantReader &reader, const std::string &file,
                                Tolerance tolerance) {
  return GraphBuilder(function, reader, file, tolerance).build();
}

std::vector<uint32_t> Graph::ordered(const std::vector<Operand> &outputs) const {
  std::vector<uint32_t> order;
  std::vector<bool> seen(all.size());
  struct Visit {
    uint32_t node;
    size_t next;
  };
  std::vector<Visit> stack; // programs may be deeper than a call stack
  auto visit = [&](const Origin &origin) {
    if (!origin.isResult() || seen[origin.index])
      return;
    seen[origin.index] = true;
    stack.push_back({origin.index, 0});
  };
  auto drain = [&] {
    while (!stack.empty()) {
      Visit &top = stack.back();
      const std::vector<Operand> &operands = all[top.node].operands;
      if (top.next < operands.size()) {
        visit(operands[top.next++].origin); // may move `top`
        continue;
      }
      order.push_back(top.node);
      stack.pop_back();
    }
  };
  for (const std::vector<Operand> *needed : {&outputs, &finals})
    for (const Operand &operand : *needed) {
      visit(operand.origin);
      drain();
    }
  for (uint32_t i = 0; i < all.size(); ++i) { // what nothing needs
    visit({Origin::Kind::Result, i, 0, nullptr});
    drain();
  }
  return order;
}

} // namespace ane::rt::mildiff
