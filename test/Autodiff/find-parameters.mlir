// RUN: ane-opt %s --ane-weights-as-inputs | FileCheck %s
// RUN: ane-opt %s --ane-weights-as-inputs='weights=exponent,first frozen=*' | FileCheck %s --check-prefix=NAMED
// RUN: not ane-opt %s --ane-weights-as-inputs='frozen=*' 2>&1 | FileCheck %s --check-prefix=NONE

// What layers read as theirs: not an exponent, and not a mean that another layer reads as its bias.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: "x"}, %{{.*}}: tensor<3xf32> {ane.io_name = "both"}, %{{.*}}: tensor<3x3xf32> {ane.io_name = "first"})
// CHECK: ane.const #ane.weight<"w.bin", 48, 12>
// CHECK: ane.batch_norm
// What is named without a wildcard stays.
// NAMED-LABEL: func.func @main(
// NAMED-SAME: "x"}, %{{.*}}: tensor<3xf32> {ane.io_name = "exponent"}, %{{.*}}: tensor<3x3xf32> {ane.io_name = "first"})
// NONE: error: the model has no parameter to train: no layer reads a weight that is not frozen; name weights by --trainable, of both, exponent, first
module attributes {ane.weights = {first = #ane.weight<"w.bin", 0, 36> : tensor<3x3xf32>, exponent = #ane.weight<"w.bin", 36, 12> : tensor<3xf32>,
                                  both = #ane.weight<"w.bin", 48, 12> : tensor<3xf32>}} {
  func.func @main(%x: tensor<4x3x1xf32> {ane.io_name = "x"}) -> (tensor<4x3xf32> {ane.io_name = "y"}) {
    %first = ane.const #ane.weight<"w.bin", 0, 36> : tensor<3x3xf32>
    %exponent = ane.const #ane.weight<"w.bin", 36, 12> : tensor<3xf32>
    %both = ane.const #ane.weight<"w.bin", 48, 12> : tensor<3xf32>
    %variance = ane.const dense<1.0> : tensor<3xf32>
    %0 = ane.batch_norm %x, %both, %variance : (tensor<4x3x1xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3x1xf32>
    %1 = ane.reshape %0 {shape = array<i64: 4, 3>} : (tensor<4x3x1xf32>) -> tensor<4x3xf32>
    %2 = ane.pow %1, %exponent : tensor<4x3xf32>, tensor<3xf32>
    %3 = ane.linear %2, %first bias %both : (tensor<4x3xf32>, tensor<3x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
    return %3 : tensor<4x3xf32>
  }
}
