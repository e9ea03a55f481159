// RUN: not ane-opt %s --split-input-file --ane-verify-legal="only=C224" 2>&1 | FileCheck %s

// CHECK: error: procedure '@main_0::@main' violates C224 weight-constants on h16 (in_memory, macOS 15): weight constants: 17, limit 16
// CHECK: note: remedy: --ane-form-islands, --ane-legalize-islands; --constants-per-program=16 cuts programs
// CHECK: note: see 'ane-compile --explain=C224'

module attributes {ane.keep = ["C224"], ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %w0 = ane.const dense<1.0> : tensor<1x64x1x1xf16>
      %0 = ane.mul %x, %w0 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w1 = ane.const dense<2.0> : tensor<1x64x1x1xf16>
      %1 = ane.mul %0, %w1 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w2 = ane.const dense<3.0> : tensor<1x64x1x1xf16>
      %2 = ane.mul %1, %w2 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w3 = ane.const dense<4.0> : tensor<1x64x1x1xf16>
      %3 = ane.mul %2, %w3 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w4 = ane.const dense<5.0> : tensor<1x64x1x1xf16>
      %4 = ane.mul %3, %w4 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w5 = ane.const dense<6.0> : tensor<1x64x1x1xf16>
      %5 = ane.mul %4, %w5 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w6 = ane.const dense<7.0> : tensor<1x64x1x1xf16>
      %6 = ane.mul %5, %w6 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w7 = ane.const dense<8.0> : tensor<1x64x1x1xf16>
      %7 = ane.mul %6, %w7 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w8 = ane.const dense<9.0> : tensor<1x64x1x1xf16>
      %8 = ane.mul %7, %w8 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w9 = ane.const dense<10.0> : tensor<1x64x1x1xf16>
      %9 = ane.mul %8, %w9 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w10 = ane.const dense<11.0> : tensor<1x64x1x1xf16>
      %10 = ane.mul %9, %w10 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w11 = ane.const dense<12.0> : tensor<1x64x1x1xf16>
      %11 = ane.mul %10, %w11 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w12 = ane.const dense<13.0> : tensor<1x64x1x1xf16>
      %12 = ane.mul %11, %w12 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w13 = ane.const dense<14.0> : tensor<1x64x1x1xf16>
      %13 = ane.mul %12, %w13 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w14 = ane.const dense<15.0> : tensor<1x64x1x1xf16>
      %14 = ane.mul %13, %w14 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w15 = ane.const dense<16.0> : tensor<1x64x1x1xf16>
      %15 = ane.mul %14, %w15 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w16 = ane.const dense<17.0> : tensor<1x64x1x1xf16>
      %16 = ane.mul %15, %w16 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      return %16 : tensor<1x64x1x64xf16>
    }
  }
}

// -----

// CHECK: violates C224 weight-constants on h16 (in_memory, macOS 15): weight constants: 17, limit 16
module attributes {ane.keep = ["C224"], ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %w0 = ane.const dense<1.0> : tensor<1x64x1x1xf16>
      %0 = ane.mul %x, %w0 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w1 = ane.const dense<2.0> : tensor<1x64x1x1xf16>
      %1 = ane.mul %0, %w1 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w2 = ane.const dense<3.0> : tensor<1x64x1x1xf16>
      %2 = ane.mul %1, %w2 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w3 = ane.const dense<4.0> : tensor<1x64x1x1xf16>
      %3 = ane.mul %2, %w3 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w4 = ane.const dense<5.0> : tensor<1x64x1x1xf16>
      %4 = ane.mul %3, %w4 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w5 = ane.const dense<6.0> : tensor<1x64x1x1xf16>
      %5 = ane.mul %4, %w5 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w6 = ane.const dense<7.0> : tensor<1x64x1x1xf16>
      %6 = ane.mul %5, %w6 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w7 = ane.const dense<8.0> : tensor<1x64x1x1xf16>
      %7 = ane.mul %6, %w7 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w8 = ane.const dense<9.0> : tensor<1x64x1x1xf16>
      %8 = ane.mul %7, %w8 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w9 = ane.const dense<10.0> : tensor<1x64x1x1xf16>
      %9 = ane.mul %8, %w9 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w10 = ane.const dense<11.0> : tensor<1x64x1x1xf16>
      %10 = ane.mul %9, %w10 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w11 = ane.const dense<12.0> : tensor<1x64x1x1xf16>
      %11 = ane.mul %10, %w11 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w12 = ane.const dense<13.0> : tensor<1x64x1x1xf16>
      %12 = ane.mul %11, %w12 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w13 = ane.const dense<14.0> : tensor<1x64x1x1xf16>
      %13 = ane.mul %12, %w13 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w14 = ane.const dense<15.0> : tensor<1x64x1x1xf16>
      %14 = ane.mul %13, %w14 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %w15 = ane.const dense<16.0> : tensor<1x64x1x1xf16>
      %15 = ane.mul %14, %w15 : tensor<1x64x1x64xf16>, tensor<1x64x1x1xf16>
      %c = ane.const dense<2.0> : tensor<f16>
      %16 = ane.add %15, %c : tensor<1x64x1x64xf16>, tensor<f16>
      return %16 : tensor<1x64x1x64xf16>
    }
  }
}
