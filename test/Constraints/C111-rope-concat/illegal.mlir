// RUN: not ane-opt %s --split-input-file --ane-verify-legal="only=C111" 2>&1 | FileCheck %s

// CHECK: error: 'ane.concat' violates C111 rope-concat on h15 (in_memory, macOS 15): two slices of one value are joined along the last axis
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-rope, --ane-legalize-concat; a product with a permutation matrix makes pairs change places; other concats become sums
// CHECK: note: see 'ane-compile --explain=C111'

module attributes {ane.target = #ane.target<chip = "h15", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x4x64x64xf16>) -> tensor<1x4x64x64xf16> {
      %a = ane.slice_by_size %x {begin = array<i64: 0, 0, 0, 32>, size = array<i64: 1, 4, 64, 32>} : (tensor<1x4x64x64xf16>) -> tensor<1x4x64x32xf16>
      %n = ane.const dense<-1.0> : tensor<f16>
      %m = ane.mul %a, %n : tensor<1x4x64x32xf16>, tensor<f16>
      %b = ane.slice_by_size %x {begin = array<i64: 0, 0, 0, 0>, size = array<i64: 1, 4, 64, 32>} : (tensor<1x4x64x64xf16>) -> tensor<1x4x64x32xf16>
      %0 = ane.concat %m, %b {axis = 3 : i64} : (tensor<1x4x64x32xf16>, tensor<1x4x64x32xf16>) -> tensor<1x4x64x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x4x64x64xf16>
    }
  }
}
