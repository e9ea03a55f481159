// RUN: ane-opt %s --split-input-file --ane-verify-legal

// Seen on this tier and route (exp), native by the tables (floor_div), seen on another tier of this route (maximum).
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %0 = ane.exp %x : tensor<1x64x1x64xf16>
      %1 = ane.floor_div %0, %x : tensor<1x64x1x64xf16>, tensor<1x64x1x64xf16>
      %2 = ane.maximum %1, %x : tensor<1x64x1x64xf16>, tensor<1x64x1x64xf16>
      return %2 : tensor<1x64x1x64xf16>
    }
  }
}

// -----

// topk runs on e5rt from H16 on.
module attributes {ane.target = #ane.target<chip = "h16", route = e5rt, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %0 = ane.reverse %x {axes = array<i64: 1>} : tensor<1x64x1x64xf16>
      %1 = ane.rsqrt %0 : tensor<1x64x1x64xf16>
      return %1 : tensor<1x64x1x64xf16>
    }
  }
}
