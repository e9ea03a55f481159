// RUN: ane-opt %s --ane-place | FileCheck %s --implicit-check-not=ane.host
// Of inputs that are only moved, which each run looks at; of a product of many terms; of a value and itself.

// CHECK-LABEL: func.func @main
// CHECK: ane.greater
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %c = ane.const dense<0.5> : tensor<f32>
    %t = ane.transpose %x {perm = array<i64: 1, 0>} : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %0 = ane.greater %t, %c : tensor<64x64xf32>, tensor<f32>
    %1 = ane.select %0, %x, %w : tensor<64x64xi1>, tensor<64x64xf32>, tensor<64x64xf32>
    %b = ane.matmul %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %2 = ane.greater %b, %c : tensor<64x64xf32>, tensor<f32>
    %3 = ane.select %2, %x, %w : tensor<64x64xi1>, tensor<64x64xf32>, tensor<64x64xf32>
    return %1, %3 : tensor<64x64xf32>, tensor<64x64xf32>
  }
}
