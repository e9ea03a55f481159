// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

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
