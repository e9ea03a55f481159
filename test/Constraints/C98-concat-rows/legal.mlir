// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C98"

module attributes {ane.target = #ane.target<chip = "h16", route = e5rt, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x65536xf16>, %y: tensor<1x65536xf16>) -> tensor<2x65536xf16> {
      %0 = ane.concat %x, %y {axis = 0 : i64} : (tensor<1x65536xf16>, tensor<1x65536xf16>) -> tensor<2x65536xf16>
      return %0 : tensor<2x65536xf16>
    }
  }
}
