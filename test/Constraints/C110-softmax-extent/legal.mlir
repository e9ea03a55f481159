// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C110"

module attributes {ane.keep = ["C110"], ane.target = #ane.target<chip = "h15", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x4x64x96xf16>, %y: tensor<1x4x64x64xf16>) -> (tensor<1x4x64x96xf16>, tensor<1x4x64x64xf16>) {
      %0 = ane.relu %x : tensor<1x4x64x96xf16>
      %1 = ane.softmax %y {axis = -1 : i64} : tensor<1x4x64x64xf16>
      return %0, %1 : tensor<1x4x64x96xf16>, tensor<1x4x64x64xf16>
    }
  }
}

// -----

// Sources disagree about it: it is a rule only where it is kept.
module attributes {ane.target = #ane.target<chip = "h15", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x4x64x96xf16>, %y: tensor<1x4x64x64xf16>) -> (tensor<1x4x64x96xf16>, tensor<1x4x64x64xf16>) {
      %0 = ane.softmax %x {axis = -1 : i64} : tensor<1x4x64x96xf16>
      %1 = ane.softmax %y {axis = -1 : i64} : tensor<1x4x64x64xf16>
      return %0, %1 : tensor<1x4x64x96xf16>, tensor<1x4x64x64xf16>
    }
  }
}
