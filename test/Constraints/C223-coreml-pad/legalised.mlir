// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// CHECK: engine {
// CHECK: ane.pad {{.*}}mode = "reflect", pad = array<i64: 2, 3, 4, 1>
// CHECK: twin {

module attributes {ane.target = #ane.target<chip = "h16", route = coreml, os = 27, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x16x20x64xf32>) -> tensor<1x21x25x64xf32> {
    %0 = ane.pad %x {mode = "reflect", pad = array<i64: 2, 3, 4, 1, 0, 0>} : (tensor<1x16x20x64xf32>) -> tensor<1x21x25x64xf32>
    return %0 : tensor<1x21x25x64xf32>
  }
}
