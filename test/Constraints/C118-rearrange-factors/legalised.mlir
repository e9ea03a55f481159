// RUN: ane-opt %s --split-input-file --ane-to-legal --ane-verify-legal | FileCheck %s

// Here the blocks are cut on the way in.
// CHECK: input_layouts = [#ane.layout<expand = [32, 5, 32, 5], perm = [1, 3, 0, 2]>]
// CHECK-NOT: ane.space_to_depth
// CHECK: twin {
// CHECK: ane.space_to_depth

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x4x40x160xf32>) -> tensor<1x100x8x32xf32> {
    %a = ane.exp %x : tensor<1x4x40x160xf32>
    %0 = ane.space_to_depth %a {block_size = 5 : i64} : (tensor<1x4x40x160xf32>) -> tensor<1x100x8x32xf32>
    %1 = ane.relu %0 : tensor<1x100x8x32xf32>
    return %1 : tensor<1x100x8x32xf32>
  }
}

// -----

// CHECK: engine {
// CHECK-NOT: ane.depth_to_space
// CHECK: twin {

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x50x8x32xf32>) -> tensor<1x2x40x160xf32> {
    %0 = ane.depth_to_space %x {block_size = 5 : i64} : (tensor<1x50x8x32xf32>) -> tensor<1x2x40x160xf32>
    %1 = ane.relu %0 : tensor<1x2x40x160xf32>
    return %1 : tensor<1x2x40x160xf32>
  }
}

// -----

// CHECK: engine {
// CHECK-NOT: ane.pixel_shuffle
// CHECK: twin {

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x50x8x32xf32>) -> tensor<1x2x40x160xf32> {
    %0 = ane.pixel_shuffle %x {upscale_factor = 5 : i64} : (tensor<1x50x8x32xf32>) -> tensor<1x2x40x160xf32>
    %1 = ane.relu %0 : tensor<1x2x40x160xf32>
    return %1 : tensor<1x2x40x160xf32>
  }
}

// -----

// CHECK: engine {
// CHECK-NOT: ane.pixel_unshuffle
// CHECK: twin {

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x2x40x160xf32>) -> tensor<1x50x8x32xf32> {
    %0 = ane.pixel_unshuffle %x {downscale_factor = 5 : i64} : (tensor<1x2x40x160xf32>) -> tensor<1x50x8x32xf32>
    %1 = ane.relu %0 : tensor<1x50x8x32xf32>
    return %1 : tensor<1x50x8x32xf32>
  }
}
