//===- op_registry.cpp - Ops that the emulator runs -----------------------===//

#include "runtime/device/emulator/op_registry.h"

#include "runtime/support/half.h"

#include <map>

namespace ane::rt::emulator {
namespace {

using Table = std::map<std::string_view, const OpEntry *>;

const Table &table() {
  static const Table joined = [] {
    Table result;
    for (absl::Span<const OpEntry> family :
         {unaryOps(),         binaryOps(),   activationOps(), reduceOps(),    normOps(),    poolOps(),  convOps(),
          convTransposeOps(), matmulOps(),   einsumOps(),     attentionOps(), reshapeOps(), sliceOps(), joinOps(),
          padOps(),           blockOps(),    gatherOps(),     scatterOps(),   orderOps(),   fillOps(),  resizeOps(),
          imageOps(),         quantizeOps(), constexprOps(),  compressedOps()})
      for (const OpEntry &entry : family)
        result.emplace(entry.name, &entry);
    return result;
  }();
  return joined;
}

} // namespace

const OpEntry *findOp(std::string_view name) {
  auto found = table().find(name);
  return found == table().end() ? nullptr : found->second;
}

std::vector<const OpEntry *> allOps() {
  std::vector<const OpEntry *> entries;
  for (const auto &[name, entry] : table())
    entries.push_back(entry);
  return entries;
}

void *Scratch::take(int64_t elements) {
  if (next == blocks.size())
    blocks.emplace_back();
  Block &block = blocks[next++];
  if (block.elements < elements) {
    block.memory = allocateElements(elements);
    block.elements = elements;
  }
  return block.memory.get();
}

const float *KernelContext::floats(const Operand &operand) {
  if (const uint16_t *halves = packed[static_cast<size_t>(operand.slot)]) {
    int64_t count = operand.type.size();
    float *wide = scratchFloats(count);
    widenHalf(halves, wide, count);
    return wide;
  }
  return static_cast<const float *>(values[static_cast<size_t>(operand.slot)]);
}

const int32_t *KernelContext::ints(const Operand &operand) {
  return static_cast<const int32_t *>(values[static_cast<size_t>(operand.slot)]);
}

const uint32_t *KernelContext::words(const Operand &operand) {
  if (heldAsFloat(operand.type.element))
    return reinterpret_cast<const uint32_t *>(floats(operand));
  return static_cast<const uint32_t *>(values[static_cast<size_t>(operand.slot)]);
}

} // namespace ane::rt::emulator
