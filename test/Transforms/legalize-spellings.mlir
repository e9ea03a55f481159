// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane.island(ane-legalize-spellings)))' | FileCheck %s

// rsqrt becomes a root and a division; an epsilon that is 0 in fp16 vanishes.
// CHECK-LABEL: func.func @rsqrt
// CHECK: engine {
// CHECK: %[[S:.*]] = ane.sqrt %[[X:[^ ]*]] : tensor<64x64xf16>
// CHECK: %[[A:.*]] = ane.real_div %{{.*}}, %[[S]]
// CHECK: %[[E:.*]] = ane.const dense<{{9.99|1.00}}{{.*}}> : tensor<f16>
// CHECK: %[[Y:.*]] = ane.add %[[A]], %[[E]]
// CHECK: ane.sqrt %[[Y]]
// CHECK-NOT: rsqrt
// CHECK: twin
func.func @rsqrt(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = ane.island(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
      attributes {input_layouts = [#ane.layout<expand = [64, 64], perm = [0, 1]>], output_layouts = [#ane.layout<expand = [64, 64], perm = [0, 1]>]} engine {
  ^bb0(%a: tensor<64x64xf16>):
    %r = ane.rsqrt %a {epsilon = 1.0e-12 : f64} : tensor<64x64xf16>
    %s = ane.rsqrt %r {epsilon = 1.0e-03 : f64} : tensor<64x64xf16>
    ane.yield %s : tensor<64x64xf16>
  } twin {
  ^bb0(%a: tensor<64x64xf32>):
    ane.yield %a : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// The logarithm of what may be 0 is bounded; with an epsilon that is large enough it stays.
// CHECK-LABEL: func.func @log
// CHECK: engine {
// CHECK: %[[M:.*]] = ane.maximum
// CHECK: %[[L:.*]] = ane.log %[[M]]
// CHECK: ane.log %[[L]] {epsilon = 1.000000e-03 : f64}
// CHECK: twin
func.func @log(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = ane.island(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
      attributes {input_layouts = [#ane.layout<expand = [64, 64], perm = [0, 1]>], output_layouts = [#ane.layout<expand = [64, 64], perm = [0, 1]>]} engine {
  ^bb0(%a: tensor<64x64xf16>):
    %r = ane.log %a : tensor<64x64xf16>
    %s = ane.log %r {epsilon = 1.0e-03 : f64} : tensor<64x64xf16>
    ane.yield %s : tensor<64x64xf16>
  } twin {
  ^bb0(%a: tensor<64x64xf32>):
    ane.yield %a : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// 48 elements: the sum of x / 64, times 64 / 48.
// CHECK-LABEL: func.func @mean
// CHECK: engine {
// CHECK: %[[P:.*]] = ane.const dense<1.562500e-02>
// CHECK: %[[X:.*]] = ane.mul %{{.*}}, %[[P]]
// CHECK: %[[S:.*]] = ane.reduce_sum %[[X]] {axes = array<i64: 1>, keep_dims = true}
// CHECK: %[[Q:.*]] = ane.const dense<1.333
// CHECK: ane.mul %[[S]], %[[Q]]
// CHECK: twin
func.func @mean(%x: tensor<64x48xf32>) -> tensor<64x1xf32> {
  %0 = ane.island(%x) : (tensor<64x48xf32>) -> tensor<64x1xf32>
      attributes {input_layouts = [#ane.layout<expand = [64, 48], perm = [0, 1]>], output_layouts = [#ane.layout<expand = [64, 1], perm = [0, 1]>]} engine {
  ^bb0(%a: tensor<64x48xf16>):
    %r = ane.reduce_mean %a {axes = array<i64: 1>, keep_dims = true} : (tensor<64x48xf16>) -> tensor<64x1xf16>
    ane.yield %r : tensor<64x1xf16>
  } twin {
  ^bb0(%a: tensor<64x48xf32>):
    %r = ane.reduce_mean %a {axes = array<i64: 1>, keep_dims = true} : (tensor<64x48xf32>) -> tensor<64x1xf32>
    ane.yield %r : tensor<64x1xf32>
  }
  return %0 : tensor<64x1xf32>
}

// Small integers are products; what is neither those nor a half stays, for the verifier to find.
// CHECK-LABEL: func.func @pow
// CHECK: engine {
// CHECK: ^bb0(%[[X:.*]]: tensor<64x64xf16>):
// CHECK: %[[S:.*]] = ane.mul %[[X]], %[[X]]
// CHECK: %[[C:.*]] = ane.mul %[[S]], %[[X]]
// CHECK: ane.pow %[[C]]
// CHECK: twin
func.func @pow(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = ane.island(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
      attributes {input_layouts = [#ane.layout<expand = [64, 64], perm = [0, 1]>], output_layouts = [#ane.layout<expand = [64, 64], perm = [0, 1]>]} engine {
  ^bb0(%a: tensor<64x64xf16>):
    %three = ane.const dense<3.0> : tensor<f16>
    %odd = ane.const dense<1.7> : tensor<f16>
    %r = ane.pow %a, %three : tensor<64x64xf16>, tensor<f16>
    %s = ane.pow %r, %odd : tensor<64x64xf16>, tensor<f16>
    ane.yield %s : tensor<64x64xf16>
  } twin {
  ^bb0(%a: tensor<64x64xf32>):
    ane.yield %a : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// max(x, 0) + t P(t), t = e^-|x|.
// CHECK-LABEL: func.func @softplus
// CHECK: engine {
// CHECK: %[[A:.*]] = ane.abs
// CHECK: %[[N:.*]] = ane.mul %[[A]]
// CHECK: %[[T:.*]] = ane.exp %[[N]]
// CHECK-COUNT-5: ane.mul %[[T]]
// CHECK: %[[R:.*]] = ane.relu
// CHECK: %[[P:.*]] = ane.mul %[[T]]
// CHECK: ane.add %[[R]], %[[P]]
// CHECK: twin
func.func @softplus(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = ane.island(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
      attributes {input_layouts = [#ane.layout<expand = [64, 64], perm = [0, 1]>], output_layouts = [#ane.layout<expand = [64, 64], perm = [0, 1]>]} engine {
  ^bb0(%a: tensor<64x64xf16>):
    %r = ane.softplus %a : tensor<64x64xf16>
    ane.yield %r : tensor<64x64xf16>
  } twin {
  ^bb0(%a: tensor<64x64xf32>):
    ane.yield %a : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}
