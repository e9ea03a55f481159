// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s
// Slices of the weight give exact slices of the result; the CPU joins them.

// CHECK: ane.island
// CHECK: ane.conv {{.*}}16016
// CHECK: ane.conv {{.*}}15985
// CHECK: ane.concat {{.*}}ane.host
// CHECK-NOT: ane.conv {{.*}}32001

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x32001xf32> {
    %w = ane.const dense<1.0> : tensor<32001x64xf32>
    %0 = ane.linear %x, %w : (tensor<64x64xf32>, tensor<32001x64xf32>) -> tensor<64x32001xf32>
    return %0 : tensor<64x32001xf32>
  }
}
