//===- ANEDialect.td - the ane dialect ---------------------------------===//
#ifndef ANE_IR_ANEDIALECT_TD
#define ANE_IR_ANEDIALECT_TD

include "mlir/IR/OpBase.td"

def ANE_Dialect : Dialect {
  let name = "ane";
  let summary = "Programs for Apple's Neural Engine, one op per MIL operation";
  let description = [{
    Ops mirror the operations of MIL: an op's mnemonic is the MIL name and its argument names are the MIL argument
    names, so that the serialiser is a table walk. Runtime values and large constants are operands, compile-time
    parameters are attributes. Beside them stand the composites that models use and the engine lacks or spells badly
    (`linear`, `layer_norm`, `rms_norm`, `rope`, `embedding`, ...), and the containers `island`, `program`, `eval`.

    Large weights never live in the IR: `#ane.weight` names bytes of a mapped file.
  }];
  let cppNamespace = "::mlir::ane";
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  // Against the declarations in DialectAttrs.h.
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = ["::mlir::func::FuncDialect"];
  let extraClassDeclaration = [{
    /// The mapped weight files of this context.
    WeightTable &getWeights() { return *weights; }
    void registerAttributes();

  private:
    std::shared_ptr<WeightTable> weights;
  public:
  }];
}

#endif // ANE_IR_ANEDIALECT_TD
