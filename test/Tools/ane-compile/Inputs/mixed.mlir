// A concat, a product of 40,000 output channels, a gelu, and a rounding, which the engine has no form of.
func.func @main(%x: tensor<1x64x32xf32>, %y: tensor<1x64x32xf32>) -> (tensor<1x64x40000xf32>, tensor<1x64x64xf32>, tensor<1x64x64xf32>) {
  %0 = ane.concat %x, %y {axis = 2 : i64} : (tensor<1x64x32xf32>, tensor<1x64x32xf32>) -> tensor<1x64x64xf32> loc("/join")
  %1 = ane.gelu %0 : tensor<1x64x64xf32> loc("/act")
  %w = ane.const dense<0.01> : tensor<40000x64xf32>
  %2 = ane.linear %1, %w : (tensor<1x64x64xf32>, tensor<40000x64xf32>) -> tensor<1x64x40000xf32> loc("/head/MatMul")
  %3 = ane.tan %0 : tensor<1x64x64xf32> loc("/tan")
  return %2, %0, %3 : tensor<1x64x40000xf32>, tensor<1x64x64xf32>, tensor<1x64x64xf32>
}
