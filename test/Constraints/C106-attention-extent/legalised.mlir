// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s
// NOT COMPARED: because no bundle is made for the netlist route

// CHECK: ane.island
// CHECK: engine {
// CHECK-NOT: ane.scaled_dot_product_attention
// CHECK: ane.softmax
// CHECK: twin {
// CHECK: ane.scaled_dot_product_attention

module attributes {ane.target = #ane.target<chip = "h16", route = netlist, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%q: tensor<1x8x512x64xf32>, %k: tensor<1x8x512x64xf32>, %v: tensor<1x8x512x64xf32>) -> tensor<1x8x512x64xf32> {
    %0 = ane.scaled_dot_product_attention %q, %k, %v : (tensor<1x8x512x64xf32>, tensor<1x8x512x64xf32>, tensor<1x8x512x64xf32>) -> tensor<1x8x512x64xf32>
    return %0 : tensor<1x8x512x64xf32>
  }
}
