// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// SPPF of a detector: rows are of the first pool.
// CHECK: engine {
// CHECK: ane.max_pool {{.*}}kernel_sizes = array<i64: 9, 8>, pad = array<i64: 4, 4, 4, 4>
// CHECK: ane.max_pool {{.*}}kernel_sizes = array<i64: 1, 2>
// CHECK-NOT: ane.max_pool
// CHECK: twin {
// CHECK: kernel_sizes = array<i64: 9, 9>

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x32x20x40xf32>) -> tensor<1x32x20x40xf32> {
    %0 = ane.max_pool %x {kernel_sizes = array<i64: 9, 9>, pad = array<i64: 4, 4, 4, 4>, pad_type = "custom"} : (tensor<1x32x20x40xf32>) -> tensor<1x32x20x40xf32>
    return %0 : tensor<1x32x20x40xf32>
  }

  // Strides along both axes, and a rest that no window reads.
  // CHECK-LABEL: func.func @strided
  // CHECK: engine {
  // CHECK: ane.max_pool {{.*}}kernel_sizes = array<i64: 3, 8>{{.*}}strides = array<i64: 2, 1>
  // CHECK: ane.max_pool {{.*}}kernel_sizes = array<i64: 1, 8>{{.*}}strides = array<i64: 1, 4>
  // CHECK-NOT: ane.max_pool
  // CHECK: twin {
  func.func @strided(%x: tensor<2x32x17x67xf32>) -> tensor<2x32x8x15xf32> {
    %0 = ane.max_pool %x {kernel_sizes = array<i64: 3, 15>, pad = array<i64: 1, 0, 3, 2>, pad_type = "custom", strides = array<i64: 2, 4>} : (tensor<2x32x17x67xf32>) -> tensor<2x32x8x15xf32>
    return %0 : tensor<2x32x8x15xf32>
  }

  // Windows that see more padding than a narrow one may: pads of the second pool stand for windows of padding alone.
  // CHECK-LABEL: func.func @padded
  // CHECK: engine {
  // CHECK: pad = array<i64: 7, 7>
  // CHECK: pad = array<i64: 3, 5>
  // CHECK-NOT: ane.max_pool
  // CHECK: twin {
  func.func @padded(%x: tensor<1x64x33xf32>) -> tensor<1x64x41xf32> {
    %0 = ane.max_pool %x {kernel_sizes = array<i64: 15>, pad = array<i64: 10, 12>, pad_type = "custom"} : (tensor<1x64x33xf32>) -> tensor<1x64x41xf32>
    return %0 : tensor<1x64x41xf32>
  }

  // A last window beyond the padding.
  // CHECK-LABEL: func.func @ceiled
  // CHECK: engine {
  // CHECK-COUNT-3: ane.max_pool
  // CHECK-NOT: ane.max_pool
  // CHECK: twin {
  func.func @ceiled(%x: tensor<1x32x9x61xf32>) -> tensor<1x32x5x15xf32> {
    %0 = ane.max_pool %x {ceil_mode = true, kernel_sizes = array<i64: 2, 17>, pad = array<i64: 0, 0, 5, 5>, pad_type = "custom", strides = array<i64: 2, 4>} : (tensor<1x32x9x61xf32>) -> tensor<1x32x5x15xf32>
    return %0 : tensor<1x32x5x15xf32>
  }

  // CHECK-LABEL: func.func @same
  // CHECK: engine {
  // CHECK-COUNT-5: ane.max_pool
  // CHECK-NOT: ane.max_pool
  // CHECK: twin {
  func.func @same(%x: tensor<1x32x8x64xf32>) -> tensor<1x32x8x22xf32> {
    %0 = ane.max_pool %x {kernel_sizes = array<i64: 1, 31>, pad_type = "same_lower", strides = array<i64: 1, 3>} : (tensor<1x32x8x64xf32>) -> tensor<1x32x8x22xf32>
    return %0 : tensor<1x32x8x22xf32>
  }
}
