ane.state @total : tensor<64xf32>
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %before = ane.read_state @total : tensor<64xf32>
  %after = ane.add %before, %x : tensor<64xf32>, tensor<64xf32>
  ane.write_state @total, %after : tensor<64xf32>
  %y = ane.relu %after : tensor<64xf32>
  return %y : tensor<64xf32>
}
