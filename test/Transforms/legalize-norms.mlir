// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane.island(ane-begin-engine-body,ane-legalize-norms)))' | FileCheck %s

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  // The token is divided by its maximum before anything is squared; the mean is a product with a constant matrix.
  // CHECK-LABEL: func.func @rms_norm
  // CHECK: ^bb0(%[[X:.*]]: tensor<1x4x64xf16>)
  // CHECK: %[[A:.*]] = ane.abs %[[X]]
  // CHECK: %[[M:.*]] = ane.reduce_max %[[A]]
  // CHECK: %[[U:.*]] = ane.maximum %[[M]]
  // CHECK: %[[S:.*]] = ane.real_div %[[X]], %[[U]]
  // CHECK: %[[Q:.*]] = ane.mul %[[S]], %[[S]]
  // CHECK: ane.linear %[[Q]]
  // CHECK: %[[T:.*]] = ane.sqrt
  // CHECK: %[[N:.*]] = ane.real_div %[[S]], %[[T]]
  // CHECK: %[[Y:.*]] = ane.mul %[[N]], %{{.*}}
  // CHECK: ane.yield %[[Y]]
  // CHECK: } twin {
  // CHECK: ane.rms_norm
  func.func @rms_norm(%in0: tensor<1x4x64xf16>) -> (tensor<1x4x64xf16>) {
    %0 = ane.island(%in0) : (tensor<1x4x64xf16>) -> (tensor<1x4x64xf16>) engine {
    } twin {
    ^bb0(%x: tensor<1x4x64xf16>):
      %g = ane.const #ane.weight<"m.bin", 0, 128> : tensor<64xf16>
      %1 = ane.rms_norm %x gamma %g {epsilon = 1.0e-5} : (tensor<1x4x64xf16>, tensor<64xf16>) -> tensor<1x4x64xf16>
      ane.yield %1 : tensor<1x4x64xf16>
    }
    return %0 : tensor<1x4x64xf16>
  }

  // Centred after the division; 48 elements are summed over 64, a power of two: sqrt(48/64) is put right at the end.
  // CHECK-LABEL: func.func @layer_norm
  // CHECK: engine {
  // CHECK: %[[D:.*]] = ane.real_div
  // CHECK: ane.linear %[[D]]
  // CHECK: %[[C:.*]] = ane.sub %[[D]]
  // CHECK: %[[Q:.*]] = ane.mul %[[C]], %[[C]]
  // CHECK: ane.linear %[[Q]]
  // CHECK: ane.sqrt
  // CHECK: ane.const dense<8.6{{.*}}e-01>
  // CHECK: ane.mul
  // CHECK: } twin {
  func.func @layer_norm(%in0: tensor<1x4x48xf16>) -> (tensor<1x4x48xf16>) {
    %0 = ane.island(%in0) : (tensor<1x4x48xf16>) -> (tensor<1x4x48xf16>) engine {
    } twin {
    ^bb0(%x: tensor<1x4x48xf16>):
      %1 = ane.layer_norm %x {axes = array<i64: -1>, epsilon = 1.0e-5} : (tensor<1x4x48xf16>) -> tensor<1x4x48xf16>
      ane.yield %1 : tensor<1x4x48xf16>
    }
    return %0 : tensor<1x4x48xf16>
  }

  // Over more than the last axis the sum is reductions of addends scaled first, one axis after the other.
  // CHECK-LABEL: func.func @two_axes
  // CHECK: engine {
  // CHECK-NOT: ane.linear
  // CHECK: ane.reduce_sum {{.*}}axes = array<i64: 2>
  // CHECK: ane.reduce_sum {{.*}}axes = array<i64: 1>
  // CHECK: } twin {
  func.func @two_axes(%in0: tensor<4x8x8xf16>) -> (tensor<4x8x8xf16>) {
    %0 = ane.island(%in0) : (tensor<4x8x8xf16>) -> (tensor<4x8x8xf16>) engine {
    } twin {
    ^bb0(%x: tensor<4x8x8xf16>):
      %1 = ane.layer_norm %x {axes = array<i64: 1, 2>, epsilon = 1.0e-5} : (tensor<4x8x8xf16>) -> tensor<4x8x8xf16>
      ane.yield %1 : tensor<4x8x8xf16>
    }
    return %0 : tensor<4x8x8xf16>
  }

  // CHECK-LABEL: func.func @no_norm
  // CHECK: engine {
  // CHECK: ane.softmax
  // CHECK-NEXT: ane.yield
  // CHECK: } twin {
  func.func @no_norm(%in0: tensor<4x64xf16>) -> (tensor<4x64xf16>) {
    %0 = ane.island(%in0) : (tensor<4x64xf16>) -> (tensor<4x64xf16>) engine {
    } twin {
    ^bb0(%x: tensor<4x64xf16>):
      %1 = ane.softmax %x {axis = -1} : tensor<4x64xf16>
      ane.yield %1 : tensor<4x64xf16>
    }
    return %0 : tensor<4x64xf16>
  }

  // Groups are rows; what a row holds, 4 x 16 x 16 elements, stands on two axes shorter than the longest accurate sum.
  // CHECK-LABEL: func.func @group_norm
  // CHECK: engine {
  // CHECK: ane.reshape %{{.*}}shape = array<i64: 1, 2, 8, 128>}
  // CHECK: ane.reduce_max %{{.*}}axes = array<i64: 2, 3>
  // CHECK: ane.reduce_sum %{{.*}}axes = array<i64: 3>
  // CHECK: ane.reduce_sum %{{.*}}axes = array<i64: 2>
  // CHECK: ane.sub
  // CHECK: ane.sqrt
  // CHECK: ane.reshape %{{.*}}shape = array<i64: 1, 8, 16, 16>}
  // CHECK: } twin {
  // CHECK: ane.group_norm
  func.func @group_norm(%in0: tensor<1x8x16x16xf16>) -> (tensor<1x8x16x16xf16>) {
    %0 = ane.island(%in0) : (tensor<1x8x16x16xf16>) -> (tensor<1x8x16x16xf16>) engine {
    } twin {
    ^bb0(%x: tensor<1x8x16x16xf16>):
      %g = ane.const #ane.weight<"m.bin", 0, 16> : tensor<8xf16>
      %1 = ane.group_norm %x gamma %g beta %g {num_groups = 2, epsilon = 1.0e-5} : (tensor<1x8x16x16xf16>, tensor<8xf16>, tensor<8xf16>) -> tensor<1x8x16x16xf16>
      ane.yield %1 : tensor<1x8x16x16xf16>
    }
    return %0 : tensor<1x8x16x16xf16>
  }

  // CHECK-LABEL: func.func @instance_norm
  // CHECK: engine {
  // CHECK: ane.reshape %{{.*}}shape = array<i64: 1, 6, 5, 250>}
  // CHECK-NOT: ane.instance_norm
  // CHECK: } twin {
  func.func @instance_norm(%in0: tensor<2x3x1250xf16>) -> (tensor<2x3x1250xf16>) {
    %0 = ane.island(%in0) : (tensor<2x3x1250xf16>) -> (tensor<2x3x1250xf16>) engine {
    } twin {
    ^bb0(%x: tensor<2x3x1250xf16>):
      %1 = ane.instance_norm %x {epsilon = 1.0e-5} : (tensor<2x3x1250xf16>) -> tensor<2x3x1250xf16>
      ane.yield %1 : tensor<2x3x1250xf16>
    }
    return %0 : tensor<2x3x1250xf16>
  }

  // A prime number of elements has no short axes: the constraint sends the op to the CPU.
  // CHECK-LABEL: func.func @prime
  // CHECK: engine {
  // CHECK: ane.instance_norm
  // CHECK: } twin {
  func.func @prime(%in0: tensor<1x3x1009xf16>) -> (tensor<1x3x1009xf16>) {
    %0 = ane.island(%in0) : (tensor<1x3x1009xf16>) -> (tensor<1x3x1009xf16>) engine {
    } twin {
    ^bb0(%x: tensor<1x3x1009xf16>):
      %1 = ane.instance_norm %x {epsilon = 1.0e-5} : (tensor<1x3x1009xf16>) -> tensor<1x3x1009xf16>
      ane.yield %1 : tensor<1x3x1009xf16>
    }
    return %0 : tensor<1x3x1009xf16>
  }

  // The length of a vector: its parts of the largest are squared and summed, and the root is scaled back.
  // CHECK-LABEL: func.func @length
  // CHECK: engine {
  // CHECK: %[[U:.*]] = ane.maximum
  // CHECK: %[[S:.*]] = ane.real_div %{{.*}}, %[[U]]
  // CHECK: ane.mul %[[S]], %[[S]]
  // CHECK: ane.linear
  // CHECK: ane.sqrt
  // CHECK: ane.mul %{{.*}}, %[[U]]
  // CHECK: ane.reshape %{{.*}}shape = array<i64: 4>}
  // CHECK: } twin {
  func.func @length(%in0: tensor<4x64xf16>) -> (tensor<4xf16>) {
    %0 = ane.island(%in0) : (tensor<4x64xf16>) -> (tensor<4xf16>) engine {
    } twin {
    ^bb0(%x: tensor<4x64xf16>):
      %1 = ane.reduce_l2_norm %x {axes = array<i64: -1>, keep_dims = false} : (tensor<4x64xf16>) -> tensor<4xf16>
      ane.yield %1 : tensor<4xf16>
    }
    return %0 : tensor<4xf16>
  }

  // fp16 has no root of 32: a half of the mean has a root that is scaled by 8.
  // CHECK-LABEL: func.func @odd
  // CHECK: engine {
  // CHECK-DAG: ane.const dense<5.000000e-01>
  // CHECK-DAG: ane.const dense<8.000000e+00>
  // CHECK: } twin {
  func.func @odd(%in0: tensor<4x32xf16>) -> (tensor<4x1xf16>) {
    %0 = ane.island(%in0) : (tensor<4x32xf16>) -> (tensor<4x1xf16>) engine {
    } twin {
    ^bb0(%x: tensor<4x32xf16>):
      %1 = ane.reduce_l2_norm %x {axes = array<i64: -1>, keep_dims = true} : (tensor<4x32xf16>) -> tensor<4x1xf16>
      ane.yield %1 : tensor<4x1xf16>
    }
    return %0 : tensor<4x1xf16>
  }

  // Parameters of an axis that is not the last one get axes behind it.
  // CHECK-LABEL: func.func @channels
  // CHECK: engine {
  // CHECK: ane.reshape {{.*}}{shape = array<i64: 1, 3, 1, 1>} : (tensor<3xf16>) -> tensor<1x3x1x1xf16>
  // CHECK: } twin {
  func.func @channels(%in0: tensor<2x3x4x3xf16>) -> (tensor<2x3x4x3xf16>) {
    %0 = ane.island(%in0) : (tensor<2x3x4x3xf16>) -> (tensor<2x3x4x3xf16>) engine {
    } twin {
    ^bb0(%x: tensor<2x3x4x3xf16>):
      %g = ane.const dense<[1.0, 2.0, 3.0]> : tensor<3xf16>
      %1 = ane.layer_norm %x gamma %g {axes = array<i64: 1>, epsilon = 1.0e-3 : f64} : (tensor<2x3x4x3xf16>, tensor<3xf16>) -> tensor<2x3x4x3xf16>
      ane.yield %1 : tensor<2x3x4x3xf16>
    }
    return %0 : tensor<2x3x4x3xf16>
  }
}
