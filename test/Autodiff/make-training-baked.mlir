// RUN: ane-opt %s --ane-append-loss=kind=mse --ane-weights-as-inputs --ane-autodiff='loss=loss loss-scale=true' \
// RUN:   --ane-make-training='loss=mse target=target baked=true unbaked=kept' 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=WARNING < %t
// RUN: not ane-opt %s --ane-append-loss=kind=mse --ane-weights-as-inputs --ane-autodiff='loss=loss loss-scale=true' \
// RUN:   --ane-make-training='loss=mse target=target baked=true unbaked=other' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not ane-opt %s --ane-append-loss=kind=mse --ane-weights-as-inputs='weights=half frozen=*' --ane-autodiff='loss=loss loss-scale=true' \
// RUN:   --ane-make-training='loss=mse target=target baked=true' 2>&1 | FileCheck %s --check-prefix=NONE

// UNKNOWN: error: unbaked=other: nothing is called so; known: half, kept, matrix, moved, scale, squared, tiny
// NONE: error: --parameters=baked: no parameter can be a weight of programs, not 'half': the model's file has it as fp16, and it is trained in fp32; remedy: --parameters=inputs, or a file of the model with fp32

// Not baked: what the file has in 16 bits, a scale of a norm, of which something is computed, or which stands in a text.
// WARNING: warning: --parameters=baked: 2 parameters are weights of programs; an input stays 'half': the model's file has it as fp16, and it is trained in fp32; and 3 more; --unbaked=PATTERN says that this is meant
// CHECK: module attributes {ane.trainable = ["matrix", "moved"], ane.training = {
// CHECK-DAG: ane.parameter "matrix"
// CHECK-DAG: ane.parameter "kept"
// CHECK-DAG: ane.parameter "half"

// CHECK-LABEL: func.func @evaluate(
// CHECK-SAME: "half"}, {{.*}}"kept"}, {{.*}}"scale"}, {{.*}}"squared"}, {{.*}}"tiny"})
// CHECK-DAG: ane.const #ane.weight<"w.bin", 0, 64> : tensor<4x4xf32>
// CHECK-DAG: ane.const #ane.weight<"w.bin", 64, 64> : tensor<4x4xf32>

// CHECK-LABEL: func.func @train(
// CHECK-SAME: "half"}, {{.*}}"kept"}, {{.*}}"scale"}, {{.*}}"squared"}, {{.*}}"tiny"}, {{.*}}"loss_scale"})
// CHECK-SAME: "grad.half"}, {{.*}}"grad.kept"}, {{.*}}"grad.matrix"}, {{.*}}"grad.moved"}, {{.*}}"grad.scale"}, {{.*}}"grad.squared"}, {{.*}}"grad.tiny"})
// CHECK-DAG: ane.const #ane.weight<"w.bin", 0, 64> : tensor<4x4xf32>
// CHECK-DAG: ane.const #ane.weight<"w.bin", 64, 64> : tensor<4x4xf32>
module attributes {ane.weights = {matrix = #ane.weight<"w.bin", 0, 64> : tensor<4x4xf32>,
                                  moved = #ane.weight<"w.bin", 64, 64> : tensor<4x4xf32>,
                                  kept = #ane.weight<"w.bin", 128, 64> : tensor<4x4xf32>,
                                  squared = #ane.weight<"w.bin", 192, 64> : tensor<4x4xf32>,
                                  half = #ane.weight<"w.bin", 256, 32> : tensor<4x4xf16>,
                                  tiny = #ane.weight<"w.bin", 320, 16> : tensor<4xf32>,
                                  scale = #ane.weight<"w.bin", 384, 64> : tensor<16xf32>}} {
  func.func @main(%x: tensor<4x4xf32> {ane.io_name = "x"}) -> (tensor<1x16xf32> {ane.io_name = "y"}) {
    %matrix = ane.const #ane.weight<"w.bin", 0, 64> : tensor<4x4xf32>
    %moved = ane.const #ane.weight<"w.bin", 64, 64> : tensor<4x4xf32>
    %kept = ane.const #ane.weight<"w.bin", 128, 64> : tensor<4x4xf32>
    %squared = ane.const #ane.weight<"w.bin", 192, 64> : tensor<4x4xf32>
    %half = ane.const #ane.weight<"w.bin", 256, 32> : tensor<4x4xf16>
    %tiny = ane.const #ane.weight<"w.bin", 320, 16> : tensor<4xf32>
    %scale = ane.const #ane.weight<"w.bin", 384, 64> : tensor<16xf32>
    %0 = ane.matmul %x, %matrix : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = ane.transpose %moved {perm = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = ane.matmul %0, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %3 = ane.matmul %2, %kept : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %4 = ane.mul %squared, %squared : tensor<4x4xf32>, tensor<4x4xf32>
    %5 = ane.matmul %3, %4 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %6 = ane.cast %half {dtype = "fp32"} : (tensor<4x4xf16>) -> tensor<4x4xf32>
    %7 = ane.matmul %5, %6 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %8 = ane.add %7, %tiny : tensor<4x4xf32>, tensor<4xf32>
    %9 = ane.reshape %8 {shape = array<i64: 1, 16>} : (tensor<4x4xf32>) -> tensor<1x16xf32>
    %10 = ane.rms_norm %9 gamma %scale {epsilon = 1.0e-5} : (tensor<1x16xf32>, tensor<16xf32>) -> tensor<1x16xf32>
    return %10 : tensor<1x16xf32>
  }
}
