// RUN: ane-opt %s --ane-place | FileCheck %s --implicit-check-not=ane.host
// The largest number and a small one; an addend of a product; a constant of zeros; a small number that is added to what goes into layers.

// CHECK-LABEL: func.func @main
// CHECK: ane.linear
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %large = ane.const dense<65504.0> : tensor<f32>
    %small = ane.const dense<6.2e-05> : tensor<f32>
    %zero = ane.const dense<0.0> : tensor<64x64xf32>
    %weight = ane.const dense<0.5> : tensor<64x64xf32>
    %bias = ane.const dense<1.0e-09> : tensor<64xf32>
    %0 = ane.minimum %x, %large : tensor<64x64xf32>, tensor<f32>
    %1 = ane.mul %0, %small : tensor<64x64xf32>, tensor<f32>
    %2 = ane.add %1, %zero : tensor<64x64xf32>, tensor<64x64xf32>
    %3 = ane.linear %2, %weight bias %bias : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64xf32>) -> tensor<64x64xf32>
    %tiny = ane.const dense<2.65e-06> : tensor<f32>
    %4 = ane.add %3, %tiny : tensor<64x64xf32>, tensor<f32>
    %5 = ane.relu %4 : tensor<64x64xf32>
    %6 = ane.linear %5, %weight : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %6 : tensor<64x64xf32>
  }
}
