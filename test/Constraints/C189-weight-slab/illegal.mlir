// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C189 advice=true" 2>&1 | FileCheck %s

// CHECK: warning: 'ane.conv' meets C189 weight-slab on h16 (in_memory, macOS 15): bytes of the weight for each core: 1033216, must be at least 16384 away from a multiple of 1048576
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-legalize-channels; what has too many outputs is split into slices of other sizes; else accepted: a split
// CHECK: note: see 'ane-compile --explain=C189'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x512x1x32xf16>) -> tensor<1x16144x1x32xf16> {
      %w = ane.const dense<0.5> : tensor<16144x512x1x1xf16>
      %0 = ane.conv %x, %w : (tensor<1x512x1x32xf16>, tensor<16144x512x1x1xf16>) -> tensor<1x16144x1x32xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x16144x1x32xf16>
    }
  }
}
