// What reads or writes a state stays where it is: %1 is of before the step.
// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-recompute))' | FileCheck %s

// CHECK-LABEL: func.func @train
// CHECK: ane.read_state @s
// CHECK: ane.write_state @s
// CHECK-NOT: ane.read_state
// CHECK: return
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>,
                   ane.training = {step = "train", evaluate = "evaluate", loss = "model", target = "", loss_scale = "loss_scale", ignore = -100 : i64,
                                   sweep = 1024 : i64, optimizers = {}, squares = "squares", add = "add"}} {
  ane.state @s : tensor<1x1xf32>
  ane.parameter "w" : tensor<1x1xf32> {
    %0 = ane.const dense<0.0> : tensor<1x1xf32>
    ane.yield %0 : tensor<1x1xf32>
  }
  func.func @train(%x: tensor<1x1xf32> {ane.io_name = "x"}, %w: tensor<1x1xf32> {ane.io_name = "w"}, %scale: tensor<1x1xf32> {ane.io_name = "loss_scale"})
      -> (tensor<1x1xf32> {ane.io_name = "loss"}, tensor<1x1xf32> {ane.io_name = "grad.w"}) {
    %0 = ane.exp %x : tensor<1x1xf32>
    %1 = ane.read_state @s : tensor<1x1xf32>
    %2 = ane.mul %w, %1 : tensor<1x1xf32>, tensor<1x1xf32>
    ane.write_state @s, %0 : tensor<1x1xf32>
    %3 = ane.mul %scale, %1 : tensor<1x1xf32>, tensor<1x1xf32>
    return %2, %3 : tensor<1x1xf32>, tensor<1x1xf32>
  }
}
