// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C57 advice=true" 2>&1 | FileCheck %s

// CHECK: warning: 'ane.reduce_sum' meets C57 accurate-sum on h16 (in_memory, macOS 15): elements summed: 256, limit 255
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-sums; a product with halves, doubled: the accumulator ends at 32,768, a sum at 65,504; or one short axis after the other
// CHECK: note: see 'ane-compile --explain=C57'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x1x64x256xf16>) -> tensor<1x1x64x1xf16> {
      %0 = ane.reduce_sum %x {axes = array<i64: 3>, keep_dims = true} : (tensor<1x1x64x256xf16>) -> tensor<1x1x64x1xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x1x64x1xf16>
    }
  }
}
