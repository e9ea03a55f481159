// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.pad' violates C117 pad-concat on h16 (in_memory, macOS 15): channels of a pad that is added: 9217, limit 9216
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the op runs on the CPU
// CHECK: note: see 'ane-compile --explain=C117'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x9217x1x32xf16>, %y: tensor<1x9217x1x64xf16>) -> tensor<1x9217x1x64xf16> {
      %0 = ane.pad %x {pad = array<i64: 0, 32>} : (tensor<1x9217x1x32xf16>) -> tensor<1x9217x1x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      %1 = ane.add %0, %y : tensor<1x9217x1x64xf16>, tensor<1x9217x1x64xf16>
      return %1 : tensor<1x9217x1x64xf16>
    }
  }
}
