// RUN: ane-opt %s --ane-to-emittable --ane-verify-legal="emittable=true" | FileCheck %s

// 769 rows of 64 bytes.
// CHECK: func.func @main({{.*}}row_stride = 64, bytes = 49280>{{.*}}row_stride = 64, bytes = 49280>}) {

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x769x1x32xf32>) -> tensor<1x769x1x32xf32> {
    %0 = ane.exp %x : tensor<1x769x1x32xf32>
    return %0 : tensor<1x769x1x32xf32>
  }
}
