// RUN: ane-opt %s --ane-inline-islands | FileCheck %s

// The engine region stands between casts, and what the layouts say is done by ops.
// CHECK-LABEL: func.func @main(%arg0: tensor<1x8x4xf32>)
// CHECK-NEXT: %[[HALF:.*]] = ane.cast %arg0 {dtype = "fp16"}
// CHECK-NEXT: %[[MOVED:.*]] = ane.transpose %[[HALF]] {perm = array<i64: 0, 2, 1>}
// CHECK-NEXT: %[[SURFACE:.*]] = ane.reshape %[[MOVED]] {shape = array<i64: 1, 4, 1, 8>}
// CHECK-NEXT: %[[RELU:.*]] = ane.relu %[[SURFACE]] : tensor<1x4x1x8xf16>
// CHECK-NEXT: %[[PLAIN:.*]] = ane.reshape %[[RELU]] {shape = array<i64: 1, 4, 8>}
// CHECK-NEXT: %[[BACK:.*]] = ane.transpose %[[PLAIN]] {perm = array<i64: 0, 2, 1>}
// CHECK-NEXT: %[[OUT:.*]] = ane.cast %[[BACK]] {dtype = "fp32"}
// CHECK-NEXT: return %[[OUT]] : tensor<1x8x4xf32>
func.func @main(%x: tensor<1x8x4xf32>) -> tensor<1x8x4xf32> {
  %0 = ane.island(%x) : (tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
      attributes {input_layouts = [#ane.layout<expand = [1, 8, 4], perm = [0, 2, 1]>],
                  output_layouts = [#ane.layout<expand = [1, 8, 4], perm = [0, 2, 1]>]}
  engine {
  ^bb0(%y: tensor<1x4x1x8xf16>):
    %1 = ane.relu %y {ane.from = array<i64: 0>} : tensor<1x4x1x8xf16>
    ane.yield %1 : tensor<1x4x1x8xf16>
  } twin {
  ^bb0(%y: tensor<1x8x4xf32>):
    %1 = ane.relu %y : tensor<1x8x4xf32>
    ane.yield %1 : tensor<1x8x4xf32>
  }
  return %0 : tensor<1x8x4xf32>
}
