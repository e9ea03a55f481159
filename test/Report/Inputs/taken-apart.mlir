// A layer norm, a GELU and a product as exporters print them, and a GELU that was one node.
func.func @main(%x: tensor<1x32x64xf32>) -> (tensor<1x32x64xf32>, tensor<1x32x64xf32>) {
  %weight = ane.const dense<0.01> : tensor<64x64xf32>
  %bias = ane.const dense<0.1> : tensor<64xf32>
  %epsilon = ane.const dense<1.0e-5> : tensor<1xf32>
  %root = ane.const dense<1.41421354> : tensor<1xf32>
  %one = ane.const dense<1.0> : tensor<1xf32>
  %half = ane.const dense<0.5> : tensor<1xf32>
  %mean = ane.reduce_mean %x {axes = array<i64: 2>, keep_dims = true} : (tensor<1x32x64xf32>) -> tensor<1x32x1xf32> loc("/norm/ReduceMean")
  %centred = ane.sub %x, %mean : tensor<1x32x64xf32>, tensor<1x32x1xf32> loc("/norm/Sub")
  %square = ane.mul %centred, %centred : tensor<1x32x64xf32>, tensor<1x32x64xf32> loc("/norm/Mul")
  %variance = ane.reduce_mean %square {axes = array<i64: 2>, keep_dims = true} : (tensor<1x32x64xf32>) -> tensor<1x32x1xf32> loc("/norm/ReduceMean_1")
  %shifted = ane.add %variance, %epsilon : tensor<1x32x1xf32>, tensor<1xf32> loc("/norm/Add")
  %deviation = ane.sqrt %shifted : tensor<1x32x1xf32> loc("/norm/Sqrt")
  %normal = ane.real_div %centred, %deviation : tensor<1x32x64xf32>, tensor<1x32x1xf32> loc("/norm/Div")
  %biased = ane.add %normal, %bias : tensor<1x32x64xf32>, tensor<64xf32> loc("/norm/Add_1")
  %product = ane.matmul %biased, %weight {transpose_x = false, transpose_y = false} : (tensor<1x32x64xf32>, tensor<64x64xf32>) -> tensor<1x32x64xf32> loc("/up/MatMul")
  %y = ane.add %product, %bias : tensor<1x32x64xf32>, tensor<64xf32> loc("/up/Add")
  %scaled = ane.real_div %y, %root : tensor<1x32x64xf32>, tensor<1xf32> loc("/act/Div")
  %erf = ane.erf %scaled : tensor<1x32x64xf32> loc("/act/Erf")
  %gate = ane.add %erf, %one : tensor<1x32x64xf32>, tensor<1xf32> loc("/act/Add")
  %gated = ane.mul %y, %gate : tensor<1x32x64xf32>, tensor<1x32x64xf32> loc("/act/Mul")
  %result = ane.mul %gated, %half : tensor<1x32x64xf32>, tensor<1xf32> loc("/act/Mul_1")
  %whole = ane.gelu %x : tensor<1x32x64xf32> loc("/whole/Gelu")
  return %result, %whole : tensor<1x32x64xf32>, tensor<1x32x64xf32>
}
