// RUN: ane-opt %s --ane-to-emittable --ane-verify-legal="emittable=true" | FileCheck %s
// 64 bytes of header; a record is 64 bytes of descriptor and the data.

// CHECK: ane.program
// CHECK: ane.blob "weights/main_0.bin" at 64 {
// CHECK: ane.blob "weights/main_0.bin" at 8320 {

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %w = ane.const dense<1.0> : tensor<64x64xf32>
    %v = ane.const dense<2.0> : tensor<64x64xf32>
    %0 = ane.linear %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = ane.relu %0 : tensor<64x64xf32>
    %2 = ane.linear %1, %v : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %2 : tensor<64x64xf32>
  }
}
