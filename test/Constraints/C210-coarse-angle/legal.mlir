// RUN: ane-opt %s --ane-place | FileCheck %s --implicit-check-not=ane.host
// Known to be small, computed by a product of many terms, or an input itself, which each run looks at.

// CHECK-LABEL: func.func @main
// CHECK-COUNT-3: ane.sin
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
    %c = ane.const dense<8.0> : tensor<f32>
    %s = ane.sigmoid %x : tensor<64x64xf32>
    %a = ane.mul %s, %c : tensor<64x64xf32>, tensor<f32>
    %0 = ane.sin %a : tensor<64x64xf32>
    %b = ane.matmul %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = ane.sin %b : tensor<64x64xf32>
    %2 = ane.sin %x : tensor<64x64xf32>
    return %0, %1, %2 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  }
}
