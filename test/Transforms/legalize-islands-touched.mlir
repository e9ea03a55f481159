// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-place,ane-form-islands,ane-legalize-islands))' --mlir-print-ir-after=ane-begin-engine-body 2>&1 | FileCheck %s

// Two islands, of which the second sends an op to the CPU. When the islands are formed anew, the first comes out as it was: it
// keeps its engine region, and is not filled again.
// CHECK: IR Dump After BeginEngineBody
// CHECK: IR Dump After BeginEngineBody
// CHECK: IR Dump After BeginEngineBody
// CHECK-NOT: IR Dump After BeginEngineBody
// CHECK-LABEL: func.func @touched
// CHECK: engine {
// CHECK: ane.max_pool {{.*}}xf16>
// CHECK: } twin {
// CHECK: ane.argsort
// CHECK-DAG: ane.add {{.*}}ane.host = #ane.host<"C21"
// CHECK-DAG: ane.tanh {{.*}}xf16>
func.func @touched(%a: tensor<1x64x1x32xf32>, %b: tensor<2x3x4x5x32xf32>) -> (tensor<2x3x4x5x32xf32>, tensor<1x64x1x32xf32>) {
  %c = ane.const dense<1.0> : tensor<2x1x4x1x32xf32>
  %0 = ane.max_pool %a {ceil_mode = false, kernel_sizes = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, pad_type = "valid", strides = array<i64: 1, 1>} : (tensor<1x64x1x32xf32>) -> tensor<1x64x1x32xf32> loc("before")
  %1 = ane.argsort %0 : tensor<1x64x1x32xf32> loc("indices")
  %2 = ane.cast %1 {dtype = "fp32"} : (tensor<1x64x1x32xi32>) -> tensor<1x64x1x32xf32> loc("numbers")
  %3 = ane.tanh %2 : tensor<1x64x1x32xf32> loc("behind")
  %4 = ane.slice_by_size %2 {begin = array<i64: 0, 0, 0, 0>, size = array<i64: 1, 1, 1, 32>} : (tensor<1x64x1x32xf32>) -> tensor<1x1x1x32xf32> loc("row")
  %5 = ane.add %b, %4 : tensor<2x3x4x5x32xf32>, tensor<1x1x1x32xf32> loc("sum")
  %6 = ane.add %5, %c : tensor<2x3x4x5x32xf32>, tensor<2x1x4x1x32xf32> loc("five_axes")
  return %6, %3 : tensor<2x3x4x5x32xf32>, tensor<1x64x1x32xf32>
}
