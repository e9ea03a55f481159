// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.non_maximum_suppression' violates C40 data-dependent on h16 (in_memory, macOS 15): non_maximum_suppression has no form on the engine
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the CPU computes it
// CHECK: note: see 'ane-compile --explain=C40'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%b: tensor<1x64x4xf16>, %s: tensor<1x64x32xf16>) -> tensor<1x64x32xf16> {
      %0, %1, %2, %3 = ane.non_maximum_suppression %b, %s {iou_threshold = 5.0e-01 : f64, max_boxes = 64 : i64} : (tensor<1x64x4xf16>, tensor<1x64x32xf16>) -> (tensor<1x64x4xf16>, tensor<1x64x32xf16>, tensor<1x64xi32>, tensor<1xi32>) loc(fused["model.onnx":1:1, "/model/node"])
      return %1 : tensor<1x64x32xf16>
    }
  }
}
