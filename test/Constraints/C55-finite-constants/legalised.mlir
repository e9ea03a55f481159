// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s
// What is masked with the finite value is 0 after softmax, as it was.

// CHECK: ane.island
// CHECK: engine {
// CHECK: dense<{{.*}}-3.000000e+04{{.*}}xf16>
// CHECK: twin {

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x4xf32>) -> tensor<64x4xf32> {
    %c = ane.const dense<[[0.0, -3.40282347E+38, 0.0, 0xFF800000]]> : tensor<1x4xf32>
    %0 = ane.add %x, %c : tensor<64x4xf32>, tensor<1x4xf32>
    %1 = ane.softmax %0 {axis = -1 : i64} : tensor<64x4xf32>
    return %1 : tensor<64x4xf32>
  }

  // A bound that fp16 can't hold is none; what is masked away is the finite value, however the mask is spelled.
  // CHECK-LABEL: func.func @clip
  // CHECK: engine {
  // CHECK: ane.clip %{{.*}}alpha = 0.000000e+00 : f64, {{.*}}beta = 6.550400e+04 : f64}
  // CHECK-NOT: 0xFC00
  // CHECK: twin {
  // CHECK: beta = 0x7FF0000000000000
  func.func @clip(%x: tensor<1x8x2x8x8xf32>) -> tensor<1x8x2x8x8xf32> {
    %mask = ane.const dense<"0xFEFCF8F0E0C08000"> : tensor<8x8xi1>
    %never = ane.const dense<0xFF800000> : tensor<f32>
    %0 = ane.clip %x {alpha = 0.0, beta = 0x7FF0000000000000 : f64} : tensor<1x8x2x8x8xf32>
    %1 = ane.select %mask, %never, %0 : tensor<8x8xi1>, tensor<f32>, tensor<1x8x2x8x8xf32>
    %2 = ane.exp %1 : tensor<1x8x2x8x8xf32>
    return %2 : tensor<1x8x2x8x8xf32>
  }
}
