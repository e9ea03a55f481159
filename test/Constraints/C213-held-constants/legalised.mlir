// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s
// VALUES: %x = 0.1 .. 4
// REWRITE ERROR: 5e-4, because a factor of 100,000 is rounded to fp16

// CHECK-LABEL: func.func @main
// CHECK: engine {
// CHECK-NOT: xf32
// CHECK: ane.mul
// CHECK: ane.mul
// CHECK: ane.real_div
// CHECK: twin {
// CHECK: ane.narrow %{{.*}} {because = "rescaled"}
// CHECK: ane.narrow %{{.*}} {because = "guard"}
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %large = ane.const dense<1.0e+05> : tensor<f32>
    %half = ane.const dense<0.5> : tensor<f32>
    %eps = ane.const dense<1.0e-12> : tensor<f32>
    %s = ane.clip %x {alpha = 0.0, beta = 0.5} : tensor<64x64xf32>
    %0 = ane.mul %s, %large : tensor<64x64xf32>, tensor<f32>
    %a = ane.abs %x : tensor<64x64xf32>
    %m = ane.maximum %a, %eps : tensor<64x64xf32>, tensor<f32>
    %1 = ane.real_div %x, %m : tensor<64x64xf32>, tensor<64x64xf32>
    return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
  }
}
