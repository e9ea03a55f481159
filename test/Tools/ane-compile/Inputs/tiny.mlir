func.func @main(%x: tensor<1x64xf32>, %i: tensor<1x64xi64>) -> (tensor<1x64xf32>, tensor<1x64xi64>) {
  %0 = ane.relu %x : tensor<1x64xf32> loc("/relu")
  %1 = ane.add %i, %i : tensor<1x64xi64>, tensor<1x64xi64> loc("/ids")
  return %0, %1 : tensor<1x64xf32>, tensor<1x64xi64>
}
