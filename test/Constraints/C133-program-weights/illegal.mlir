// RUN: not ane-opt %s --ane-verify-legal="only=C133" 2>&1 | FileCheck %s

// CHECK: error: procedure '@main_0::@main' violates C133 program-weights on h16 (coreml, macOS 15): bytes of weights: 250000002, limit 250000000
// CHECK: note: remedy: --ane-form-islands; the program is cut where the least data crosses
// CHECK: note: see 'ane-compile --explain=C133'

module attributes {ane.target = #ane.target<chip = "h16", route = coreml, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<64x15625xf16>) -> tensor<64x8000xf16> {
      %w0 = ane.const dense<0.25> : tensor<15625x8000xf16>
      %0 = ane.matmul %x, %w0 : (tensor<64x15625xf16>, tensor<15625x8000xf16>) -> tensor<64x8000xf16>
      %w1 = ane.const dense<0.5> : tensor<1x1xf16>
      %1 = ane.mul %0, %w1 : tensor<64x8000xf16>, tensor<1x1xf16>
      return %1 : tensor<64x8000xf16>
    }
  }
}
