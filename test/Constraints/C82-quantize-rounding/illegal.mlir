// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.quantize' violates C82 quantize-rounding on h16 (in_memory, macOS 15): quantize has no form on the engine
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the CPU quantises
// CHECK: note: see 'ane-compile --explain=C82'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xi8> {
      %s = ane.const dense<0.5> : tensor<f16>
      %0 = ane.quantize %x, %s {output_dtype = "int8"} : (tensor<1x64x1x64xf16>, tensor<f16>) -> tensor<1x64x1x64xi8> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x1x64xi8>
    }
  }
}
