// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-place-gradients))' | FileCheck %s --check-prefixes=CHECK,AUTO
// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-place-gradients{how=cpu}))' | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-place-gradients{how=engine}))' | FileCheck %s --check-prefixes=CHECK,ENGINE --implicit-check-not=ane.host
// No source has the CPU of an M5; of two chips the one decides that is known.
// RUN: sed s/h16/h17/ %s | ane-opt --pass-pipeline='builtin.module(func.func(ane-place-gradients))' | FileCheck %s --check-prefixes=CHECK,ENGINE --implicit-check-not=ane.host
// RUN: sed s/h16/h16,h17/ %s | ane-opt --pass-pipeline='builtin.module(func.func(ane-place-gradients))' | FileCheck %s --check-prefixes=CHECK,AUTO
// RUN: not ane-opt %s --pass-pipeline='builtin.module(func.func(ane-place-gradients{how=gpu}))' 2>&1 | FileCheck %s --check-prefix=WORD

// WORD: error: no place 'gpu' for gradients of weights: auto, engine or cpu

// Of 16 rows a gradient is two megabytes for 0.03 GFLOP, of 64 rows for four times as many. Those of `shared` are added. The product with a weight, which
// something is computed of, is no gradient of one. What the CPU has once (%rows) does not move for the second gradient.
// CHECK-LABEL: func.func @train
// AUTO: %[[ROWS:.*]] = ane.reshape %{{.*}} {ane.host = #ane.host<"cost", "is before a gradient that the CPU computes">
// CHECK: ane.matmul %{{.*}} {transpose_y = true}
// AUTO: ane.matmul %{{.*}}, %[[ROWS]] {ane.host = #ane.host<"cost", "the gradient of a weight takes the CPU 0.0253 ms and the engine 0.0389 ms, by speeds published of h16">, transpose_x = true}
// AUTO-NEXT: ane.matmul %{{.*}} {transpose_x = true} : (tensor<64x1024xf32>
// AUTO-NEXT: %[[LEFT:.*]] = ane.matmul %{{.*}}, %[[ROWS]] {ane.host = #ane.host<"cost", "the gradient of a weight takes the CPU 0.0243 ms and the engine 0.0389 ms
// AUTO-NEXT: %[[RIGHT:.*]] = ane.matmul %{{.*}} {transpose_x = true} : (tensor<64x1024xf32>
// AUTO-NEXT: %[[SUM:.*]] = ane.add %[[LEFT]], %[[RIGHT]] {ane.host = #ane.host<"cost", "is behind a gradient that the CPU computes">}
// AUTO-NEXT: ane.reshape %[[SUM]] {ane.host
// CPU-COUNT-4: ane.matmul %{{.*}} {ane.host = #ane.host<"cost", "gradients of weights are computed there (--weight-gradients=cpu)">, transpose_x = true}
// CPU-NEXT: ane.add %{{.*}} {ane.host
// CPU-NEXT: ane.reshape %{{.*}} {ane.host
// ENGINE-COUNT-4: ane.matmul %{{.*}} {transpose_x = true}

// Without gradients nothing is asked.
// CHECK-LABEL: func.func @evaluate
// CHECK-NOT: ane.host
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>,
                   ane.training = {step = "train", evaluate = "evaluate", loss = "model", target = "", loss_scale = "loss_scale", ignore = -100 : i64,
                                   sweep = 1024 : i64, optimizers = {}, squares = "squares", add = "add"}} {
  ane.parameter "w" : tensor<1024x1024xf32> {
    %0 = ane.const dense<0.0> : tensor<1024x1024xf32>
    ane.yield %0 : tensor<1024x1024xf32>
  }
  func.func @train(%few: tensor<4x4x1024xf32> {ane.io_name = "few"}, %many: tensor<64x1024xf32> {ane.io_name = "many"},
                   %w: tensor<1024x1024xf32> {ane.io_name = "w"}, %scale: tensor<1x1xf32> {ane.io_name = "loss_scale"})
      -> (tensor<16x1024xf32> {ane.io_name = "loss"}, tensor<1024x1024xf32> {ane.io_name = "grad.few"}, tensor<1024x1024xf32> {ane.io_name = "grad.many"},
          tensor<1x1024x1024xf32> {ane.io_name = "grad.shared"}) {
    %a = ane.silu %few : tensor<4x4x1024xf32>
    %b = ane.silu %many : tensor<64x1024xf32>
    %rows = ane.reshape %a {shape = array<i64: 16, 1024>} : (tensor<4x4x1024xf32>) -> tensor<16x1024xf32>
    %g = ane.tile %scale {reps = array<i64: 16, 1024>} : (tensor<1x1xf32>) -> tensor<16x1024xf32>
    %h = ane.tile %scale {reps = array<i64: 64, 1024>} : (tensor<1x1xf32>) -> tensor<64x1024xf32>
    %dx = ane.matmul %g, %w {transpose_y = true} : (tensor<16x1024xf32>, tensor<1024x1024xf32>) -> tensor<16x1024xf32>
    %k = ane.silu %dx : tensor<16x1024xf32>
    %few.gradient = ane.matmul %g, %rows {transpose_x = true} : (tensor<16x1024xf32>, tensor<16x1024xf32>) -> tensor<1024x1024xf32>
    %many.gradient = ane.matmul %h, %b {transpose_x = true} : (tensor<64x1024xf32>, tensor<64x1024xf32>) -> tensor<1024x1024xf32>
    %left = ane.matmul %k, %rows {transpose_x = true} : (tensor<16x1024xf32>, tensor<16x1024xf32>) -> tensor<1024x1024xf32>
    %right = ane.matmul %h, %h {transpose_x = true} : (tensor<64x1024xf32>, tensor<64x1024xf32>) -> tensor<1024x1024xf32>
    %sum = ane.add %left, %right : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %shared = ane.reshape %sum {shape = array<i64: 1, 1024, 1024>} : (tensor<1024x1024xf32>) -> tensor<1x1024x1024xf32>
    return %k, %few.gradient, %many.gradient, %shared : tensor<16x1024xf32>, tensor<1024x1024xf32>, tensor<1024x1024xf32>, tensor<1x1024x1024xf32>
  }
  func.func @evaluate(%x: tensor<4xf32> {ane.io_name = "x"}) -> (tensor<4xf32> {ane.io_name = "loss"}) {
    %0 = ane.silu %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
