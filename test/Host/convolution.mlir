// Convolutions with constant weights are products that read images, channels last, where they lie.
// RUN: ane-opt %s --ane-host-constants --ane-host-prepare --ane-host-layout --ane-host-cluster | FileCheck %s --check-prefix=OP
// RUN: ane-opt %s --ane-host-compile=print-kernels=true -o /dev/null | FileCheck %s

// The image is turned once, the result on its way to memory.
// OP-LABEL: @direct
// OP: host.kernel elementwise(
// OP-NEXT: ane.identity %{{.*}} {host.copy, host.order = array<i64: 0, 2, 3, 1>}
// OP: host.kernel product(
// OP-NEXT: ane.conv %{{.*}} {host.order = array<i64: 0, 2, 3, 1>, strides = array<i64: 2, 2>}
// OP-NEXT: ane.identity %{{.*}} {host.copy}
// OP-NEXT: host.yield
// CHECK-LABEL: func.func private @identity_{{[0-9a-f]+}}(
// CHECK-LABEL: func.func private @conv_identity_{{[0-9a-f]+}}(
// CHECK-SAME: memref<3200xf32>, %{{.*}}: memref<1152xf32>, %{{.*}}: memref<1296xf32>)
// CHECK: vector.fma
func.func @direct(%x: tensor<1x8x20x20xf32>) -> tensor<1x16x9x9xf32> {
  %w = ane.const dense<0.5> : tensor<16x8x3x3xf32>
  %0 = ane.conv %x, %w {pad_type = "valid", strides = array<i64: 2, 2>} : (tensor<1x8x20x20xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x9x9xf32>
  return %0 : tensor<1x16x9x9xf32>
}

// A transposed convolution whose windows don't overlap is a product for each tap.
// OP-LABEL: @transposed
// OP: host.kernel product(
// OP-NEXT: ane.conv_transpose
// OP-NEXT: ane.reshape
// OP-NEXT: ane.add
// CHECK-LABEL: func.func private @conv_transpose_add_identity_{{[0-9a-f]+}}(
// CHECK: vector.fma
func.func @transposed(%x: tensor<1x8x5x5xf32>, %b: tensor<16xf32>) -> tensor<1x16x10x10xf32> {
  %w = ane.const dense<0.5> : tensor<8x16x2x2xf32>
  %0 = ane.conv_transpose %x, %w bias %b {pad_type = "valid", strides = array<i64: 2, 2>} : (tensor<1x8x5x5xf32>, tensor<8x16x2x2xf32>, tensor<16xf32>) -> tensor<1x16x10x10xf32>
  return %0 : tensor<1x16x10x10xf32>
}

// With computed weights it is a product with the windows of the image, which are copied. Windows of a dilated convolution are every other element of larger ones.
// OP-LABEL: @computed
// OP: host.kernel copy(
// OP-NEXT: ane.sliding_windows %{{.*}} {axis = 2 : i64, size = 5 : i64}
// OP-NEXT: ane.slice_by_index {{.*}}stride = array<i64: 1, 1, 1, 2, 1>
// OP: host.kernel product(
// OP: ane.matmul
// CHECK-LABEL: func.func private @copy_{{[0-9a-f]+}}(
// CHECK-SAME: memref<576xf32>, %{{.*}}: memref<2304xf32>)
// CHECK-LABEL: func.func private @matmul_{{[0-9a-f]+}}(
// CHECK: vector.fma
func.func @computed(%x: tensor<1x4x12x12xf32>, %w: tensor<8x4x3x3xf32>) -> tensor<1x8x8x8xf32> {
  %0 = ane.conv %x, %w {pad_type = "valid", dilations = array<i64: 2, 2>} : (tensor<1x4x12x12xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x8x8xf32>
  return %0 : tensor<1x8x8x8xf32>
}
