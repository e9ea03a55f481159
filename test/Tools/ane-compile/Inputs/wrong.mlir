func.func @main(%x: tensor<1x64xf32>, %y: tensor<1x3xf32>) -> tensor<1x64xf32> {
  %0 = ane.add %x, %y : tensor<1x64xf32>, tensor<1x3xf32>
  return %0 : tensor<1x64xf32>
}
