// Which ops share a kernel.
// RUN: ane-opt %s --ane-host-cluster | FileCheck %s
// What is printed can be read again, is left as it is, and compiled.
// RUN: ane-opt %s --ane-host-cluster | ane-opt --ane-host-cluster | FileCheck %s
// RUN: ane-opt %s --ane-host-cluster | ane-opt --ane-host-compile=print-kernels=true -o %t.again > %t.kernels
// RUN: ane-opt %s --ane-host-compile=print-kernels=true -o /dev/null | diff - %t.kernels

// A product takes what follows it element by element. The softmax sweeps over rows; what comes before and after joins it.
// CHECK-LABEL: @chain
// CHECK: %[[P:.*]] = host.kernel product(
// CHECK-NEXT: ane.linear
// CHECK-NEXT: ane.mul
// CHECK-NEXT: host.yield
// CHECK: %[[S:.*]] = host.kernel row(%{{.*}} = %[[P]])
// CHECK-NEXT: ane.softmax
// CHECK-NEXT: ane.sqrt
// CHECK-NEXT: host.yield
// CHECK: return %[[S]]
func.func @chain(%x: tensor<8x16xf32>, %w: tensor<32x16xf32>, %s: tensor<32xf32>) -> tensor<8x32xf32> {
  %0 = ane.linear %x, %w : (tensor<8x16xf32>, tensor<32x16xf32>) -> tensor<8x32xf32>
  %1 = ane.mul %0, %s : tensor<8x32xf32>, tensor<32xf32>
  %2 = ane.softmax %1 {axis = -1 : i64} : tensor<8x32xf32>
  %3 = ane.sqrt %2 : tensor<8x32xf32>
  return %3 : tensor<8x32xf32>
}

// Sweeps over the same rows become one where nothing lies between them.
// CHECK-LABEL: @diamond
// CHECK: host.kernel row(
// CHECK-NEXT: ane.exp
// CHECK-NEXT: ane.reduce_sum
// CHECK-NEXT: ane.real_div
// CHECK-NOT: host.kernel
func.func @diamond(%x: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %0 = ane.exp %x : tensor<8x32xf32>
  %1 = ane.reduce_sum %0 {axes = array<i64: 1>, keep_dims = true} : (tensor<8x32xf32>) -> tensor<8x1xf32>
  %2 = ane.real_div %0, %1 : tensor<8x32xf32>, tensor<8x1xf32>
  return %2 : tensor<8x32xf32>
}

// An op whose other operand is computed from the product elsewhere would close a cycle.
// CHECK-LABEL: @cycle
// CHECK: host.kernel product(
// CHECK-NEXT: ane.linear
// CHECK-NEXT: host.yield
// CHECK: host.kernel search(
// CHECK: host.kernel elementwise(
// CHECK-NEXT: ane.add
func.func @cycle(%x: tensor<8x16xf32>, %w: tensor<32x16xf32>) -> tensor<8x32xf32> {
  %0 = ane.linear %x, %w : (tensor<8x16xf32>, tensor<32x16xf32>) -> tensor<8x32xf32>
  %1 = ane.cumsum %0 {axis = 1 : i64} : tensor<8x32xf32>
  %2 = ane.add %0, %1 : tensor<8x32xf32>, tensor<8x32xf32>
  return %2 : tensor<8x32xf32>
}

// What is only needed transposed is written so.
// CHECK-LABEL: @stored_transposed
// CHECK: %[[R:.*]] = host.kernel elementwise(
// CHECK-NEXT: %[[V:.*]] = ane.relu
// CHECK-NEXT: %[[T:.*]] = ane.transpose %[[V]]
// CHECK-NEXT: host.yield %[[T]] : tensor<16x8xf32>
// CHECK: host.kernel search(%{{.*}} = %[[R]])
// CHECK-NEXT: ane.reshape
func.func @stored_transposed(%x: tensor<8x16xf32>) -> tensor<128xf32> {
  %0 = ane.relu %x : tensor<8x16xf32>
  %1 = ane.transpose %0 {perm = array<i64: 1, 0>} : (tensor<8x16xf32>) -> tensor<16x8xf32>
  %2 = ane.reshape %1 {shape = array<i64: 128>} : (tensor<16x8xf32>) -> tensor<128xf32>
  %3 = ane.cumsum %2 {axis = 0 : i64} : tensor<128xf32>
  return %3 : tensor<128xf32>
}

// A constant that a product holds packed can't be read as it is by what follows.
// CHECK-LABEL: @packed
// CHECK: host.kernel product(
// CHECK-NEXT: ane.matmul
// CHECK-NEXT: host.yield
// CHECK: host.kernel elementwise(
// CHECK-NEXT: ane.add
func.func @packed(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %w = ane.const dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = ane.matmul %x, %w : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = ane.add %0, %w : tensor<2x2xf32>, tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}
