// RUN: ane-opt %s --ane-to-emittable --ane-verify-legal="emittable=true" | FileCheck %s

// CHECK: ane.program
// CHECK: ane.blob "weights/main_0.bin"
// CHECK-NOT: ane.blob "weights/main_1

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %w = ane.const dense<0.5> : tensor<64x64xf32>
    %v = ane.const dense<0.25> : tensor<64x64xf32>
    %0 = ane.linear %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = ane.linear %0, %v : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %1 : tensor<64x64xf32>
  }
}
