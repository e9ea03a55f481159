// RUN: ane-opt %s --ane-append-loss=kind=mse --ane-weights-as-inputs='frozen=frozen weights=unused' --ane-autodiff='loss=loss loss-scale=true' \
// RUN:   --ane-make-training='loss=mse target=target' 2>&1 | FileCheck %s
// RUN: not ane-opt %s --ane-append-loss=kind=mse --ane-weights-as-inputs --ane-autodiff=loss=loss \
// RUN:   --ane-make-training 2>&1 | FileCheck %s --check-prefix=SCALE

// SCALE: error: 'func.func' op has no input 'loss_scale': it is made by ane-autodiff=loss-scale=true

// What the loss does not depend on stays a constant, and so does what is frozen.
// CHECK: warning: {{.*}}no gradients of unused
// CHECK: module attributes {ane.training = {add = "add", classes = 0 : i64, evaluate = "evaluate", graph = [{{.*}}"1 x matmul {{.*}}"structure {{[0-9a-f]+}}"], ignore = -100 : i64, loss = "mse", loss_scale = "loss_scale",
// CHECK-SAME: optimizers = {adamw = "adamw", lion = "lion", sgd = "sgd"}, squares = "squares", step = "train", sweep = 1024 : i64, target = "target"}

// Of 16 bits in the file, of 32 while it is trained.
// CHECK: ane.parameter "half" : tensor<4x4xf32> {
// CHECK-NEXT: %[[HALF:.*]] = ane.const #ane.weight<"w.bin", 0, 32>
// CHECK-NEXT: %[[WIDE:.*]] = ane.cast %[[HALF]]
// CHECK-NEXT: ane.yield %[[WIDE]]
// CHECK: ane.parameter "single"
// CHECK-NOT: ane.parameter

// CHECK-LABEL: func.func @evaluate(
// CHECK-SAME: "x"}, %{{.*}}: tensor<4x4xf32> {ane.io_name = "target"}, %[[W:.*]]: tensor<4x4xf32> {ane.io_name = "half"}, %{{.*}}: tensor<4xf32> {ane.io_name = "single"})
// CHECK-SAME: -> (tensor<f32> {ane.io_name = "loss"})
// CHECK-NOT: ane.cast
// CHECK: %[[FROZEN:.*]] = ane.const #ane.weight<"w.bin", 48, 16>
// CHECK: %[[Y:.*]] = ane.matmul %{{.*}}, %[[W]]
// CHECK: ane.mul %[[Y]], %[[FROZEN]]

// CHECK-LABEL: func.func @train(
// CHECK-SAME: "target"}, %{{.*}}"half"}, %{{.*}}"single"}, %{{.*}}: tensor<f32> {ane.io_name = "loss_scale"})
// CHECK-SAME: -> (tensor<f32> {ane.io_name = "loss"}, tensor<4x4xf32> {ane.io_name = "grad.half"}, tensor<4xf32> {ane.io_name = "grad.single"})

// All sweeps run on the CPU.
// CHECK-LABEL: func.func @adamw(
// CHECK-SAME: tensor<1024xf32> {ane.io_name = "weight"}, %{{.*}}: tensor<1024xf32> {ane.io_name = "gradient"}
// CHECK-SAME: tensor<1xf32> {ane.io_name = "correction2"})
// CHECK-SAME: "weight_next"}, {{.*}}"first_next"}, {{.*}}"second_next"})
// CHECK: ane.mul {{.*}}ane.host = #ane.host<"training"
// CHECK-LABEL: func.func @lion(
// CHECK-LABEL: func.func @sgd(
// CHECK-LABEL: func.func @squares(
// CHECK-LABEL: func.func @add(
module attributes {ane.weights = {half = #ane.weight<"w.bin", 0, 32> : tensor<4x4xf16>,
                                  single = #ane.weight<"w.bin", 32, 16> : tensor<4xf32>,
                                  frozen = #ane.weight<"w.bin", 48, 16> : tensor<4xf32>,
                                  unused = #ane.weight<"w.bin", 64, 16> : tensor<4xf32>}} {
  func.func @main(%x: tensor<4x4xf32> {ane.io_name = "x"}) -> (tensor<4x4xf32> {ane.io_name = "y"}) {
    %a = ane.const #ane.weight<"w.bin", 0, 32> : tensor<4x4xf16>
    %b = ane.const #ane.weight<"w.bin", 32, 16> : tensor<4xf32>
    %c = ane.const #ane.weight<"w.bin", 48, 16> : tensor<4xf32>
    %d = ane.const #ane.weight<"w.bin", 64, 16> : tensor<4xf32>
    %0 = ane.cast %a {dtype = "fp32"} : (tensor<4x4xf16>) -> tensor<4x4xf32>
    %1 = ane.matmul %x, %0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = ane.mul %1, %c : tensor<4x4xf32>, tensor<4xf32>
    %3 = ane.add %2, %b : tensor<4x4xf32>, tensor<4xf32>
    %4 = ane.greater %d, %x : tensor<4xf32>, tensor<4x4xf32>
    %5 = ane.select %4, %3, %x : tensor<4x4xi1>, tensor<4x4xf32>, tensor<4x4xf32>
    return %5 : tensor<4x4xf32>
  }
}
