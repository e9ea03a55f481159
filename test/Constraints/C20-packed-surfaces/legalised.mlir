// RUN: ane-opt %s --ane-to-emittable --ane-verify-legal="emittable=true" | FileCheck %s
// Rows are whole 64-byte units, so that packed and padded rows are the same bytes.

// CHECK: ane.program
// CHECK: func.func @main
// CHECK-SAME: row_stride

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x48xf32>) -> tensor<64x48xf32> {
    %0 = ane.relu %x : tensor<64x48xf32>
    return %0 : tensor<64x48xf32>
  }
}
