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
