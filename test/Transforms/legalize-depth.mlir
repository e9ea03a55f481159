// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-form-islands,ane.island(ane-begin-engine-body,ane-legalize-depth)))' | FileCheck %s

// A product over more terms than a program takes is the sum of two; one that fits stays.
// CHECK-LABEL: func.func @deep
// CHECK: engine {
// CHECK-COUNT-2: ane.matmul {{.*}}20000
// CHECK: ane.add
// CHECK: twin {
// CHECK: ane.matmul {{.*}}40000
// CHECK-LABEL: func.func @fits
// CHECK: engine {
// CHECK: ane.matmul {{.*}}1000
// CHECK-NOT: ane.add
// CHECK: twin {
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @deep(%x: tensor<1x8x40000xf32>, %y: tensor<1x40000x16xf32>) -> tensor<1x8x16xf32> {
    %0 = ane.matmul %x, %y : (tensor<1x8x40000xf32>, tensor<1x40000x16xf32>) -> tensor<1x8x16xf32>
    return %0 : tensor<1x8x16xf32>
  }
  func.func @fits(%x: tensor<1x8x1000xf32>, %y: tensor<1x1000x16xf32>) -> tensor<1x8x16xf32> {
    %0 = ane.matmul %x, %y : (tensor<1x8x1000xf32>, tensor<1x1000x16xf32>) -> tensor<1x8x16xf32>
    return %0 : tensor<1x8x16xf32>
  }
}
