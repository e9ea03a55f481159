// RUN: ane-opt %s --split-input-file --ane-verify-legal="only=C188 advice=true" 2>&1 | FileCheck %s

// CHECK: warning: procedure '@main_0::@main' meets C188 flight-weights on h16 (in_memory, macOS 15): bytes of weights: 33554434, limit 33554432
// CHECK: note: remedy: accepted: two programs cost a dispatch more (C185)
// CHECK: note: see 'ane-compile --explain=C188'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x4096x1x32xf16>) -> tensor<1x4096x1x32xf16> {
      %w = ane.const dense<0.5> : tensor<4096x4096x1x1xf16>
      %0 = ane.conv %x, %w : (tensor<1x4096x1x32xf16>, tensor<4096x4096x1x1xf16>) -> tensor<1x4096x1x32xf16>
      %k = ane.const dense<0.5> : tensor<1x1x1x1xf16>
      %1 = ane.mul %0, %k : tensor<1x4096x1x32xf16>, tensor<1x1x1x1xf16>
      return %1 : tensor<1x4096x1x32xf16>
    }
  }
}
