// RUN: ane-opt %s --ane-to-emittable --ane-verify-legal="emittable=true" | FileCheck %s
// 8,192 bytes of data in an allocation of 49,152.

// CHECK: ane.program
// CHECK: ane.surface = #ane.surface<row_stride = 128, bytes = 49152>

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = ane.relu %x : tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }
}
