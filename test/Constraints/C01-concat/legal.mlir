// RUN: ane-opt %s --split-input-file --ane-verify-legal

// Measured false on M1 ... M5 with named arguments: strictness=evidence lifts it.
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = evidence>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>, %y: tensor<1x64x1x64xf16>) -> tensor<1x128x1x64xf16> {
      %0 = ane.concat %x, %y {axis = 1 : i64} : (tensor<1x64x1x64xf16>, tensor<1x64x1x64xf16>) -> tensor<1x128x1x64xf16>
      return %0 : tensor<1x128x1x64xf16>
    }
  }
}
