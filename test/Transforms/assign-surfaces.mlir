// RUN: ane-opt %s --ane-assign-surfaces | FileCheck %s

// Rows are whole units of 64 bytes; all inputs have the size of the largest, all outputs too, and none is below the
// minimum of 49,152 bytes (C02, C04, C18). 64 x 1024 x 2 = 131,072.
// CHECK-LABEL: ane.program @large
// CHECK: func.func @main(%{{.*}}: tensor<1x64x1x1024xf16> {ane.surface = #ane.surface<row_stride = 2048, bytes = 131072>}
// CHECK-SAME: tensor<1x4x1x40xf16> {ane.surface = #ane.surface<row_stride = 128, bytes = 131072>}
// CHECK-SAME: -> (tensor<1x4x1x40xf16> {ane.surface = #ane.surface<row_stride = 128, bytes = 49152>})
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @large {
    func.func @main(%x: tensor<1x64x1x1024xf16>, %y: tensor<1x4x1x40xf16>) -> tensor<1x4x1x40xf16> {
      %0 = ane.relu %y : tensor<1x4x1x40xf16>
      return %0 : tensor<1x4x1x40xf16>
    }
  }
  // CHECK-LABEL: func.func @plan
  // CHECK-NOT: ane.surface
  func.func @plan(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}
