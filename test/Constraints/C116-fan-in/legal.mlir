// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C116"

module attributes {ane.target = #ane.target<chip = "h13", route = e5rt, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x4x1x32xf16>) -> tensor<1x44x1x32xf16> {
      %0 = ane.concat %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x {axis = 1 : i64} : (tensor<1x4x1x32xf16>, tensor<1x4x1x32xf16>, tensor<1x4x1x32xf16>, tensor<1x4x1x32xf16>, tensor<1x4x1x32xf16>, tensor<1x4x1x32xf16>, tensor<1x4x1x32xf16>, tensor<1x4x1x32xf16>, tensor<1x4x1x32xf16>, tensor<1x4x1x32xf16>, tensor<1x4x1x32xf16>) -> tensor<1x44x1x32xf16>
      return %0 : tensor<1x44x1x32xf16>
    }
  }
}
