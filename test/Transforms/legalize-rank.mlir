// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane.island(ane-begin-engine-body,ane-legalize-rank)))' | FileCheck %s

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  // Axes that both operands have in full.
  // CHECK-LABEL: func.func @broadcast
  // CHECK: engine {
  // CHECK: ane.add %{{.*}}, %{{.*}} : tensor<6x4x5x6xf16>, tensor<6x4x1x6xf16>
  func.func @broadcast(%in0: tensor<2x3x4x5x6xf16>, %in1: tensor<2x3x4x1x6xf16>) -> tensor<2x3x4x5x6xf16> {
    %0 = ane.island(%in0, %in1) : (tensor<2x3x4x5x6xf16>, tensor<2x3x4x1x6xf16>) -> (tensor<2x3x4x5x6xf16>) engine {
    } twin {
    ^bb0(%x: tensor<2x3x4x5x6xf16>, %y: tensor<2x3x4x1x6xf16>):
      %r = ane.add %x, %y : tensor<2x3x4x5x6xf16>, tensor<2x3x4x1x6xf16>
      ane.yield %r : tensor<2x3x4x5x6xf16>
    }
    return %0 : tensor<2x3x4x5x6xf16>
  }

  // No two neighbours are alike.
  // CHECK-LABEL: func.func @alternating
  // CHECK: engine {
  // CHECK-NOT: reshape
  // CHECK: ane.add
  // CHECK: } twin {
  func.func @alternating(%in0: tensor<2x3x4x5x6xf16>, %in1: tensor<2x1x4x1x6xf16>) -> tensor<2x3x4x5x6xf16> {
    %0 = ane.island(%in0, %in1) : (tensor<2x3x4x5x6xf16>, tensor<2x1x4x1x6xf16>) -> (tensor<2x3x4x5x6xf16>) engine {
    } twin {
    ^bb0(%x: tensor<2x3x4x5x6xf16>, %y: tensor<2x1x4x1x6xf16>):
      %r = ane.add %x, %y : tensor<2x3x4x5x6xf16>, tensor<2x1x4x1x6xf16>
      ane.yield %r : tensor<2x3x4x5x6xf16>
    }
    return %0 : tensor<2x3x4x5x6xf16>
  }

  // CHECK-LABEL: func.func @slice
  // CHECK: engine {
  // CHECK: ane.slice_by_size %{{.*}}begin = array<i64: 3, 0, 0, 0>, size = array<i64: 3, 4, 5, 6>} : (tensor<9x4x5x6xf16>)
  func.func @slice(%in0: tensor<3x3x4x5x6xf16>) -> tensor<1x3x4x5x6xf16> {
    %0 = ane.island(%in0) : (tensor<3x3x4x5x6xf16>) -> (tensor<1x3x4x5x6xf16>) engine {
    } twin {
    ^bb0(%x: tensor<3x3x4x5x6xf16>):
      %r = ane.slice_by_size %x {begin = array<i64: 1, 0, 0, 0, 0>, size = array<i64: 1, 3, 4, 5, 6>} : (tensor<3x3x4x5x6xf16>) -> tensor<1x3x4x5x6xf16>
      ane.yield %r : tensor<1x3x4x5x6xf16>
    }
    return %0 : tensor<1x3x4x5x6xf16>
  }

  // CHECK-LABEL: func.func @softmax
  // CHECK: engine {
  // CHECK: ane.softmax %{{.*}}axis = 3 : i64} : tensor<6x4x5x6xf16>
  func.func @softmax(%in0: tensor<2x3x4x5x6xf16>) -> tensor<2x3x4x5x6xf16> {
    %0 = ane.island(%in0) : (tensor<2x3x4x5x6xf16>) -> (tensor<2x3x4x5x6xf16>) engine {
    } twin {
    ^bb0(%x: tensor<2x3x4x5x6xf16>):
      %r = ane.softmax %x {axis = -1 : i64} : tensor<2x3x4x5x6xf16>
      ane.yield %r : tensor<2x3x4x5x6xf16>
    }
    return %0 : tensor<2x3x4x5x6xf16>
  }

  // CHECK-LABEL: func.func @matmul
  // CHECK: engine {
  // CHECK: ane.matmul %{{.*}}, %{{.*}} : (tensor<6x4x5x6xf16>, tensor<6x4x6x7xf16>)
  func.func @matmul(%in0: tensor<2x3x4x5x6xf16>, %in1: tensor<2x3x4x6x7xf16>) -> tensor<2x3x4x5x7xf16> {
    %0 = ane.island(%in0, %in1) : (tensor<2x3x4x5x6xf16>, tensor<2x3x4x6x7xf16>) -> (tensor<2x3x4x5x7xf16>) engine {
    } twin {
    ^bb0(%x: tensor<2x3x4x5x6xf16>, %y: tensor<2x3x4x6x7xf16>):
      %r = ane.matmul %x, %y : (tensor<2x3x4x5x6xf16>, tensor<2x3x4x6x7xf16>) -> tensor<2x3x4x5x7xf16>
      ane.yield %r : tensor<2x3x4x5x7xf16>
    }
    return %0 : tensor<2x3x4x5x7xf16>
  }

  // CHECK-LABEL: func.func @reduction
  // CHECK: engine {
  // CHECK: ane.reduce_sum %{{.*}}axes = array<i64: 3>, keep_dims = true} : (tensor<6x4x5x6xf16>)
  func.func @reduction(%in0: tensor<2x3x4x5x6xf16>) -> tensor<2x3x4x5xf16> {
    %0 = ane.island(%in0) : (tensor<2x3x4x5x6xf16>) -> (tensor<2x3x4x5xf16>) engine {
    } twin {
    ^bb0(%x: tensor<2x3x4x5x6xf16>):
      %r = ane.reduce_sum %x {axes = array<i64: 4>} : (tensor<2x3x4x5x6xf16>) -> tensor<2x3x4x5xf16>
      ane.yield %r : tensor<2x3x4x5xf16>
    }
    return %0 : tensor<2x3x4x5xf16>
  }

  // A split is slices, which have fewer axes: queries, keys and values that come from one product.
  // CHECK-LABEL: func.func @split
  // CHECK: engine {
  // CHECK: ane.slice_by_size %{{.*}}begin = array<i64: 0, 0, 0, 0>, size = array<i64: 12, 1, 4, 8>} : (tensor<12x3x4x8xf16>)
  // CHECK: ane.slice_by_size %{{.*}}begin = array<i64: 0, 1, 0, 0>, size = array<i64: 12, 2, 4, 8>} : (tensor<12x3x4x8xf16>)
  // CHECK-NOT: ane.split
  // CHECK: } twin {
  func.func @split(%in0: tensor<1x12x3x4x8xf16>) -> (tensor<1x12x1x4x8xf16>, tensor<1x12x2x4x8xf16>) {
    %0:2 = ane.island(%in0) : (tensor<1x12x3x4x8xf16>) -> (tensor<1x12x1x4x8xf16>, tensor<1x12x2x4x8xf16>) engine {
    } twin {
    ^bb0(%x: tensor<1x12x3x4x8xf16>):
      %r:2 = ane.split %x {axis = 2, split_sizes = array<i64: 1, 2>} : (tensor<1x12x3x4x8xf16>) -> (tensor<1x12x1x4x8xf16>, tensor<1x12x2x4x8xf16>)
      ane.yield %r#0, %r#1 : tensor<1x12x1x4x8xf16>, tensor<1x12x2x4x8xf16>
    }
    return %0#0, %0#1 : tensor<1x12x1x4x8xf16>, tensor<1x12x2x4x8xf16>
  }
}
