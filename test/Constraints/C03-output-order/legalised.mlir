// RUN: ane-opt %s --ane-to-emittable --ane-verify-legal="emittable=true" | FileCheck %s
// The compiler chooses names whose order is the declared one.

// CHECK: ane.program
// CHECK: ane.name = "out00"{{.*}}ane.name = "out01"

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>, %y: tensor<512x64x64xf32>) -> (tensor<64x64xf32>, tensor<512x64x64xf32>) {
    %0 = ane.relu %x : tensor<64x64xf32>
    %1 = ane.add %x, %y : tensor<64x64xf32>, tensor<512x64x64xf32>
    return %0, %1 : tensor<64x64xf32>, tensor<512x64x64xf32>
  }
}
