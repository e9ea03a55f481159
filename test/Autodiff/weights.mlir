// RUN: ane-opt %s --ane-autodiff='frozen=frozen' 2>&1 | FileCheck %s
// RUN: ane-opt %s --ane-weights-as-inputs='weights=tied,[ui]*' --ane-autodiff 2>&1 | FileCheck %s --check-prefix=INPUTS

// A weight that stands twice has one gradient, the sum of both; one that the loss does not depend on has none.
// CHECK: warning: {{.*}}no gradients of unused: the loss does not depend on them
// CHECK-LABEL: func.func @main_gradients(%arg0: tensor<4xf32> {ane.io_name = "x"})
// CHECK-SAME: -> (tensor<f32> {ane.io_name = "output_0"}, tensor<4xf32> {ane.io_name = "grad.tied"})
// CHECK: %[[SUM:.*]] = ane.add
// CHECK: return %{{.*}}, %[[SUM]]

// INPUTS: warning: {{.*}}no gradients of unused: the loss does not depend on them
// INPUTS-LABEL: func.func @main_gradients(
// INPUTS-SAME: "x"}, %[[TIED:.*]]: tensor<4xf32> {ane.io_name = "tied"}, %{{.*}}: tensor<4xf32> {ane.io_name = "unused"})
// INPUTS-SAME: -> (tensor<f32> {ane.io_name = "output_0"}, tensor<4xf32> {ane.io_name = "grad.tied"})
module attributes {ane.weights = {tied = #ane.weight<"w.bin", 0, 16> : tensor<4xf32>,
                                  frozen = #ane.weight<"w.bin", 16, 16> : tensor<4xf32>,
                                  unused = #ane.weight<"w.bin", 32, 16> : tensor<4xf32>}} {
  func.func @main(%x: tensor<4xf32> {ane.io_name = "x"}) -> tensor<f32> {
    %a = ane.const #ane.weight<"w.bin", 0, 16> : tensor<4xf32>
    %b = ane.const #ane.weight<"w.bin", 0, 16> : tensor<4xf32>
    %c = ane.const #ane.weight<"w.bin", 16, 16> : tensor<4xf32>
    %d = ane.const #ane.weight<"w.bin", 32, 16> : tensor<4xf32>
    %0 = ane.mul %x, %a : tensor<4xf32>, tensor<4xf32>
    %1 = ane.mul %0, %c : tensor<4xf32>, tensor<4xf32>
    %2 = ane.tanh %1 : tensor<4xf32>
    %3 = ane.mul %2, %b : tensor<4xf32>, tensor<4xf32>
    %4 = ane.greater %d, %x : tensor<4xf32>, tensor<4xf32>
    %5 = ane.select %4, %3, %x : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>
    %6 = ane.reduce_sum %5 : (tensor<4xf32>) -> tensor<f32>
    return %6 : tensor<f32>
  }
}
