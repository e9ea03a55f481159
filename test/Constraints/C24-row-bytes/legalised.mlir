// RUN: ane-opt %s --ane-to-emittable --ane-verify-legal="emittable=true" | FileCheck %s
// 48 columns are 96 bytes: another shape, or padding inside the program.

// CHECK: ane.program
// CHECK-NOT: x48xf16> {
// CHECK: return {{.*}}x{{(32|64|96|128|3072)}}xf16>

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x48xf32>) -> tensor<64x48xf32> {
    %0 = ane.relu %x : tensor<64x48xf32>
    return %0 : tensor<64x48xf32>
  }
}
