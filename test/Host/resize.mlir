// Images in another size: each axis is gathered below and above the grid's points, which are constants; whole repeats are views.
// RUN: ane-opt %s --ane-host-constants --ane-host-prepare --ane-host-layout --ane-host-cluster | FileCheck %s --check-prefix=OP
// RUN: ane-opt %s --ane-host-compile=print-kernels=true -o /dev/null | FileCheck %s

// OP-LABEL: @bilinear
// OP-COUNT-2: host.kernel elementwise(
// CHECK-LABEL: func.func private @gather_sub_mul_add_{{[0-9a-f]+}}(
// CHECK-COUNT-2: memref.load %{{.*}} : memref<8xi32>
// CHECK: arith.mulf
// CHECK-LABEL: func.func private @gather_sub_mul_add_{{[0-9a-f]+}}(
func.func @bilinear(%x: tensor<1x3x4x4xf32>) -> tensor<1x3x8x8xf32> {
  %0 = ane.resize_bilinear %x {target_size_height = 8 : i64, target_size_width = 8 : i64, sampling_mode = "UNALIGN_CORNERS"} : (tensor<1x3x4x4xf32>) -> tensor<1x3x8x8xf32>
  return %0 : tensor<1x3x8x8xf32>
}

// OP-LABEL: @nearest
// OP: host.kernel copy(
// OP-NEXT: ane.reshape
// OP-NEXT: ane.tile
// OP-NEXT: host.yield
// CHECK-LABEL: func.func private @copy_{{[0-9a-f]+}}(
// CHECK-SAME: memref<48xf32>, %{{.*}}: memref<192xf32>)
func.func @nearest(%x: tensor<1x3x4x4xf32>) -> tensor<1x3x8x8xf32> {
  %0 = ane.upsample_nearest_neighbor %x {scale_factor_height = 2 : i64, scale_factor_width = 2 : i64} : (tensor<1x3x4x4xf32>) -> tensor<1x3x8x8xf32>
  return %0 : tensor<1x3x8x8xf32>
}
