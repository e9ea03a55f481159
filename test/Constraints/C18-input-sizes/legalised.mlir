// RUN: ane-opt %s --ane-to-emittable --ane-verify-legal="emittable=true" | FileCheck %s
// Allocations grow to the largest, tensors do not.

// CHECK: ane.program
// CHECK: in00{{.*}}bytes = [[BYTES:[0-9]+]]{{.*}}in01{{.*}}bytes = [[BYTES]]>

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>, %y: tensor<512x64x64xf32>) -> tensor<512x64x64xf32> {
    %0 = ane.add %x, %y : tensor<64x64xf32>, tensor<512x64x64xf32>
    return %0 : tensor<512x64x64xf32>
  }
}
