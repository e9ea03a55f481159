// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// The window partition of Swin pads the rows and columns of [N, H, W, C].
// CHECK: engine {
// CHECK: ane.pad %{{.*}}pad = array<i64: 0, 3, 0, 2>} : (tensor<1x64x5x6xf16>) -> tensor<1x64x8x8xf16>
// CHECK: twin {
// CHECK: ane.pad %{{.*}}pad = array<i64: 0, 3, 0, 2, 0, 0>}

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x5x6x64xf32>) -> tensor<1x8x8x64xf32> {
    %0 = ane.pad %x {pad = array<i64: 0, 3, 0, 2, 0, 0>} : (tensor<1x5x6x64xf32>) -> tensor<1x8x8x64xf32>
    return %0 : tensor<1x8x8x64xf32>
  }
}
