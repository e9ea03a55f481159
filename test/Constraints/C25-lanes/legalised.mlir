// RUN: ane-opt %s --ane-to-emittable --ane-verify-legal="emittable=true" | FileCheck %s
// One column becomes a full row.

// CHECK: ane.program
// CHECK: func.func @main(%{{.*}}x{{(32|64|96|128)}}xf16>

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x1xf32>) -> tensor<64x1xf32> {
    %0 = ane.relu %x : tensor<64x1xf32>
    return %0 : tensor<64x1xf32>
  }
}
