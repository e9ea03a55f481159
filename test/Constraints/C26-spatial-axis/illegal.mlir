// RUN: not ane-opt %s --split-input-file --ane-verify-legal="only=C26" 2>&1 | FileCheck %s
// M1 takes 16,384; M4 takes 65,536.

// CHECK: error: 'ane.relu' violates C26 spatial-axis on h13 (in_memory, macOS 15): height or width of operand 'x': 16385, limit 16384
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: another axis takes the extent
// CHECK: note: see 'ane-compile --explain=C26'

module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x1x1x16385xf16>) -> tensor<1x1x1x16385xf16> {
      %0 = ane.relu %x : tensor<1x1x1x16385xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x1x1x16385xf16>
    }
  }
}

// -----

// CHECK: error: 'ane.relu' violates C26 spatial-axis on h16 (in_memory, macOS 15): height or width of operand 'x': 65537, limit 65536

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x1x1x65537xf16>) -> tensor<1x1x1x65537xf16> {
      %0 = ane.relu %x : tensor<1x1x1x65537xf16>
      return %0 : tensor<1x1x1x65537xf16>
    }
  }
}
