// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s
// VALUES: %x = -0.1 .. 0.1
// VALUES: %y = -1 .. 1

// CHECK: engine {
// CHECK: ane.slice_by_size
// CHECK-COUNT-2: ane.matmul {{.*}}20000
// CHECK-NOT: ane.matmul
// CHECK: twin {

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x8x40000xf32>, %y: tensor<1x40000x16xf32>) -> tensor<1x8x16xf32> {
    %0 = ane.matmul %x, %y : (tensor<1x8x40000xf32>, tensor<1x40000x16xf32>) -> tensor<1x8x16xf32>
    return %0 : tensor<1x8x16xf32>
  }
}
