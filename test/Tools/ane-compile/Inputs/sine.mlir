// A sine, which the engine is trusted with from M3 on, and a fifteenth of its work for every engine.
func.func @main(%x: tensor<1x16x15x128xf32>, %y: tensor<1x16x1x128xf32>) -> (tensor<1x16x15x128xf32>, tensor<1x16x1x128xf32>) {
  %0 = ane.sin %x : tensor<1x16x15x128xf32> loc("/wave/Sin")
  %1 = ane.relu %y : tensor<1x16x1x128xf32> loc("/act/Relu")
  return %0, %1 : tensor<1x16x15x128xf32>, tensor<1x16x1x128xf32>
}
