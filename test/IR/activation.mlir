// Round trip: activation functions.
// RUN: ane-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @relu(
// CHECK: ane.relu %{{.*}} : tensor<2x3x4xf16>
func.func @relu(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.relu %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @relu6(
// CHECK: ane.relu6 %{{.*}} : tensor<2x3x4xf16>
func.func @relu6(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.relu6 %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @sigmoid(
// CHECK: ane.sigmoid %{{.*}} : tensor<2x3x4xf16>
func.func @sigmoid(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.sigmoid %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @softplus(
// CHECK: ane.softplus %{{.*}} : tensor<2x3x4xf16>
func.func @softplus(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.softplus %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @softsign(
// CHECK: ane.softsign %{{.*}} : tensor<2x3x4xf16>
func.func @softsign(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.softsign %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @silu(
// CHECK: ane.silu %{{.*}} : tensor<2x3x4xf16>
func.func @silu(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.silu %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @gelu(
// CHECK: ane.gelu %{{.*}} : tensor<2x3x4xf16>
func.func @gelu(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.gelu %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @hard_swish(
// CHECK: ane.hard_swish %{{.*}} : tensor<2x3x4xf16>
func.func @hard_swish(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.hard_swish %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @mish(
// CHECK: ane.mish %{{.*}} : tensor<2x3x4xf16>
func.func @mish(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.mish %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @softmax(
// CHECK: ane.softmax %{{.*}} : tensor<2x3x4xf16>
func.func @softmax(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.softmax %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @log_softmax(
// CHECK: ane.log_softmax %{{.*}} : tensor<2x3x4xf16>
func.func @log_softmax(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.log_softmax %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @gelu_tanh(
// CHECK: ane.gelu %{{.*}} {mode = "TANH_APPROXIMATION"} : tensor<2x3x4xf16>
func.func @gelu_tanh(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.gelu %x {mode = "TANH_APPROXIMATION"} : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @softmax_axis(
// CHECK: ane.softmax %{{.*}} {axis = 1 : i64} : tensor<2x3x4xf16>
func.func @softmax_axis(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.softmax %x {axis = 1} : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @leaky_relu(
// CHECK: ane.leaky_relu %{{.*}} {alpha = 1.000000e-01 : f64} : tensor<2x3x4xf16>
func.func @leaky_relu(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.leaky_relu %x {alpha = 1.000000e-01} : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @elu(
// CHECK: ane.elu %{{.*}} {alpha = 1.000000e-01 : f64} : tensor<2x3x4xf16>
func.func @elu(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.elu %x {alpha = 1.000000e-01} : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @thresholded_relu(
// CHECK: ane.thresholded_relu %{{.*}} {alpha = 1.000000e-01 : f64} : tensor<2x3x4xf16>
func.func @thresholded_relu(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.thresholded_relu %x {alpha = 1.000000e-01} : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @clamped_relu(
// CHECK: ane.clamped_relu %{{.*}} {alpha = 1.000000e-01 : f64, beta = 6.000000e+00 : f64} : tensor<2x3x4xf16>
func.func @clamped_relu(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.clamped_relu %x {alpha = 1.000000e-01, beta = 6.000000e+00} : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @linear_activation(
// CHECK: ane.linear_activation %{{.*}} {alpha = 1.000000e-01 : f64, beta = 6.000000e+00 : f64} : tensor<2x3x4xf16>
func.func @linear_activation(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.linear_activation %x {alpha = 1.000000e-01, beta = 6.000000e+00} : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @scaled_tanh(
// CHECK: ane.scaled_tanh %{{.*}} {alpha = 1.000000e-01 : f64, beta = 6.000000e+00 : f64} : tensor<2x3x4xf16>
func.func @scaled_tanh(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.scaled_tanh %x {alpha = 1.000000e-01, beta = 6.000000e+00} : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @sigmoid_hard(
// CHECK: ane.sigmoid_hard %{{.*}} {alpha = 1.000000e-01 : f64, beta = 6.000000e+00 : f64} : tensor<2x3x4xf16>
func.func @sigmoid_hard(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.sigmoid_hard %x {alpha = 1.000000e-01, beta = 6.000000e+00} : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @prelu(
// CHECK: ane.prelu %{{.*}}, %{{.*}} : tensor<2x3x4xf16>, tensor<3xf16>
func.func @prelu(%x: tensor<2x3x4xf16>, %a: tensor<3xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.prelu %x, %a : tensor<2x3x4xf16>, tensor<3xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @softplus_parametric(
// CHECK: ane.softplus_parametric %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x3x4xf16>, tensor<3xf16>, tensor<3xf16>
func.func @softplus_parametric(%x: tensor<2x3x4xf16>, %a: tensor<3xf16>, %b: tensor<3xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.softplus_parametric %x, %a, %b : tensor<2x3x4xf16>, tensor<3xf16>, tensor<3xf16>
  return %0 : tensor<2x3x4xf16>
}
