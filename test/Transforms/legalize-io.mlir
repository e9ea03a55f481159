// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane.island(ane-begin-engine-body,ane-legalize-io)))' | FileCheck %s

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  // Rank 4 and full rows: nothing to do.
  // CHECK-LABEL: func.func @full_rows
  // CHECK: ^bb0(%[[X:.*]]: tensor<1x6x1x64xf16>)
  // CHECK-NEXT: %[[R:.*]] = ane.relu %[[X]]
  // CHECK-NEXT: ane.yield %[[R]]
  // CHECK: } twin {
  func.func @full_rows(%in0: tensor<1x6x1x64xf16>) -> (tensor<1x6x1x64xf16>) {
    %0 = ane.island(%in0) : (tensor<1x6x1x64xf16>) -> (tensor<1x6x1x64xf16>) engine {
    } twin {
    ^bb0(%x: tensor<1x6x1x64xf16>):
      %1 = ane.relu %x : tensor<1x6x1x64xf16>
      ane.yield %1 : tensor<1x6x1x64xf16>
    }
    return %0 : tensor<1x6x1x64xf16>
  }

  // A matrix is [1, C, 1, S].
  // CHECK-LABEL: func.func @matrix
  // CHECK: ^bb0(%[[X:.*]]: tensor<1x6x1x64xf16>)
  // CHECK-NEXT: %[[M:.*]] = ane.reshape %[[X]] {{.*}}shape = array<i64: 6, 64>}
  // CHECK-NEXT: %[[R:.*]] = ane.relu %[[M]]
  // CHECK-NEXT: %[[Y:.*]] = ane.reshape %[[R]] {{.*}}shape = array<i64: 1, 6, 1, 64>}
  // CHECK-NEXT: ane.yield %[[Y]]
  // CHECK: } twin {
  func.func @matrix(%in0: tensor<6x64xf16>) -> (tensor<6x64xf16>) {
    %0 = ane.island(%in0) : (tensor<6x64xf16>) -> (tensor<6x64xf16>) engine {
    } twin {
    ^bb0(%x: tensor<6x64xf16>):
      %1 = ane.relu %x : tensor<6x64xf16>
      ane.yield %1 : tensor<6x64xf16>
    }
    return %0 : tensor<6x64xf16>
  }

  // 7 of 32 lanes: declared wider, sliced inside, padded on the way out. No op in between sees a padded value.
  // CHECK-LABEL: func.func @narrow
  // CHECK: ^bb0(%[[X:.*]]: tensor<1x3x5x32xf16>)
  // CHECK-NEXT: %[[S:.*]] = ane.slice_by_size %[[X]] {{.*}}begin = array<i64: 0, 0, 0, 0>, size = array<i64: 1, 3, 5, 7>}
  // CHECK-NEXT: %[[R:.*]] = ane.relu %[[S]] {{.*}}: tensor<1x3x5x7xf16>
  // CHECK-NEXT: %[[P:.*]] = ane.pad %[[R]] {{.*}}pad = array<i64: 0, 25>
  // CHECK-NEXT: ane.yield %[[P]] : tensor<1x3x5x32xf16>
  // CHECK: } twin {
  func.func @narrow(%in0: tensor<1x3x5x7xf16>) -> (tensor<1x3x5x7xf16>) {
    %0 = ane.island(%in0) : (tensor<1x3x5x7xf16>) -> (tensor<1x3x5x7xf16>) engine {
    } twin {
    ^bb0(%x: tensor<1x3x5x7xf16>):
      %1 = ane.relu %x : tensor<1x3x5x7xf16>
      ane.yield %1 : tensor<1x3x5x7xf16>
    }
    return %0 : tensor<1x3x5x7xf16>
  }

  // Narrow rows that are full together become one.
  // CHECK-LABEL: func.func @long_row
  // CHECK: ^bb0(%[[X:.*]]: tensor<1x1x1x640xf16>)
  // CHECK: } twin {
  func.func @long_row(%in0: tensor<1x16x5x8xf16>) -> (tensor<1x16x5x8xf16>) {
    %0 = ane.island(%in0) : (tensor<1x16x5x8xf16>) -> (tensor<1x16x5x8xf16>) engine {
    } twin {
    ^bb0(%x: tensor<1x16x5x8xf16>):
      %1 = ane.relu %x : tensor<1x16x5x8xf16>
      ane.yield %1 : tensor<1x16x5x8xf16>
    }
    return %0 : tensor<1x16x5x8xf16>
  }

  // Leading axes of rank 5 are one.
  // CHECK-LABEL: func.func @rank5
  // CHECK: ^bb0(%[[X:.*]]: tensor<6x4x5x64xf16>)
  // CHECK: } twin {
  func.func @rank5(%in0: tensor<2x3x4x5x64xf16>) -> (tensor<2x3x4x5x64xf16>) {
    %0 = ane.island(%in0) : (tensor<2x3x4x5x64xf16>) -> (tensor<2x3x4x5x64xf16>) engine {
    } twin {
    ^bb0(%x: tensor<2x3x4x5x64xf16>):
      %1 = ane.relu %x : tensor<2x3x4x5x64xf16>
      ane.yield %1 : tensor<2x3x4x5x64xf16>
    }
    return %0 : tensor<2x3x4x5x64xf16>
  }

  // CHECK-LABEL: func.func @vector
  // CHECK: ^bb0(%[[X:.*]]: tensor<1x1x1x64xf16>)
  // CHECK: } twin {
  func.func @vector(%in0: tensor<64xf16>) -> (tensor<64xf16>) {
    %0 = ane.island(%in0) : (tensor<64xf16>) -> (tensor<64xf16>) engine {
    } twin {
    ^bb0(%x: tensor<64xf16>):
      %1 = ane.relu %x : tensor<64xf16>
      ane.yield %1 : tensor<64xf16>
    }
    return %0 : tensor<64xf16>
  }

  // A result that is an argument or has another reader is a product with 1 (C51, C52).
  // CHECK-LABEL: func.func @pass_through
  // CHECK: ^bb0(%[[X:.*]]: tensor<1x6x1x64xf16>)
  // CHECK: %[[R:.*]] = ane.relu %[[X]]
  // CHECK: %[[A:.*]] = ane.mul %[[R]], %{{.*}}
  // CHECK: %[[B:.*]] = ane.mul %[[X]], %{{.*}}
  // CHECK: ane.yield %[[A]], %[[B]]
  // CHECK: } twin {
  func.func @pass_through(%in0: tensor<1x6x1x64xf16>) -> (tensor<1x6x1x64xf16>, tensor<1x6x1x64xf16>) {
    %0:2 = ane.island(%in0) : (tensor<1x6x1x64xf16>) -> (tensor<1x6x1x64xf16>, tensor<1x6x1x64xf16>) engine {
    } twin {
    ^bb0(%x: tensor<1x6x1x64xf16>):
      %1 = ane.relu %x : tensor<1x6x1x64xf16>
      %2 = ane.tanh %1 : tensor<1x6x1x64xf16>
      ane.yield %1, %x : tensor<1x6x1x64xf16>, tensor<1x6x1x64xf16>
    }
    return %0#0, %0#1 : tensor<1x6x1x64xf16>, tensor<1x6x1x64xf16>
  }
}
