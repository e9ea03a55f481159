// RUN: ane-opt %s --ane-place | FileCheck %s --implicit-check-not=ane.host
// Known to be large enough, or an input itself, which each run looks at.

// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: ane.log
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %c = ane.const dense<7.7e-06> : tensor<f32>
    %m = ane.maximum %x, %c : tensor<64x64xf32>, tensor<f32>
    %0 = ane.log %m {epsilon = 0.0} : tensor<64x64xf32>
    %1 = ane.log %x {epsilon = 0.0} : tensor<64x64xf32>
    return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
  }
}
