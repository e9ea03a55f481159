// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C122"

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x2048xf16>) -> tensor<1x1xi32> {
      %0 = ane.reduce_argmax %x {axis = -1 : i64, keep_dims = true} : (tensor<1x2048xf16>) -> tensor<1x1xi32>
      return %0 : tensor<1x1xi32>
    }
  }
}
