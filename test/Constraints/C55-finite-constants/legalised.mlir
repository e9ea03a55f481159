// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s
// What is masked is 0 behind the softmax, as it was. A bound that fp16 can't hold is none.

// CHECK-LABEL: func.func @main
// CHECK: ane.narrow {{.*}}because = "mask"
// CHECK: engine {
// CHECK: %[[LEAST:.*]] = ane.const dense<-3.000000e+04>
// CHECK: %[[TOP:.*]] = ane.reduce_max %[[MASK:.*]] {axes = array<i64: 1>, keep_dims = true} : (tensor<1x4xf32>)
// CHECK: %[[BELOW:.*]] = ane.sub %[[MASK]], %[[TOP]]
// CHECK: ane.maximum %[[BELOW]], %[[LEAST]]
// CHECK: twin {

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x4xf32>) -> tensor<64x4xf32> {
    %c = ane.const dense<[[0.0, -3.40282347E+38, 0.0, 0xFF800000]]> : tensor<1x4xf32>
    %s = ane.matmul %x, %w : (tensor<64x64xf32>, tensor<64x4xf32>) -> tensor<64x4xf32>
    %0 = ane.add %s, %c : tensor<64x4xf32>, tensor<1x4xf32>
    %1 = ane.softmax %0 {axis = -1 : i64} : tensor<64x4xf32>
    return %1 : tensor<64x4xf32>
  }

  // CHECK-LABEL: func.func @clip
  // CHECK: engine {
  // CHECK: ane.maximum
  // CHECK-NOT: ane.clip
  // CHECK: twin {
  // CHECK: beta = 0x7FF0000000000000
  func.func @clip(%x: tensor<1x8x2x8x8xf32>) -> tensor<1x8x2x8x8xf32> {
    %0 = ane.clip %x {alpha = 1.0, beta = 0x7FF0000000000000 : f64} : tensor<1x8x2x8x8xf32>
    return %0 : tensor<1x8x2x8x8xf32>
  }
}
