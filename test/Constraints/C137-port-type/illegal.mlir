// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: procedure '@main_0::@main' violates C137 port-type on h16 (in_memory, macOS 15): output 0: element type i1, must be f16
// CHECK: note: remedy: --ane-legalize-dtype; the runtime converts at the border; integers stay on the CPU
// CHECK: note: see 'ane-compile --explain=C137'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>, %y: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xi1> {
      %0 = ane.less %x, %y : tensor<1x64x1x64xf16>, tensor<1x64x1x64xf16>
      return %0 : tensor<1x64x1x64xi1>
    }
  }
}
