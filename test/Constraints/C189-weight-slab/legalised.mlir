// RUN: ane-opt %s --ane-to-legal --ane-verify-legal="only=C189 advice=true" 2>&1 | FileCheck %s
// Two slices would be of 1 MiB for each core; three are not.

// CHECK-NOT: warning
// CHECK: ane.island
// CHECK: ane.conv {{.*}}10928
// CHECK: ane.conv {{.*}}10912
// CHECK-NOT: ane.conv {{.*}}16384

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x512xf32>) -> tensor<64x32768xf32> {
    %w = ane.const dense<1.0> : tensor<32768x512xf32>
    %0 = ane.linear %x, %w : (tensor<64x512xf32>, tensor<32768x512xf32>) -> tensor<64x32768xf32>
    return %0 : tensor<64x32768xf32>
  }
}
