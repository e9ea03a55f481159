// RUN: not ane-opt %s --split-input-file --ane-verify-legal="only=C61" 2>&1 | FileCheck %s

// CHECK: error: 'ane.cast' violates C61 cast-form on h16 (in_memory, macOS 15): cast: from f16 to i32, must be between fp16 and bool
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the CPU casts at the boundary
// CHECK: note: see 'ane-compile --explain=C61'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xi32> {
      %0 = ane.cast %x {dtype = "int32"} : (tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xi32> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x1x64xi32>
    }
  }
}
