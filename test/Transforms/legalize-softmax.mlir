// What sources dispute (C110) is spelled so that it holds whoever is right, unless speed is preferred.
// RUN: ane-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(ane-place,ane-form-islands,ane.island(ane-begin-engine-body,ane-legalize-attention)))' | FileCheck %s

// Along any axis; a power of two stays.
// CHECK-LABEL: @disputed
// CHECK: engine {
// CHECK: ane.softmax %{{.*}} : tensor<2x96x64xf32>
// CHECK: ane.pad %{{.*}}constant_val = -6.550400e+04 : f64, pad = array<i64: 0, 32, 0, 0>}
// CHECK: ane.softmax %{{.*}}axis = 1 : i64} : tensor<2x128x64xf32>
// CHECK: ane.slice_by_size %{{.*}}begin = array<i64: 0, 0, 0>, size = array<i64: 2, 96, 64>}
// CHECK: twin {
// CHECK-COUNT-2: ane.softmax
module attributes {ane.target = #ane.target<chip = "h15", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @disputed(%x: tensor<2x96x64xf32>) -> tensor<2x96x64xf32> {
    %0 = ane.tanh %x : tensor<2x96x64xf32>
    %1 = ane.softmax %0 {axis = -1 : i64} : tensor<2x96x64xf32>
    %2 = ane.softmax %1 {axis = 1 : i64} : tensor<2x96x64xf32>
    return %2 : tensor<2x96x64xf32>
  }
}

// -----

// CHECK-LABEL: @speed
// CHECK-NOT: ane.pad
module attributes {ane.prefer = "speed", ane.target = #ane.target<chip = "h15", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @speed(%x: tensor<2x96x64xf32>) -> tensor<2x96x64xf32> {
    %0 = ane.tanh %x : tensor<2x96x64xf32>
    %1 = ane.softmax %0 {axis = 1 : i64} : tensor<2x96x64xf32>
    return %1 : tensor<2x96x64xf32>
  }
}

// -----

// CHECK-LABEL: @elsewhere
// CHECK-NOT: ane.pad
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @elsewhere(%x: tensor<2x96x64xf32>) -> tensor<2x96x64xf32> {
    %0 = ane.tanh %x : tensor<2x96x64xf32>
    %1 = ane.softmax %0 {axis = 1 : i64} : tensor<2x96x64xf32>
    return %1 : tensor<2x96x64xf32>
  }
}
