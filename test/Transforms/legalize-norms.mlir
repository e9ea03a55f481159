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

  // Over more than the last axis the sum is a reduction of addends scaled first.
  // CHECK-LABEL: func.func @two_axes
  // CHECK: engine {
  // CHECK-NOT: ane.linear
  // CHECK: ane.reduce_sum {{.*}}axes = array<i64: 1, 2>
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
}
