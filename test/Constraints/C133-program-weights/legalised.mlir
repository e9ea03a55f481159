// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s
// NOT COMPARED: because two products with 8192 x 8192 weights take minutes; nothing but the cut is new

// Two weights of 134 MB each: one program of Core ML holds 250 MB.
// CHECK-COUNT-2: ane.island

module attributes {ane.target = #ane.target<chip = "h16", route = coreml, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x8192xf32>) -> tensor<64x8192xf32> {
    %w = ane.const dense<0.0001> : tensor<8192x8192xf32>
    %v = ane.const dense<0.0002> : tensor<8192x8192xf32>
    %0 = ane.linear %x, %w : (tensor<64x8192xf32>, tensor<8192x8192xf32>) -> tensor<64x8192xf32>
    %1 = ane.relu %0 : tensor<64x8192xf32>
    %2 = ane.linear %1, %v : (tensor<64x8192xf32>, tensor<8192x8192xf32>) -> tensor<64x8192xf32>
    return %2 : tensor<64x8192xf32>
  }
}
