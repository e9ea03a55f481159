//===- ANEAttrs.td - enums and attributes of the ane dialect ------------===//
#ifndef ANE_IR_ANEATTRS_TD
#define ANE_IR_ANEATTRS_TD

include "ane/IR/ANEDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"

//===-- enums -----------------------------------------------------------===//

def ANE_Opset : I32EnumAttr<"Opset", "first Core ML opset that has an operation", [
    I32EnumAttrCase<"ios15", 15>, I32EnumAttrCase<"ios16", 16>,
    I32EnumAttrCase<"ios17", 17>, I32EnumAttrCase<"ios18", 18>]> {
  let cppNamespace = "::mlir::ane";
}

def ANE_Route : I32EnumAttr<"Route", "way in which a program reaches the engine", [
    I32EnumAttrCase<"InMemory", 0, "in_memory">, I32EnumAttrCase<"CoreML", 1, "coreml">,
    I32EnumAttrCase<"E5RT", 2, "e5rt">, I32EnumAttrCase<"Netlist", 3, "netlist">]> {
  let cppNamespace = "::mlir::ane";
}

def ANE_Strictness : I32EnumAttr<"Strictness", "which constraints are enforced", [
    I32EnumAttrCase<"Catalog", 0, "catalog">, I32EnumAttrCase<"Evidence", 1, "evidence">]> {
  let cppNamespace = "::mlir::ane";
}

//===-- attributes ------------------------------------------------------===//

class ANE_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<ANE_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def ANE_WeightAttr : ANE_Attr<"Weight", "weight", [TypedAttrInterface]> {
  let summary = "bytes of a mapped file, typed as a tensor";
  let description = [{
    Names `bytes` bytes at `offset` of `file`, row-major, little-endian, of the tensor type that follows the colon.
    `sha256` (hex, may be left out) is checked when the bytes are read.

    ```mlir
    #ane.weight<"model.onnx", 4096, 589824> : tensor<384x384xf32>
    ```
  }];
  let parameters = (ins
    AttributeSelfTypeParameter<"", "::mlir::RankedTensorType">:$type,
    StringRefParameter<"path of the file">:$file,
    "uint64_t":$offset, "uint64_t":$bytes,
    OptionalParameter<"::mlir::StringAttr">:$sha256);
  let assemblyFormat = "`<` $file `,` $offset `,` $bytes (`,` $sha256^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    operator ::mlir::ane::WeightRange() const {
      return {getFile(), getOffset(), getBytes(), getSha256() ? getSha256().getValue() : ::llvm::StringRef()};
    }
  }];
}

def ANE_TargetAttr : ANE_Attr<"Target", "target"> {
  let summary = "the machine that programs are compiled for";
  let description = [{
    `chip` is the compiler's target name (h13 ... h17d), see `include/ane/Constraint/Targets.td`, or several joined by commas,
    on each of which the program is legal; `os` is the oldest macOS major version that must run the program. A module may have
    `ane.keep` beside it, a list of rules that `strictness = evidence` does not lift. Read both through `TargetEnv` only.

    ```mlir
    module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>}
    ```
  }];
  let parameters = (ins
    StringRefParameter<"chip">:$chip,
    EnumParameter<ANE_Route>:$route, "int64_t":$os,
    EnumParameter<ANE_Opset>:$opset, EnumParameter<ANE_Strictness>:$strictness);
  let assemblyFormat = "`<` struct(params) `>`";
}

def ANE_LayoutAttr : ANE_Attr<"Layout", "layout"> {
  let summary = "how a plan tensor becomes a surface";
  let description = [{
    The plan tensor is reshaped to `expand`, transposed by `perm`, and reshaped to the type of the argument that
    carries the attribute. A result is converted by the inverse: reshaped to the transposed `expand`, transposed by the
    inverse of `perm`, and reshaped to the plan tensor's shape.

    ```mlir
    %x: tensor<1x384x1x128xf16> {ane.layout = #ane.layout<expand = [1, 128, 384], perm = [0, 2, 1]>}
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$expand, ArrayRefParameter<"int64_t">:$perm);
  let assemblyFormat = "`<` `expand` `=` `[` $expand `]` `,` `perm` `=` `[` $perm `]` `>`";
  let genVerifyDecl = 1;
}

def ANE_HostAttr : ANE_Attr<"Host", "host"> {
  let summary = "why an op is not on the engine";
  let description = [{
    `constraint` is the id of the record that the op violates (`ane-compile --explain=ID`), `reason` the sentence for the
    report.
  }];
  let parameters = (ins StringRefParameter<"constraint">:$constraint, StringRefParameter<"reason">:$reason);
  let assemblyFormat = "`<` $constraint `,` $reason `>`";
}

def ANE_SurfaceAttr : ANE_Attr<"Surface", "surface"> {
  let summary = "the allocation behind an argument or a result of a procedure";
  let description = [{
    Rows of the last axis are `row_stride` bytes apart, the allocation has `bytes` bytes: more than the tensor where the
    engine wants a minimum (C04) or one size for all (C02, C18). Assigned in phase emittable.

    ```mlir
    %x: tensor<1x384x1x128xf16> {ane.surface = #ane.surface<row_stride = 256, bytes = 98304>}
    ```
  }];
  let parameters = (ins "int64_t":$row_stride, "int64_t":$bytes);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // ANE_IR_ANEATTRS_TD
