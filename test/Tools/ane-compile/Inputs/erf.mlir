// GELU as exporters spell it, on an identity.
func.func @main(%x: tensor<1x64x64xf32>) -> tensor<1x64x64xf32> {
  %i = ane.identity %x : tensor<1x64x64xf32> loc("/none/Identity")
  %r = ane.const dense<1.41421354> : tensor<f32>
  %0 = ane.real_div %i, %r : tensor<1x64x64xf32>, tensor<f32> loc("/act/Div")
  %1 = ane.erf %0 : tensor<1x64x64xf32> loc("/act/Erf")
  %one = ane.const dense<1.0> : tensor<f32>
  %2 = ane.add %1, %one : tensor<1x64x64xf32>, tensor<f32> loc("/act/Add")
  %3 = ane.mul %i, %2 : tensor<1x64x64xf32>, tensor<1x64x64xf32> loc("/act/Mul")
  %half = ane.const dense<0.5> : tensor<f32>
  %4 = ane.mul %3, %half : tensor<1x64x64xf32>, tensor<f32> loc("/act/Mul_1")
  return %4 : tensor<1x64x64xf32>
}
