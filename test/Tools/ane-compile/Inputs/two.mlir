module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @first(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = ane.relu %x : tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }
  func.func @second(%x: tensor<32x64xf32>) -> tensor<32x64xf32> {
    %0 = ane.tanh %x : tensor<32x64xf32>
    return %0 : tensor<32x64xf32>
  }
}
