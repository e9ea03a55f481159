// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.resize_bilinear' violates C47 resize-modes on h16 (in_memory, macOS 15): sampling_mode: UNALIGN_CORNERS, must be DEFAULT, ALIGN_CORNERS or STRICT_ALIGN_CORNERS
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: the CPU resizes
// CHECK: note: see 'ane-compile --explain=C47'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x32x32xf16>) -> tensor<1x64x64x64xf16> {
      %0 = ane.resize_bilinear %x {target_size_height = 64 : i64, target_size_width = 64 : i64, sampling_mode = "UNALIGN_CORNERS"} : (tensor<1x64x32x32xf16>) -> tensor<1x64x64x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x64x64xf16>
    }
  }
}

// -----

// CHECK: error: 'ane.upsample_bilinear' violates C47 resize-modes on h16 (in_memory, macOS 15): sampling: half-pixel centres

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x32x32xf16>) -> tensor<1x64x64x64xf16> {
      %0 = ane.upsample_bilinear %x {scale_factor_height = 2 : i64, scale_factor_width = 2 : i64, align_corners = false} : (tensor<1x64x32x32xf16>) -> tensor<1x64x64x64xf16>
      return %0 : tensor<1x64x64x64xf16>
    }
  }
}
