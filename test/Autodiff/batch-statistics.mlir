// RUN: ane-opt %s --ane-append-loss=kind=mse --ane-weights-as-inputs --ane-autodiff='loss=loss loss-scale=true' --ane-make-training='loss=mse target=target' | FileCheck %s

// The step normalises by the batch, and gives what the running statistics become; an evaluation reads these. They are no parameters otherwise.
// CHECK-DAG: ane.parameter "gamma"
// CHECK-DAG: ane.parameter "mean" {ane.statistic} : tensor<3xf32>
// CHECK-DAG: ane.parameter "variance" {ane.statistic} : tensor<3xf32>
// CHECK-LABEL: func.func @evaluate(
// CHECK: ane.batch_norm
// CHECK-LABEL: func.func @train(
// CHECK-SAME: {ane.io_name = "grad.gamma"}, {{.*}}{ane.io_name = "next.mean"}, {{.*}}{ane.io_name = "next.variance"})
// CHECK-NOT: ane.batch_norm
// CHECK: ane.instance_norm
module attributes {ane.weights = {gamma = #ane.weight<"w.bin", 0, 12> : tensor<3xf32>, mean = #ane.weight<"w.bin", 12, 12> : tensor<3xf32>,
                                  variance = #ane.weight<"w.bin", 24, 12> : tensor<3xf32>}} {
  func.func @main(%x: tensor<4x3x5xf32> {ane.io_name = "x"}) -> (tensor<4x3x5xf32> {ane.io_name = "y"}) {
    %mean = ane.const #ane.weight<"w.bin", 12, 12> : tensor<3xf32>
    %variance = ane.const #ane.weight<"w.bin", 24, 12> : tensor<3xf32>
    %gamma = ane.const #ane.weight<"w.bin", 0, 12> : tensor<3xf32>
    %0 = ane.batch_norm %x, %mean, %variance gamma %gamma {ane.batch_statistics = 1.000000e-01 : f64} : (tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3x5xf32>
    return %0 : tensor<4x3x5xf32>
  }
}
