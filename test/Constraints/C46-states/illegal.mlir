// RUN: not ane-opt %s --split-input-file --ane-verify-legal="only=C46" 2>&1 | FileCheck %s

// CHECK: error: 'ane.read_state' violates C46 states on h16 (in_memory, macOS 15): read_state has no form on the engine
// CHECK: note: remedy: the state is an input, and the program returns what is to be written
// CHECK: error: 'ane.write_state' violates C46 states on h16 (in_memory, macOS 15): write_state has no form on the engine

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios18, strictness = catalog>} {
  ane.state @cache : tensor<1x64x1x64xf16>
  func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
    %0 = ane.island(%x) : (tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> attributes {input_layouts = [#ane.layout<expand = [1, 64, 1, 64], perm = [0, 1, 2, 3]>], output_layouts = [#ane.layout<expand = [1, 64, 1, 64], perm = [0, 1, 2, 3]>]} engine {
    ^bb0(%a: tensor<1x64x1x64xf16>):
      %s = ane.read_state @cache : tensor<1x64x1x64xf16>
      %n = ane.add %s, %a : tensor<1x64x1x64xf16>, tensor<1x64x1x64xf16>
      ane.write_state @cache, %n : tensor<1x64x1x64xf16>
      ane.yield %n : tensor<1x64x1x64xf16>
    } twin {
    ^bb0(%a: tensor<1x64x1x64xf16>):
      ane.yield %a : tensor<1x64x1x64xf16>
    }
    return %0 : tensor<1x64x1x64xf16>
  }
}
