//===- classes.cpp - Values that are equal by what they are made of -------===//
#include "runtime/tools/diff/classes.h"
#include "absl/strings/str_cat.h"
#include "runtime/support/hash.h"

#include <algorithm>
#include <cstring>

namespace ane::rt::mildiff {

bool isCommutative(const std::string &op) {
  static constexpr const char *kOps[] = {"add",        "mul",         "maximum", "minimum",  "logical_and",
                                         "logical_or", "logical_xor", "equal",   "not_equal"};
  return std::find(std::begin(kOps), std::end(kOps), op) != std::end(kOps);
}

uint32_t Classes::number(const Constant &constant) {
  std::string key = absl::StrCat("constant ", typeKey(constant.type, tolerance.types), " ");
  if (tolerance.weights && constant.isWeight)
    return intern(key + "of any value");
  constexpr uint64_t kShort = 64;
  if (constant.bytes <= kShort) {
    key.append(reinterpret_cast<const char *>(constant.data), constant.bytes);
    return intern(std::move(key));
  }
  Hash hash;
  hash.update(constant.data, constant.bytes);
  absl::StrAppend(&key, hash.digest());
  // A hash proves nothing: the bytes decide.
  for (int same = 0;; ++same) {
    const uint32_t found = intern(absl::StrCat(key, " ", same));
    const Constant *&other = first[found];
    if (!other)
      other = &constant;
    if (other == &constant ||
        (other->bytes == constant.bytes &&
         (other->data == constant.data || std::memcmp(other->data, constant.data, constant.bytes) == 0)))
      return found;
  }
}

uint32_t Classes::of(const Origin &origin, const Numbers &numbers) {
  if (origin.isInput())
    return numbers.inputs[origin.index];
  if (origin.isConstant())
    return numbers.constants[origin.index];
  return intern(absl::StrCat("result ", numbers.nodes[origin.index], " ", origin.result));
}

std::string Classes::types(const Node &node) const {
  std::string key;
  for (const mil::Variable &result : node.statement->results)
    absl::StrAppend(&key, " ", typeKey(result.type, tolerance.types));
  return key;
}

uint32_t Classes::kind(const Node &node) {
  std::string key = absl::StrCat("kind ", node.statement->op, types(node));
  for (const Operand &operand : node.operands)
    absl::StrAppend(&key, " ", operand.name);
  return intern(std::move(key));
}

Classes::Numbers Classes::number(const Graph &graph, const std::vector<uint32_t> &inputs) {
  Numbers numbers;
  const std::vector<mil::Variable> &params = graph.function().params;
  for (size_t i = 0; i < params.size(); ++i)
    numbers.inputs.push_back(intern(absl::StrCat("input ", inputs[i], " ", typeKey(params[i].type, tolerance.types))));
  for (const Constant &constant : graph.constants())
    numbers.constants.push_back(number(constant));
  for (const Node &node : graph.nodes()) {
    std::string key = absl::StrCat("node ", node.statement->op, types(node)), form = "form" + key;
    std::vector<uint32_t> operands;
    for (const Operand &operand : node.operands)
      operands.push_back(of(operand.origin, numbers));
    if (tolerance.operands && isCommutative(node.statement->op))
      std::sort(operands.begin(), operands.end());
    for (size_t i = 0; i < operands.size(); ++i) {
      absl::StrAppend(&key, " ", node.operands[i].name, "=", operands[i]);
      absl::StrAppend(&form, " ", node.operands[i].name);
      if (node.operands[i].origin.isConstant())
        absl::StrAppend(&form, "=", numbers.constants[node.operands[i].origin.index]);
    }
    numbers.nodes.push_back(intern(std::move(key)));
    numbers.forms.push_back(intern(std::move(form)));
  }
  return numbers;
}

} // namespace ane::rt::mildiff
