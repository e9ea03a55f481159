// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.mul' violates C83 quantised-branches on h16 (coreml, macOS 15): the factors are dequantised with different scales
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the CPU multiplies
// CHECK: note: see 'ane-compile --explain=C83'

module attributes {ane.target = #ane.target<chip = "h16", route = coreml, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xi8>, %y: tensor<1x64x1x64xi8>) -> tensor<1x64x1x64xf16> {
      %s = ane.const dense<0.5> : tensor<f16>
      %t = ane.const dense<0.25> : tensor<f16>
      %0 = ane.dequantize %x, %s : (tensor<1x64x1x64xi8>, tensor<f16>) -> tensor<1x64x1x64xf16>
      %1 = ane.dequantize %y, %t : (tensor<1x64x1x64xi8>, tensor<f16>) -> tensor<1x64x1x64xf16>
      %2 = ane.mul %0, %1 : tensor<1x64x1x64xf16>, tensor<1x64x1x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %2 : tensor<1x64x1x64xf16>
    }
  }
}
