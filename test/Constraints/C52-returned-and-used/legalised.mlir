// RUN: ane-opt %s --ane-to-emittable --ane-verify-legal="emittable=true" | FileCheck %s

// CHECK: ane.program
// CHECK: %[[A:.*]] = ane.relu
// CHECK-NOT: return {{.*}}%[[A]],
// CHECK: return

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %0 = ane.relu %x : tensor<64x64xf32>
    %1 = ane.exp %0 : tensor<64x64xf32>
    return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
  }
}
