// The chip with slice_by_index nearest to M2 is M3: on macOS 15 it was seen with a condition, on 26 without.
func.func @main(%x: tensor<1x64x1x64xf32>) -> tensor<1x64x1x16xf32> {
  %0 = ane.relu %x : tensor<1x64x1x64xf32> loc(fused["model.onnx":1:1, "/relu"])
  %1 = ane.slice_by_index %0 {begin = array<i64: 0, 0, 0, 1>, end = array<i64: 1, 64, 1, 63>, stride = array<i64: 1, 1, 1, 4>} : (tensor<1x64x1x64xf32>) -> tensor<1x64x1x16xf32> loc(fused["model.onnx":1:1, "/slice"])
  return %1 : tensor<1x64x1x16xf32>
}
