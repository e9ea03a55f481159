// RUN: ane-opt %s --ane-assign-names --ane-verify-legal="emittable=true only=C142" | FileCheck %s
// NOT COMPARED: because names change no value

// CHECK: func.func @prefill_0(%{{.*}} {ane.name = "in00"}, %{{.*}} {ane.name = "in01"}) -> ({{.*}} {ane.name = "out00"})
// CHECK: func.func @decode_0(%{{.*}} {ane.name = "in02"}) -> ({{.*}} {ane.name = "out01"})
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @bank_0 {
    func.func @prefill_0(%x: tensor<1x8x1x64xf16> {ane.name = "in00"}, %y: tensor<1x8x1x64xf16> {ane.name = "in01"})
        -> (tensor<1x8x1x64xf16> {ane.name = "out00"}) {
      %0 = ane.add %x, %y : tensor<1x8x1x64xf16>, tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
    func.func @decode_0(%x: tensor<1x8x1x64xf16> {ane.name = "in00"}) -> (tensor<1x8x1x64xf16> {ane.name = "out00"}) {
      %0 = ane.relu %x : tensor<1x8x1x64xf16>
      return %0 : tensor<1x8x1x64xf16>
    }
  }
}
