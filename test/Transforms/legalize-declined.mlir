// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-place,ane-form-islands,ane-legalize-islands))' --split-input-file | FileCheck %s
// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-place,ane-form-islands,ane.island(ane-begin-engine-body,ane-legalize-spellings)))' --split-input-file | FileCheck %s --check-prefix=NOTE

// A legaliser that leaves an op as it is says why; the host mark repeats it behind what the check found.
// CHECK-LABEL: func.func @interleaved
// CHECK: ane.concat {{.*}}ane.host = #ane.host<"C01", "{{.+}}; only floats that are not interleaved are joined by sums">
func.func @interleaved(%a: tensor<1x64x1x32xf32>) -> tensor<1x128x1x32xf32> {
  %0 = ane.concat %a, %a {axis = 1 : i64, interleave = true} : (tensor<1x64x1x32xf32>, tensor<1x64x1x32xf32>) -> tensor<1x128x1x32xf32>
  return %0 : tensor<1x128x1x32xf32>
}

// -----

// CHECK-LABEL: func.func @power
// CHECK: ane.pow {{.*}}ane.host = #ane.host<"C65", "{{.+}}; products spell one exponent, a half or an integer of 1 to 8">
// NOTE-LABEL: func.func @power
// NOTE: engine {
// NOTE: ane.pow {{.*}}ane.declined = #ane.host<"C65", "products spell one exponent, a half or an integer of 1 to 8">
// NOTE: } twin {
// NOTE-NOT: ane.declined
func.func @power(%a: tensor<1x64x1x32xf32>) -> tensor<1x64x1x32xf32> {
  %c = ane.const dense<2.3> : tensor<f32>
  %0 = ane.pow %a, %c : tensor<1x64x1x32xf32>, tensor<f32>
  return %0 : tensor<1x64x1x32xf32>
}

// -----

// A record that held in the end is no reason.
// CHECK-LABEL: func.func @square
// CHECK-NOT: ane.host
// CHECK-NOT: ane.declined
func.func @square(%a: tensor<1x64x1x32xf32>) -> tensor<1x64x1x32xf32> {
  %c = ane.const dense<2.0> : tensor<f32>
  %0 = ane.pow %a, %c : tensor<1x64x1x32xf32>, tensor<f32>
  return %0 : tensor<1x64x1x32xf32>
}
