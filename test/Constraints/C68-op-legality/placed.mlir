// RUN: ane-opt %s --split-input-file --ane-place | FileCheck %s

// A composite that is refused is no reason for the CPU; an op that is refused is one.
module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  // CHECK-LABEL: func.func @composite
  // CHECK-NOT: ane.host
  // CHECK: return
  func.func @composite(%x: tensor<1x2x64x64xf32>) -> tensor<1x2x64x64xf32> {
    %0 = ane.scaled_dot_product_attention %x, %x, %x : (tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>) -> tensor<1x2x64x64xf32>
    return %0 : tensor<1x2x64x64xf32>
  }
}

// -----

module attributes {ane.target = #ane.target<chip = "h16", route = e5rt, os = 15, opset = ios17, strictness = catalog>} {
  // CHECK-LABEL: func.func @crop
  // CHECK: ane.crop_resize {{.*}}ane.host = #ane.host<"C68", "crop_resize: rejected (ANEForge, M5 Pro: not implemented on the engine)">
  func.func @crop(%x: tensor<1x64x32x32xf32>, %b: tensor<64x4xf32>) -> tensor<64x64x32x32xf32> {
    %0 = ane.crop_resize %x, %b {target_height = 32 : i64, target_width = 32 : i64} : (tensor<1x64x32x32xf32>, tensor<64x4xf32>) -> tensor<64x64x32x32xf32>
    return %0 : tensor<64x64x32x32xf32>
  }
}
