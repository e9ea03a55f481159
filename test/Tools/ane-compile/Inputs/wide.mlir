// A kernel of 15 columns, which the engine takes from M4 on, and one of 1.
func.func @main(%x: tensor<1x16x1x128xf32>) -> tensor<1x16x1x128xf32> {
  %w = ane.const dense<0.01> : tensor<16x16x1x15xf32>
  %0 = ane.conv %x, %w {pad = array<i64: 0, 0, 7, 7>, pad_type = "custom", strides = array<i64: 1, 1>} : (tensor<1x16x1x128xf32>, tensor<16x16x1x15xf32>) -> tensor<1x16x1x128xf32> loc("/wide/Conv")
  %v = ane.const dense<0.02> : tensor<16x16x1x1xf32>
  %1 = ane.conv %0, %v : (tensor<1x16x1x128xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x1x128xf32> loc("/narrow/Conv")
  return %1 : tensor<1x16x1x128xf32>
}
