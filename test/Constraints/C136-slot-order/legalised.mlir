// RUN: ane-opt %s --ane-to-emittable --ane-verify-legal="emittable=true" | FileCheck %s

// CHECK: ane.program
// CHECK: func.func @main({{.*}}bytes = [[BYTES:[0-9]+]]>{{.*}}bytes = [[BYTES]]>}) ->

module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x1024xf32>, %y: tensor<64x32xf32>) -> tensor<64x32xf32> {
    %0 = ane.slice_by_size %x {begin = array<i64: 0, 0>, size = array<i64: 64, 32>} : (tensor<64x1024xf32>) -> tensor<64x32xf32>
    %1 = ane.add %0, %y : tensor<64x32xf32>, tensor<64x32xf32>
    return %1 : tensor<64x32xf32>
  }
}
