// RUN: ane-opt %s --split-input-file --ane-to-emittable | FileCheck %s

// Each constant of a program has a file of its own, and two readers share one.
// CHECK-LABEL: ane.program
// CHECK: ane.blob "weights/main_0_0.bin" at 64
// CHECK: ane.blob "weights/main_0_1.bin" at 64
// CHECK-NOT: ane.blob

module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %w = ane.const dense<2.0> : tensor<64xf32>
    %v = ane.const dense<3.0> : tensor<64xf32>
    %0 = ane.mul %x, %w : tensor<64x64xf32>, tensor<64xf32>
    %1 = ane.add %0, %v : tensor<64x64xf32>, tensor<64xf32>
    %2 = ane.tanh %1 : tensor<64x64xf32>
    %3 = ane.mul %2, %w : tensor<64x64xf32>, tensor<64xf32>
    return %3 : tensor<64x64xf32>
  }
}
