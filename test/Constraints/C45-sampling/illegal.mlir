// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.affine' violates C45 sampling on h16 (in_memory, macOS 15): affine has no form on the engine
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the CPU samples
// CHECK: note: see 'ane-compile --explain=C45'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x32x32xf16>, %m: tensor<1x6xf16>) -> tensor<1x64x32x32xf16> {
      %0 = ane.affine %x, %m {output_height = 32 : i64, output_width = 32 : i64, sampling_mode = "bilinear", padding_mode = "border", padding_value = 0.0 : f64, coordinates_mode = "normalized_minus_one_to_one", align_corners = true} : (tensor<1x64x32x32xf16>, tensor<1x6xf16>) -> tensor<1x64x32x32xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x32x32xf16>
    }
  }
}
