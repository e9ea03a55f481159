// RUN: not ane-opt %s --split-input-file --ane-verify-legal="only=C97" 2>&1 | FileCheck %s

// CHECK: error: 'ane.group_norm' violates C97 group-norm-axes on h13 (in_memory, macOS 15): pixels: 16385, limit 16384
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the op runs on the CPU
// CHECK: note: see 'ane-compile --explain=C97'

module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x32x145x113xf16>) -> tensor<1x32x145x113xf16> {
      %0 = ane.group_norm %x {num_groups = 8 : i64} : (tensor<1x32x145x113xf16>) -> tensor<1x32x145x113xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x32x145x113xf16>
    }
  }
}
