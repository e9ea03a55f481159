// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// CHECK: ane.island
// CHECK: engine {
// CHECK: dense<-3.000000e+04> : tensor<f16>
// CHECK: twin {

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %c = ane.const dense<-3.40282347E+38> : tensor<f32>
    %0 = ane.add %x, %c : tensor<64x64xf32>, tensor<f32>
    return %0 : tensor<64x64xf32>
  }
}
