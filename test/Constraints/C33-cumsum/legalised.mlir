// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-COUNT-3: ane.conv
// CHECK: twin {
// CHECK-COUNT-3: ane.cumsum

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<2x12x16xf32>) -> (tensor<2x12x16xf32>, tensor<2x12x16xf32>, tensor<2x12x16xf32>) {
    %0 = ane.cumsum %x {axis = 1 : i64} : tensor<2x12x16xf32>
    %1 = ane.cumsum %x {axis = -1 : i64, exclusive = true} : tensor<2x12x16xf32>
    %2 = ane.cumsum %x {axis = 0 : i64, exclusive = true, reverse = true} : tensor<2x12x16xf32>
    return %0, %1, %2 : tensor<2x12x16xf32>, tensor<2x12x16xf32>, tensor<2x12x16xf32>
  }
}
