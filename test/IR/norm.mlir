// Round trip: normalisation.
// RUN: ane-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @layer_norm(
// CHECK: ane.layer_norm %{{.*}} : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16>
func.func @layer_norm(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.layer_norm %x : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @layer_norm_all(
// CHECK: ane.layer_norm %{{.*}} gamma %{{.*}} beta %{{.*}} {axes = array<i64: -1>, epsilon = {{.*}} : f64} : (tensor<2x3x4xf16>, tensor<4xf16>, tensor<4xf16>) -> tensor<2x3x4xf16>
func.func @layer_norm_all(%x: tensor<2x3x4xf16>, %g: tensor<4xf16>, %b: tensor<4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.layer_norm %x gamma %g beta %b {axes = array<i64: -1>, epsilon = 1.000000e-12} : (tensor<2x3x4xf16>, tensor<4xf16>, tensor<4xf16>) -> tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @layer_norm_beta(
// CHECK: ane.layer_norm %{{.*}} beta %{{.*}} {axes = array<i64: 1, 2>} : (tensor<2x3x4xf16>, tensor<3x4xf16>) -> tensor<2x3x4xf16>
func.func @layer_norm_beta(%x: tensor<2x3x4xf16>, %b: tensor<3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.layer_norm %x beta %b {axes = array<i64: 1, 2>} : (tensor<2x3x4xf16>, tensor<3x4xf16>) -> tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @batch_norm(
// CHECK: ane.batch_norm %{{.*}}, %{{.*}}, %{{.*}} gamma %{{.*}} beta %{{.*}} : (tensor<2x3x4xf16>, tensor<3xf16>, tensor<3xf16>, tensor<3xf16>, tensor<3xf16>) -> tensor<2x3x4xf16>
func.func @batch_norm(%x: tensor<2x3x4xf16>, %m: tensor<3xf16>, %v: tensor<3xf16>, %g: tensor<3xf16>, %b: tensor<3xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.batch_norm %x, %m, %v gamma %g beta %b : (tensor<2x3x4xf16>, tensor<3xf16>, tensor<3xf16>, tensor<3xf16>, tensor<3xf16>) -> tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @instance_norm(
// CHECK: ane.instance_norm %{{.*}} gamma %{{.*}} : (tensor<2x3x4xf16>, tensor<3xf16>) -> tensor<2x3x4xf16>
func.func @instance_norm(%x: tensor<2x3x4xf16>, %g: tensor<3xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.instance_norm %x gamma %g : (tensor<2x3x4xf16>, tensor<3xf16>) -> tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @l2_norm(
// CHECK: ane.l2_norm %{{.*}} : tensor<2x3x4xf16>
func.func @l2_norm(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.l2_norm %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @local_response_norm(
// CHECK: ane.local_response_norm %{{.*}} {size = 5 : i64} : tensor<2x3x4xf16>
func.func @local_response_norm(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.local_response_norm %x {size = 5} : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @rms_norm(
// CHECK: ane.rms_norm %{{.*}} gamma %{{.*}} {zero_centered = true} : (tensor<2x3x4xf16>, tensor<4xf16>) -> tensor<2x3x4xf16>
func.func @rms_norm(%x: tensor<2x3x4xf16>, %g: tensor<4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.rms_norm %x gamma %g {zero_centered = true} : (tensor<2x3x4xf16>, tensor<4xf16>) -> tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @group_norm(
// CHECK: ane.group_norm %{{.*}} gamma %{{.*}} beta %{{.*}} {num_groups = 3 : i64} : (tensor<2x6x4xf16>, tensor<6xf16>, tensor<6xf16>) -> tensor<2x6x4xf16>
func.func @group_norm(%x: tensor<2x6x4xf16>, %g: tensor<6xf16>, %b: tensor<6xf16>) -> tensor<2x6x4xf16> {
  %0 = ane.group_norm %x gamma %g beta %b {num_groups = 3} : (tensor<2x6x4xf16>, tensor<6xf16>, tensor<6xf16>) -> tensor<2x6x4xf16>
  return %0 : tensor<2x6x4xf16>
}
