// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// CHECK: ane.island
// CHECK: engine {
// CHECK: ane.conv %{{[^ ]*}}, %{{[^ ]*}} {ane.from = array<i64: 2>} :
// CHECK: ane.add
// CHECK: twin {

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x64x1x64xf32>) -> tensor<1x64x1x64xf32> {
    %w = ane.const dense<1.0> : tensor<64x64x1x1xf32>
    %b = ane.const dense<1.0> : tensor<64xf32>
    %0 = ane.conv %x, %w bias %b : (tensor<1x64x1x64xf32>, tensor<64x64x1x1xf32>, tensor<64xf32>) -> tensor<1x64x1x64xf32>
    return %0 : tensor<1x64x1x64xf32>
  }
}
