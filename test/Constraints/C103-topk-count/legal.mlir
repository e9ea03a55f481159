// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C103"

module attributes {ane.target = #ane.target<chip = "h16", route = e5rt, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64xf16>) -> tensor<1x5xf16> {
      %0, %1 = ane.topk %x {k = 5 : i64, axis = -1 : i64} : (tensor<1x64xf16>) -> (tensor<1x5xf16>, tensor<1x5xi32>)
      return %0 : tensor<1x5xf16>
    }
  }
}
