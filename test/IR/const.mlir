// RUN: ane-opt --verify-roundtrip %s | FileCheck %s

// CHECK-LABEL: func.func @small
// CHECK: ane.const dense<2.500000e-01> : tensor<f32>
func.func @small() -> tensor<f32> {
  %e = ane.const dense<2.5e-1> : tensor<f32>
  return %e : tensor<f32>
}
