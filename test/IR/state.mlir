// Round trip: states.
// RUN: ane-opt %s --verify-roundtrip | FileCheck %s

// CHECK: ane.state @cache : tensor<1x2x8xf16>
ane.state @cache : tensor<1x2x8xf16>

// CHECK-LABEL: @access(
// CHECK: %[[OLD:.*]] = ane.read_state @cache : tensor<1x2x8xf16>
// CHECK: ane.write_state @cache, %{{.*}} : tensor<1x2x8xf16>
func.func @access(%x: tensor<1x2x8xf16>) -> tensor<1x2x8xf16> {
  %old = ane.read_state @cache : tensor<1x2x8xf16>
  ane.write_state @cache, %x : tensor<1x2x8xf16>
  return %old : tensor<1x2x8xf16>
}

// CHECK-LABEL: @update(
// CHECK: %[[NEW:.*]] = ane.update_state @cache, %{{.*}} at %{{.*}} axis 1 : (tensor<1x1x8xf16>, tensor<i64>) -> tensor<1x2x8xf16>
func.func @update(%x: tensor<1x1x8xf16>, %at: tensor<i64>) -> tensor<1x2x8xf16> {
  %new = ane.update_state @cache, %x at %at axis 1 : (tensor<1x1x8xf16>, tensor<i64>) -> tensor<1x2x8xf16>
  return %new : tensor<1x2x8xf16>
}

// CHECK-LABEL: @skip(
// CHECK: ane.update_state @cache, %{{.*}} at %{{.*}} axis 2 {skip_outside}
func.func @skip(%x: tensor<1x2x1xf16>, %at: tensor<1xi32>) {
  %new = ane.update_state @cache, %x at %at axis 2 {skip_outside} : (tensor<1x2x1xf16>, tensor<1xi32>) -> tensor<1x2x8xf16>
  return
}
