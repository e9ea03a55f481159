//===- BlockType.td - how GGUF files store elements ---------------------===//
#ifndef ANE_IR_BLOCKTYPE_TD
#define ANE_IR_BLOCKTYPE_TD

include "mlir/IR/EnumAttr.td"

/// Values and layouts are those of GGUF (runtime/format/gguf/blocks.h).
class ANE_BlockCase<string name, int value> : I32EnumAttrCase<name, value, !tolower(name)>;

def ANE_BlockType : I32EnumAttr<"BlockType", "how a GGUF file stores the elements of a tensor", [
    ANE_BlockCase<"F32", 0>, ANE_BlockCase<"F16", 1>, ANE_BlockCase<"BF16", 30>,
    ANE_BlockCase<"Q4_0", 2>, ANE_BlockCase<"Q4_1", 3>, ANE_BlockCase<"Q5_0", 6>, ANE_BlockCase<"Q5_1", 7>,
    ANE_BlockCase<"Q8_0", 8>, ANE_BlockCase<"Q2_K", 10>, ANE_BlockCase<"Q3_K", 11>, ANE_BlockCase<"Q4_K", 12>,
    ANE_BlockCase<"Q5_K", 13>, ANE_BlockCase<"Q6_K", 14>, ANE_BlockCase<"IQ4_NL", 20>, ANE_BlockCase<"IQ4_XS", 23>]> {
  let cppNamespace = "::mlir::ane";
}

#endif // ANE_IR_BLOCKTYPE_TD
