// RUN: ane-opt %s --ane-to-emittable --ane-verify-legal="emittable=true" | FileCheck %s
// W sorts before x; the compiler's names do not.

// CHECK: ane.program
// CHECK: ane.name = "in00"{{.*}}ane.name = "in01"

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>, %W: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = ane.real_div %x, %W : tensor<64x64xf32>, tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }
}
