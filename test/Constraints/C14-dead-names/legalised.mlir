// RUN: ane-opt %s --ane-to-emittable --ane-verify-legal="emittable=true" | FileCheck %s
// What nobody reads is not computed, and what is returned twice leaves the program once.

// CHECK: ane.program
// CHECK: func.func @main({{.*}}) -> (tensor<{{.*}}ane.name = "out00"
// CHECK-NOT: ane.name = "out01"
// CHECK-NOT: ane.exp
// CHECK: return %{{[^,]*}} :

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %0 = ane.relu %x : tensor<64x64xf32>
    %1 = ane.exp %x : tensor<64x64xf32>
    return %0, %0 : tensor<64x64xf32>, tensor<64x64xf32>
  }
}
