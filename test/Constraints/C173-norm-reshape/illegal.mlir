// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C173 advice=true" 2>&1 | FileCheck %s

// CHECK: warning: 'ane.reduce_sum' meets C173 norm-reshape on h16 (e5rt, macOS 15): reduces the channels of 1024 batches without rows
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: a reduction over the last axis, or a product with ones
// CHECK: note: see 'ane-compile --explain=C173'

module attributes {ane.target = #ane.target<chip = "h16", route = e5rt, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1024x128x1x1xf16>) -> tensor<1024x1x1x1xf16> {
      %0 = ane.reduce_sum %x {axes = array<i64: 1>, keep_dims = true} : (tensor<1024x128x1x1xf16>) -> tensor<1024x1x1x1xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1024x1x1x1xf16>
    }
  }
}
