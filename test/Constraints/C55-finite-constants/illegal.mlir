// RUN: not ane-opt %s --split-input-file --ane-verify-legal="only=C55" 2>&1 | FileCheck %s

// CHECK: error: procedure '@main_0::@main' violates C55 finite-constants on h16 (in_memory, macOS 15): constant: -Inf, must be between -65504 and 65504
// CHECK: note: remedy: --ane-narrow-masks, --ane-legalize-narrowing, --ane-legalize-dtype; masks become differences in their rows, and no less than -30,000; what else is not finite is computed with on the CPU
// CHECK: note: see 'ane-compile --explain=C55'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %c = ane.const dense<0xFC00> : tensor<f16>
      %0 = ane.add %x, %c : tensor<1x64x1x64xf16>, tensor<f16>
      return %0 : tensor<1x64x1x64xf16>
    }
  }
}

// -----

// Parameters are constants of the program, too.
// CHECK: error: procedure '@main_0::@main' violates C55 finite-constants on h16 (in_memory, macOS 15): beta: +Inf, must be between -65504 and 65504

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %0 = ane.clip %x {alpha = 0.0, beta = 0x7FF0000000000000 : f64} : tensor<1x64x1x64xf16>
      return %0 : tensor<1x64x1x64xf16>
    }
  }
}
