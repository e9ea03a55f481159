// RUN: ane-opt %s --ane-append-loss='output=y' | FileCheck %s --check-prefix=ENTROPY
// RUN: ane-opt %s --ane-append-loss='kind=mse output=y target=wanted' | FileCheck %s --check-prefix=MSE
// RUN: ane-opt %s --ane-append-loss='kind=bce output=y' | FileCheck %s --check-prefix=BCE
// RUN: not ane-opt %s --ane-append-loss 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not ane-opt %s --ane-append-loss='kind=hinge output=y' 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not ane-opt %s --ane-append-loss='output=y target=x' 2>&1 | FileCheck %s --check-prefix=TAKEN
// RUN: not ane-opt %s --ane-append-loss='output=y axis=2' 2>&1 | FileCheck %s --check-prefix=AXIS

// ENTROPY-LABEL: func.func @main(
// ENTROPY-SAME: %[[T:[a-z0-9]+]]: tensor<4xi64> {ane.io_name = "target", ane.range = {max = 2 : i64, min = 0 : i64, reader = "the loss"}})
// ENTROPY-SAME: tensor<f32> {ane.io_name = "loss"}, tensor<f32> {ane.io_name = "loss_share"})
// ENTROPY: %[[COUNTS:.*]] = ane.not_equal %[[T]],
// ENTROPY: ane.log_softmax
// ENTROPY: ane.gather_along_axis
// ENTROPY: ane.select %[[COUNTS]]
// ENTROPY: ane.neg
// MSE-LABEL: func.func @main(
// MSE-SAME: tensor<4x3xf32> {ane.io_name = "wanted"})
// MSE: ane.cast {{.*}}fp32
// MSE: ane.square
// MSE: ane.reduce_mean
// BCE-LABEL: func.func @main(
// BCE: ane.softplus
// BCE: ane.reduce_mean
// TWO: error: 'func.func' op has 2 outputs that are a tensor of floats, expected one, or the name of one
// KIND: error: kind=hinge: expected cross-entropy, mse, bce, contrastive or model
// TAKEN: error: target=x: the function has an input of that name
// AXIS: error: axis 2 is out of range [-2, 1] for rank 2
func.func @main(%x: tensor<4x3xf16> {ane.io_name = "x"})
    -> (tensor<4x3xf16> {ane.io_name = "y"}, tensor<4x3xf16> {ane.io_name = "z"}) {
  %0 = ane.exp %x : tensor<4x3xf16>
  return %0, %x : tensor<4x3xf16>, tensor<4x3xf16>
}
