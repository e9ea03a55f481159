func.func @main(%ids: tensor<1x32xi64>) -> tensor<1x32x64xf32> {
  %table = ane.const dense<0.5> : tensor<100x64xf32>
  %0 = ane.gather %table, %ids {axis = 0 : i64} : (tensor<100x64xf32>, tensor<1x32xi64>) -> tensor<1x32x64xf32>
  %1 = ane.relu %0 : tensor<1x32x64xf32>
  return %1 : tensor<1x32x64xf32>
}
