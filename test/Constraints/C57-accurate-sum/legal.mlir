// RUN: ane-opt %s --ane-verify-legal
// Another spelling is more accurate; that makes this one no error.

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x32x32x512xf16>) -> tensor<1x32x32x512xf16> {
      %0 = ane.reduce_sum %x {axes = array<i64: 3>, keep_dims = true} : (tensor<1x32x32x512xf16>) -> tensor<1x32x32x1xf16>
      %1 = ane.add %x, %0 : tensor<1x32x32x512xf16>, tensor<1x32x32x1xf16>
      return %1 : tensor<1x32x32x512xf16>
    }
  }
}
