// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane.island(ane-begin-engine-body,ane-legalize-layout)))' | FileCheck %s

// The convolution wants channels first: the argument is declared so, the pair of transposes is gone, the element-wise op
// follows, and the result is read channels first.
// CHECK-LABEL: func.func @cancel
// CHECK: ane.island
// CHECK-SAME: input_layouts = [#ane.layout<expand = [128, 64], perm = [1, 0]>]
// CHECK-SAME: output_layouts = [#ane.layout<expand = [128, 64], perm = [1, 0]>]
// CHECK-SAME: engine {
// CHECK: ^bb0(%[[X:.*]]: tensor<1x64x1x128xf16>)
// CHECK-NOT: ane.relayout
// CHECK: %[[A:.*]] = ane.relu %[[X]]
// CHECK-NEXT: %[[B:.*]] = ane.conv %[[A]]
// CHECK-NEXT: ane.yield %[[B]]
// CHECK-NEXT: } twin
func.func @cancel(%x: tensor<1x128x64xf16>) -> tensor<1x128x64xf16> {
  %0 = ane.island(%x) : (tensor<1x128x64xf16>) -> tensor<1x128x64xf16> engine {
  } twin {
  ^bb0(%a: tensor<1x128x64xf16>):
    %w = ane.const #ane.weight<"m.onnx", 0, 8192> : tensor<64x64x1x1xf16>
    %1 = ane.relu %a : tensor<1x128x64xf16>
    %2 = ane.relayout %1 expand [128, 64] perm [1, 0] : tensor<1x128x64xf16> -> tensor<1x64x1x128xf16>
    %3 = ane.conv %2, %w {dilations = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x64x1x128xf16>, tensor<64x64x1x1xf16>) -> tensor<1x64x1x128xf16>
    %4 = ane.relayout %3 expand [64, 128] perm [1, 0] : tensor<1x64x1x128xf16> -> tensor<1x128x64xf16>
    ane.yield %4 : tensor<1x128x64xf16>
  }
  return %0 : tensor<1x128x64xf16>
}

// Element-wise ops alone have no wish: the pair cancels, and the argument keeps its layout.
// CHECK-LABEL: func.func @no_wish
// CHECK: input_layouts = [#ane.layout<expand = [8192], perm = [0]>]
// CHECK: ^bb0(%[[X:.*]]: tensor<1x128x64xf16>)
// CHECK-NEXT: %[[A:.*]] = ane.tanh %[[X]]
// CHECK-NEXT: ane.yield %[[A]]
// CHECK-NEXT: } twin
func.func @no_wish(%x: tensor<1x128x64xf16>) -> tensor<1x128x64xf16> {
  %0 = ane.island(%x) : (tensor<1x128x64xf16>) -> tensor<1x128x64xf16> engine {
  } twin {
  ^bb0(%a: tensor<1x128x64xf16>):
    %1 = ane.relayout %a expand [128, 64] perm [1, 0] : tensor<1x128x64xf16> -> tensor<1x64x1x128xf16>
    %2 = ane.tanh %1 : tensor<1x64x1x128xf16>
    %3 = ane.relayout %2 expand [64, 128] perm [1, 0] : tensor<1x64x1x128xf16> -> tensor<1x128x64xf16>
    ane.yield %3 : tensor<1x128x64xf16>
  }
  return %0 : tensor<1x128x64xf16>
}

// Attention heads: a split of the channel axis needs no transpose when the product takes the operand transposed.
// CHECK-LABEL: func.func @heads
// CHECK: engine {
// CHECK: ^bb0(%[[Q:.*]]: tensor<1x64x1x128xf16>, %[[K:.*]]: tensor<1x64x1x128xf16>)
// CHECK-DAG: %[[QH:.*]] = ane.relayout %[[Q]] expand [8192] perm [0] {{.*}}: tensor<1x64x1x128xf16> -> tensor<1x4x16x128xf16>
// CHECK-DAG: %[[KH:.*]] = ane.relayout %[[K]] expand [8192] perm [0] {{.*}}: tensor<1x64x1x128xf16> -> tensor<1x4x16x128xf16>
// CHECK: ane.matmul %[[QH]], %[[KH]] {{.*}}transpose_x = true}
// CHECK: } twin
func.func @heads(%q: tensor<1x64x1x128xf16>, %k: tensor<1x64x1x128xf16>) -> tensor<1x4x128x128xf16> {
  %0 = ane.island(%q, %k) : (tensor<1x64x1x128xf16>, tensor<1x64x1x128xf16>) -> tensor<1x4x128x128xf16> engine {
  } twin {
  ^bb0(%a: tensor<1x64x1x128xf16>, %b: tensor<1x64x1x128xf16>):
    %1 = ane.relayout %a expand [64, 128] perm [1, 0] : tensor<1x64x1x128xf16> -> tensor<1x128x4x16xf16>
    %2 = ane.transpose %1 {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x128x4x16xf16>) -> tensor<1x4x128x16xf16>
    %3 = ane.relayout %b expand [64, 128] perm [1, 0] : tensor<1x64x1x128xf16> -> tensor<1x128x4x16xf16>
    %4 = ane.transpose %3 {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x128x4x16xf16>) -> tensor<1x4x16x128xf16>
    %5 = ane.matmul %2, %4 : (tensor<1x4x128x16xf16>, tensor<1x4x16x128xf16>) -> tensor<1x4x128x128xf16>
    ane.yield %5 : tensor<1x4x128x128xf16>
  }
  return %0 : tensor<1x4x128x128xf16>
}

// A relayout sinks below a reduction and softmax, whose axes follow it.
// CHECK-LABEL: func.func @axes
// CHECK: ^bb0(%[[X:.*]]: tensor<1x64x1x128xf16>)
// CHECK: %[[S:.*]] = ane.softmax %[[X]] {{.*}}axis = 1 : i64}
// CHECK: %[[R:.*]] = ane.reduce_max %[[X]] {{.*}}axes = array<i64: 1>, keep_dims = true}
// CHECK: } twin
func.func @axes(%x: tensor<1x128x64xf16>) -> (tensor<1x128x64xf16>, tensor<1x128x1xf16>, tensor<1x64x1x128xf16>) {
  %0:3 = ane.island(%x) : (tensor<1x128x64xf16>) -> (tensor<1x128x64xf16>, tensor<1x128x1xf16>, tensor<1x64x1x128xf16>) engine {
  } twin {
  ^bb0(%a: tensor<1x128x64xf16>):
    %w = ane.const #ane.weight<"m.onnx", 0, 8192> : tensor<64x64x1x1xf16>
    %1 = ane.softmax %a {axis = -1 : i64} : tensor<1x128x64xf16>
    %2 = ane.reduce_max %a {axes = array<i64: -1>, keep_dims = true} : (tensor<1x128x64xf16>) -> tensor<1x128x1xf16>
    %3 = ane.relayout %a expand [128, 64] perm [1, 0] : tensor<1x128x64xf16> -> tensor<1x64x1x128xf16>
    %4 = ane.conv %3, %w {dilations = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x64x1x128xf16>, tensor<64x64x1x1xf16>) -> tensor<1x64x1x128xf16>
    ane.yield %1, %2, %4 : tensor<1x128x64xf16>, tensor<1x128x1xf16>, tensor<1x64x1x128xf16>
  }
  return %0#0, %0#1, %0#2 : tensor<1x128x64xf16>, tensor<1x128x1xf16>, tensor<1x64x1x128xf16>
}

// The argument takes the first move; the second, whose cuts do not line up with it, stays where it is.
// CHECK-LABEL: func.func @no_common_cuts
// CHECK: input_layouts = [#ane.layout<expand = [6, 64], perm = [1, 0]>]
// CHECK: ^bb0(%[[X:.*]]: tensor<64x6xf16>)
// CHECK: %[[R:.*]] = ane.relu %[[X]]
// CHECK-NEXT: ane.relayout %[[R]] expand [96, 4] perm [1, 0]
// CHECK: } twin
func.func @no_common_cuts(%x: tensor<6x64xf16>) -> tensor<4x96xf16> {
  %0 = ane.island(%x) : (tensor<6x64xf16>) -> tensor<4x96xf16> engine {
  } twin {
  ^bb0(%a: tensor<6x64xf16>):
    %1 = ane.relu %a : tensor<6x64xf16>
    %2 = ane.relayout %1 expand [6, 64] perm [1, 0] : tensor<6x64xf16> -> tensor<64x6xf16>
    %3 = ane.relayout %2 expand [96, 4] perm [1, 0] : tensor<64x6xf16> -> tensor<4x96xf16>
    %4 = ane.cumsum %3 {axis = 0 : i64} : tensor<4x96xf16>
    ane.yield %4 : tensor<4x96xf16>
  }
  return %0 : tensor<4x96xf16>
}

// Without elements there are no cuts that could line up.
// CHECK-LABEL: func.func @empty
// CHECK: engine {
// CHECK: ane.relu
// CHECK: } twin
func.func @empty(%x: tensor<0x4xf16>) -> tensor<4x0xf16> {
  %0 = ane.island(%x) : (tensor<0x4xf16>) -> tensor<4x0xf16> engine {
  } twin {
  ^bb0(%a: tensor<0x4xf16>):
    %1 = ane.transpose %a {perm = array<i64: 1, 0>} : (tensor<0x4xf16>) -> tensor<4x0xf16>
    %2 = ane.relu %1 : tensor<4x0xf16>
    ane.yield %2 : tensor<4x0xf16>
  }
  return %0 : tensor<4x0xf16>
}
