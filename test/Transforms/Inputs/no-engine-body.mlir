func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ane.island(%x) : (tensor<4xf32>) -> tensor<4xf32> engine {
  } twin {
  ^bb0(%a: tensor<4xf32>):
    %1 = ane.relu %a : tensor<4xf32>
    ane.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
