// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane.island(ane-begin-engine-body,ane-legalize-sums)))' | FileCheck %s

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  // CHECK-LABEL: func.func @long
  // CHECK: engine {
  // CHECK: %[[HALVES:.*]] = ane.const dense<5.000000e-01> : tensor<1x512xf32>
  // CHECK: %[[S:.*]] = ane.linear %{{.*}}, %[[HALVES]]
  // CHECK: %[[TWO:.*]] = ane.const dense<2.000000e+00>
  // CHECK: ane.mul %[[S]], %[[TWO]]
  // CHECK: } twin {
  func.func @long(%in0: tensor<4x512xf32>) -> tensor<4xf32> {
    %0 = ane.island(%in0) : (tensor<4x512xf32>) -> (tensor<4xf32>) engine {
    } twin {
    ^bb0(%x: tensor<4x512xf32>):
      %1 = ane.reduce_sum %x {axes = array<i64: 1>} : (tensor<4x512xf32>) -> tensor<4xf32>
      ane.yield %1 : tensor<4xf32>
    }
    return %0 : tensor<4xf32>
  }

  // A mean of 300 is 1024 / 300 times the sum of x / 1024.
  // CHECK-LABEL: func.func @mean
  // CHECK: engine {
  // CHECK: ane.const dense<9.765625E-4> : tensor<1x300xf32>
  // CHECK: ane.linear
  // CHECK: ane.const dense<3.41{{.*}}>
  // CHECK: } twin {
  func.func @mean(%in0: tensor<4x300xf32>) -> tensor<4x1xf32> {
    %0 = ane.island(%in0) : (tensor<4x300xf32>) -> (tensor<4x1xf32>) engine {
    } twin {
    ^bb0(%x: tensor<4x300xf32>):
      %1 = ane.reduce_mean %x {axes = array<i64: 1>, keep_dims = true} : (tensor<4x300xf32>) -> tensor<4x1xf32>
      ane.yield %1 : tensor<4x1xf32>
    }
    return %0 : tensor<4x1xf32>
  }

  // More channels than a product takes: 25 sums of 25 sums of 64.
  // CHECK-LABEL: func.func @parts
  // CHECK: engine {
  // CHECK-NOT: ane.linear
  // CHECK: %[[P:.*]] = ane.reshape %{{.*}} {{{.*}}shape = array<i64: 1, 2, 625, 64>}
  // CHECK: %[[S:.*]] = ane.reduce_sum %[[P]] {{{.*}}axes = array<i64: 3>, keep_dims = true}
  // CHECK: %[[Q:.*]] = ane.reshape %[[S]] {{{.*}}shape = array<i64: 1, 2, 25, 25>}
  // CHECK: %[[T:.*]] = ane.reduce_sum %[[Q]] {{{.*}}axes = array<i64: 3>, keep_dims = true}
  // CHECK: %[[R:.*]] = ane.reshape %[[T]] {{{.*}}shape = array<i64: 1, 2, 1, 25>}
  // CHECK: ane.reduce_sum %[[R]] {{{.*}}axes = array<i64: 3>, keep_dims = true}
  // CHECK: } twin {
  func.func @parts(%in0: tensor<2x40000xf32>) -> tensor<2xf32> {
    %0 = ane.island(%in0) : (tensor<2x40000xf32>) -> tensor<2xf32> engine {
    } twin {
    ^bb0(%x: tensor<2x40000xf32>):
      %1 = ane.reduce_sum %x {axes = array<i64: 1>} : (tensor<2x40000xf32>) -> tensor<2xf32>
      ane.yield %1 : tensor<2xf32>
    }
    return %0 : tensor<2xf32>
  }

  // A prime number is filled up with zeros, to 63 times 508, and these to 51 times 10. A mean divides each time.
  // CHECK-LABEL: func.func @filled
  // CHECK: engine {
  // CHECK: ane.pad %{{.*}} {{{.*}}pad = array<i64: 0, 1, 0, 0>} : (tensor<1x1x32003x256xf32>)
  // CHECK: ane.mul
  // CHECK: ane.reduce_sum %{{.*}} {{{.*}}axes = array<i64: 2>, keep_dims = true} : (tensor<1x508x63x256xf32>)
  // CHECK: ane.pad %{{.*}} {{{.*}}pad = array<i64: 0, 2, 0, 0>} : (tensor<1x1x508x256xf32>)
  // CHECK: ane.mul
  // CHECK: ane.reduce_sum %{{.*}} {{{.*}}axes = array<i64: 2>, keep_dims = true} : (tensor<1x10x51x256xf32>)
  // CHECK: ane.mul
  // CHECK: ane.reduce_sum %{{.*}} {{{.*}}axes = array<i64: 2>, keep_dims = true} : (tensor<1x1x10x256xf32>)
  // CHECK: } twin {
  func.func @filled(%in0: tensor<1x32003x8x32xf32>) -> tensor<1x8x32xf32> {
    %0 = ane.island(%in0) : (tensor<1x32003x8x32xf32>) -> tensor<1x8x32xf32> engine {
    } twin {
    ^bb0(%x: tensor<1x32003x8x32xf32>):
      %1 = ane.reduce_mean %x {axes = array<i64: 1>} : (tensor<1x32003x8x32xf32>) -> tensor<1x8x32xf32>
      ane.yield %1 : tensor<1x8x32xf32>
    }
    return %0 : tensor<1x8x32xf32>
  }

  // Short sums stay, and those whose other axes leave no room for one more.
  // CHECK-LABEL: func.func @stays
  // CHECK: engine {
  // CHECK-NOT: ane.linear
  // CHECK: ane.reduce_sum %{{.*}} {{{.*}}axes = array<i64: 1>} : (tensor<4x255xf32>)
  // CHECK: ane.reduce_sum %{{.*}} {{{.*}}axes = array<i64: 2>, keep_dims = true} : (tensor<300x300x256xf32>)
  // CHECK: } twin {
  func.func @stays(%in0: tensor<4x255xf32>, %in1: tensor<300x300x256xf32>) -> (tensor<4xf32>, tensor<300x300xf32>) {
    %0:2 = ane.island(%in0, %in1) : (tensor<4x255xf32>, tensor<300x300x256xf32>) -> (tensor<4xf32>, tensor<300x300xf32>) engine {
    } twin {
    ^bb0(%x: tensor<4x255xf32>, %y: tensor<300x300x256xf32>):
      %1 = ane.reduce_sum %x {axes = array<i64: 1>} : (tensor<4x255xf32>) -> tensor<4xf32>
      %2 = ane.reduce_sum %y {axes = array<i64: 2>} : (tensor<300x300x256xf32>) -> tensor<300x300xf32>
      ane.yield %1, %2 : tensor<4xf32>, tensor<300x300xf32>
    }
    return %0#0, %0#1 : tensor<4xf32>, tensor<300x300xf32>
  }
}
