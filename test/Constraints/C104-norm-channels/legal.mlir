// RUN: ane-opt %s --split-input-file --ane-verify-legal

module attributes {ane.target = #ane.target<chip = "h13", route = netlist, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x15x16x32xf16>) -> tensor<1x15x16x32xf16> {
      %0 = ane.local_response_norm %x {size = 5 : i64} : tensor<1x15x16x32xf16>
      return %0 : tensor<1x15x16x32xf16>
    }
  }
}
