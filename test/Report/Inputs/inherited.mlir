// relu was seen on this tier and route, maximum on another tier, sign nowhere on this route.
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x64x1x64xf32>, %y: tensor<1x64x1x64xf32>) -> tensor<1x64x1x64xf32> {
    %0 = ane.relu %x : tensor<1x64x1x64xf32> loc(fused["model.onnx":1:1, "/relu"])
    %1 = ane.maximum %0, %y : tensor<1x64x1x64xf32>, tensor<1x64x1x64xf32> loc(fused["model.onnx":1:1, "/max"])
    %p = ane.layer_norm %1 {axes = array<i64: 1>, epsilon = 1.0e-5 : f64} : (tensor<1x64x1x64xf32>) -> tensor<1x64x1x64xf32>
    %2 = ane.sign %p : tensor<1x64x1x64xf32> loc(fused["model.onnx":1:1, "/sign"])
    return %2 : tensor<1x64x1x64xf32>
  }
}
