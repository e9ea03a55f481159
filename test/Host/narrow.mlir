// What is float64 in the model is float32 inside, where --cpu-f32 asks for it: rounded where it enters, widened where it leaves.
// RUN: ane-opt %s --ane-host-narrow | FileCheck %s

// CHECK-LABEL: @doubles
// CHECK-SAME: (%[[X:.*]]: tensor<4xf64>, %[[I:.*]]: tensor<4xi64>) -> (tensor<4xf64>, tensor<4xi64>)
// CHECK: %[[N:.*]] = ane.cast %[[X]] {dtype = "fp32"}
// CHECK: %[[K:.*]] = ane.const dense<1.000000e+03> : tensor<f64>
// CHECK: %[[C:.*]] = ane.cast %[[K]] {dtype = "fp32"}
// CHECK: %[[Q:.*]] = ane.real_div %[[N]], %[[C]] : tensor<4xf32>, tensor<f32>
// CHECK: %[[D:.*]] = ane.cast %[[I]] {dtype = "fp32"} : (tensor<4xi64>) -> tensor<4xf32>
// CHECK: %[[S:.*]] = ane.add %[[Q]], %[[D]] : tensor<4xf32>, tensor<4xf32>
// CHECK: %[[T:.*]] = ane.cast %[[S]] {dtype = "int64"}
// CHECK: %[[R:.*]] = ane.cast %[[S]] {dtype = "fp64"} : (tensor<4xf32>) -> tensor<4xf64>
// CHECK: return %[[R]], %[[T]]
func.func @doubles(%x: tensor<4xf64>, %i: tensor<4xi64>) -> (tensor<4xf64>, tensor<4xi64>) {
  %k = ane.const dense<1.0e3> : tensor<f64>
  %q = ane.real_div %x, %k : tensor<4xf64>, tensor<f64>
  %d = ane.cast %i {dtype = "fp64"} : (tensor<4xi64>) -> tensor<4xf64>
  %s = ane.add %q, %d : tensor<4xf64>, tensor<4xf64>
  %t = ane.cast %s {dtype = "int64"} : (tensor<4xf64>) -> tensor<4xi64>
  return %s, %t : tensor<4xf64>, tensor<4xi64>
}
