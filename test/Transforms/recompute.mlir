// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-recompute))' | FileCheck %s --check-prefixes=CHECK,AUTO
// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-recompute{how=attention}))' | FileCheck %s --check-prefixes=CHECK,RULES
// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-recompute{how=none}))' | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-recompute{how=all}))' | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: not ane-opt %s --pass-pipeline='builtin.module(func.func(ane-recompute{how=auto,nowhere*=none}))' 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: not ane-opt %s --pass-pipeline='builtin.module(func.func(ane-recompute{how=some}))' 2>&1 | FileCheck %s --check-prefix=WORD

// NOWHERE: error: --recompute=nowhere*: no node of the model has such a name
// WORD: error: --recompute=some: 'some' is none of auto, attention, none and all

// A residual sum (%x1) is kept in any case. The product takes longer than to keep what it gives (512 x 512 of 1,024 steps), the activation does not; the sigmoid is
// what a rule has built: it stands in the forward pass if it is kept.
// CHECK-LABEL: func.func @train
// CHECK: %[[X1:.*]] = ane.add %arg0, %arg1
// CHECK: %[[P:.*]] = ane.matmul %[[X1]], %arg2
// NONE: ane.sigmoid %[[P]] : tensor
// CHECK: %[[A:.*]] = ane.silu %[[P]] : tensor
// CHECK: %[[X2:.*]] = ane.add %[[X1]], %[[A]]
// CHECK: %[[LOSS:.*]] = ane.reduce_sum %[[X2]]
// CHECK: %[[G:.*]] = ane.tile %arg3
// AUTO: %[[SLOPE:.*]] = ane.sigmoid %[[P]] {ane.recomputed}
// RULES: %[[SLOPE:.*]] = ane.sigmoid %[[P]] {ane.recomputed}
// ALL: %[[AGAIN:.*]] = ane.matmul %[[X1]], %arg2 {ane.recomputed}
// ALL: %[[SLOPE:.*]] = ane.sigmoid %[[AGAIN]] {ane.recomputed}
// CHECK: ane.mul %{{.*}}
// AUTO: %[[ANEW:.*]] = ane.silu %[[P]] {ane.recomputed}
// RULES-NOT: ane.silu
// NONE-NOT: ane.silu
// ALL: %[[ANEW:.*]] = ane.silu %[[AGAIN]] {ane.recomputed}
// AUTO: ane.mul %[[G]], %[[ANEW]]
// ALL: ane.mul %[[G]], %[[ANEW]]
// RULES: ane.mul %[[G]], %[[A]]
// NONE: ane.mul %[[G]], %[[A]]

// Not a step of training.
// CHECK-LABEL: func.func @evaluate
// CHECK-NOT: ane.recomputed
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>,
                   ane.training = {step = "train", evaluate = "evaluate", loss = "model", target = "", loss_scale = "loss_scale", ignore = -100 : i64,
                                   sweep = 1024 : i64, optimizers = {}, squares = "squares", add = "add"}} {
  ane.parameter "b" : tensor<1024x1024xf32> {
    %0 = ane.const dense<0.0> : tensor<1024x1024xf32>
    ane.yield %0 : tensor<1024x1024xf32>
  }
  ane.parameter "w" : tensor<1024x1024xf32> {
    %0 = ane.const dense<0.0> : tensor<1024x1024xf32>
    ane.yield %0 : tensor<1024x1024xf32>
  }
  func.func @train(%x: tensor<1024x1024xf32> {ane.io_name = "x"}, %b: tensor<1024x1024xf32> {ane.io_name = "b"}, %w: tensor<1024x1024xf32> {ane.io_name = "w"},
                   %scale: tensor<1x1xf32> {ane.io_name = "loss_scale"})
      -> (tensor<1x1xf32> {ane.io_name = "loss"}, tensor<1024x1024xf32> {ane.io_name = "grad.b"}, tensor<1024x1024xf32> {ane.io_name = "grad.w"}) {
    %x1 = ane.add %x, %b : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %p = ane.matmul %x1, %w : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    %a = ane.silu %p : tensor<1024x1024xf32>
    %x2 = ane.add %x1, %a : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %loss = ane.reduce_sum %x2 {axes = array<i64: 0, 1>, keep_dims = true} : (tensor<1024x1024xf32>) -> tensor<1x1xf32>
    %g = ane.tile %scale {reps = array<i64: 1024, 1024>} : (tensor<1x1xf32>) -> tensor<1024x1024xf32>
    %s = ane.sigmoid %p : tensor<1024x1024xf32>
    %db = ane.mul %g, %s : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %dw = ane.mul %g, %a : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    return %loss, %db, %dw : tensor<1x1xf32>, tensor<1024x1024xf32>, tensor<1024x1024xf32>
  }
  func.func @evaluate(%x: tensor<4xf32> {ane.io_name = "x"}) -> (tensor<4xf32> {ane.io_name = "loss"}) {
    %0 = ane.silu %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
