// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// CHECK-LABEL: func.func @elementwise
// CHECK: engine {
// CHECK: ane.add {{.*}} tensor<1x2x32x32xf16>
// CHECK: twin {

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @elementwise(%x: tensor<1x1x2x32x32xf32>, %y: tensor<1x1x2x32x32xf32>) -> tensor<1x1x2x32x32xf32> {
    %0 = ane.add %x, %y : tensor<1x1x2x32x32xf32>, tensor<1x1x2x32x32xf32>
    return %0 : tensor<1x1x2x32x32xf32>
  }
}
