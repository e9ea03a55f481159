// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// Seen there: not implemented.
// CHECK: error: 'ane.crop_resize' violates C68 op-legality on h16 (e5rt, macOS 15): crop_resize: rejected (ANEForge, M5 Pro: not implemented on the engine)
// CHECK: note: imported from ONNX node '/model/node'
// CHECK: note: remedy: --ane-decompose-composites; what can be decomposed is decomposed, the CPU computes the rest
// CHECK: note: see 'ane-compile --explain=C68'

module attributes {ane.target = #ane.target<chip = "h16", route = e5rt, os = 15, opset = ios17, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x32x32xf16>, %b: tensor<64x4xf16>) -> tensor<64x64x32x32xf16> {
      %0 = ane.crop_resize %x, %b {target_height = 32 : i64, target_width = 32 : i64} : (tensor<1x64x32x32xf16>, tensor<64x4xf16>) -> tensor<64x64x32x32xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<64x64x32x32xf16>
    }
  }
}

// -----

// Seen on another tier of the route.
// CHECK: error: 'ane.identity' violates C68 op-legality on h14 (e5rt, macOS 15): identity: rejected (ANEForge, M5 Pro: rejected by the compiler), inherited from tier H16

module attributes {ane.target = #ane.target<chip = "h14", route = e5rt, os = 15, opset = ios17, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %0 = ane.identity %x : tensor<1x64x1x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x1x64xf16>
    }
  }
}

// -----

// Known from the tables alone; strictness=evidence lifts the twenty, never this.
// CHECK: error: 'ane.identity' violates C68 op-legality on h16 (coreml, macOS 15): identity: native by the tables, and no MIL program was seen to reach it (ane-guide, H16 ... H18: the compiler's tables), inherited from the compiler's tables

module attributes {ane.target = #ane.target<chip = "h16", route = coreml, os = 15, opset = ios17, strictness = evidence>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %0 = ane.identity %x : tensor<1x64x1x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x1x64xf16>
    }
  }
}

// -----

// The record that says more speaks alone.
// CHECK: error: 'ane.tan' violates C43 trigonometry
// CHECK-NOT: C68

module attributes {ane.target = #ane.target<chip = "h16", route = e5rt, os = 15, opset = ios17, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %0 = ane.tan %x : tensor<1x64x1x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x64x1x64xf16>
    }
  }
}

// -----

// CHECK: error: 'ane.scaled_dot_product_attention' violates C68 op-legality on h13 (in_memory, macOS 15): scaled_dot_product_attention: rejected (maderix, M1 Pro, macOS 26.3: fails to compile)

module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%q: tensor<1x2x64x64xf16>, %k: tensor<1x2x64x64xf16>, %v: tensor<1x2x64x64xf16>) -> tensor<1x2x64x64xf16> {
      %0 = ane.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x64x64xf16>, tensor<1x2x64x64xf16>, tensor<1x2x64x64xf16>) -> tensor<1x2x64x64xf16> loc(fused["model.onnx":1:1, "/model/node"])
      return %0 : tensor<1x2x64x64xf16>
    }
  }
}
