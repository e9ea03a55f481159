// RUN: not ane-opt %s --ane-verify-legal="emittable=true only=C134" 2>&1 | FileCheck %s

// CHECK: error: procedure '@main_0::@main' violates C134 weight-files on h16 (in_memory, macOS 15): weight files: 17, limit 16
// CHECK: note: remedy: --ane-assign-blobs; one file for each program
// CHECK: note: see 'ane-compile --explain=C134'

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x1x64xf16>) -> tensor<1x64x1x64xf16> {
      %w0 = ane.blob "weights/part_0.bin" at 64 : tensor<64x64x1x1xf16> {
        %c = ane.const dense<1.0> : tensor<64x64x1x1xf16>
        ane.yield %c : tensor<64x64x1x1xf16>
      }
      %w1 = ane.blob "weights/part_1.bin" at 64 : tensor<64x64x1x1xf16> {
        %c = ane.const dense<2.0> : tensor<64x64x1x1xf16>
        ane.yield %c : tensor<64x64x1x1xf16>
      }
      %w2 = ane.blob "weights/part_2.bin" at 64 : tensor<64x64x1x1xf16> {
        %c = ane.const dense<3.0> : tensor<64x64x1x1xf16>
        ane.yield %c : tensor<64x64x1x1xf16>
      }
      %w3 = ane.blob "weights/part_3.bin" at 64 : tensor<64x64x1x1xf16> {
        %c = ane.const dense<4.0> : tensor<64x64x1x1xf16>
        ane.yield %c : tensor<64x64x1x1xf16>
      }
      %w4 = ane.blob "weights/part_4.bin" at 64 : tensor<64x64x1x1xf16> {
        %c = ane.const dense<5.0> : tensor<64x64x1x1xf16>
        ane.yield %c : tensor<64x64x1x1xf16>
      }
      %w5 = ane.blob "weights/part_5.bin" at 64 : tensor<64x64x1x1xf16> {
        %c = ane.const dense<6.0> : tensor<64x64x1x1xf16>
        ane.yield %c : tensor<64x64x1x1xf16>
      }
      %w6 = ane.blob "weights/part_6.bin" at 64 : tensor<64x64x1x1xf16> {
        %c = ane.const dense<7.0> : tensor<64x64x1x1xf16>
        ane.yield %c : tensor<64x64x1x1xf16>
      }
      %w7 = ane.blob "weights/part_7.bin" at 64 : tensor<64x64x1x1xf16> {
        %c = ane.const dense<8.0> : tensor<64x64x1x1xf16>
        ane.yield %c : tensor<64x64x1x1xf16>
      }
      %w8 = ane.blob "weights/part_8.bin" at 64 : tensor<64x64x1x1xf16> {
        %c = ane.const dense<9.0> : tensor<64x64x1x1xf16>
        ane.yield %c : tensor<64x64x1x1xf16>
      }
      %w9 = ane.blob "weights/part_9.bin" at 64 : tensor<64x64x1x1xf16> {
        %c = ane.const dense<10.0> : tensor<64x64x1x1xf16>
        ane.yield %c : tensor<64x64x1x1xf16>
      }
      %w10 = ane.blob "weights/part_10.bin" at 64 : tensor<64x64x1x1xf16> {
        %c = ane.const dense<11.0> : tensor<64x64x1x1xf16>
        ane.yield %c : tensor<64x64x1x1xf16>
      }
      %w11 = ane.blob "weights/part_11.bin" at 64 : tensor<64x64x1x1xf16> {
        %c = ane.const dense<12.0> : tensor<64x64x1x1xf16>
        ane.yield %c : tensor<64x64x1x1xf16>
      }
      %w12 = ane.blob "weights/part_12.bin" at 64 : tensor<64x64x1x1xf16> {
        %c = ane.const dense<13.0> : tensor<64x64x1x1xf16>
        ane.yield %c : tensor<64x64x1x1xf16>
      }
      %w13 = ane.blob "weights/part_13.bin" at 64 : tensor<64x64x1x1xf16> {
        %c = ane.const dense<14.0> : tensor<64x64x1x1xf16>
        ane.yield %c : tensor<64x64x1x1xf16>
      }
      %w14 = ane.blob "weights/part_14.bin" at 64 : tensor<64x64x1x1xf16> {
        %c = ane.const dense<15.0> : tensor<64x64x1x1xf16>
        ane.yield %c : tensor<64x64x1x1xf16>
      }
      %w15 = ane.blob "weights/part_15.bin" at 64 : tensor<64x64x1x1xf16> {
        %c = ane.const dense<16.0> : tensor<64x64x1x1xf16>
        ane.yield %c : tensor<64x64x1x1xf16>
      }
      %w16 = ane.blob "weights/part_16.bin" at 64 : tensor<64x64x1x1xf16> {
        %c = ane.const dense<17.0> : tensor<64x64x1x1xf16>
        ane.yield %c : tensor<64x64x1x1xf16>
      }
      %0 = ane.conv %x, %w0 : (tensor<1x64x1x64xf16>, tensor<64x64x1x1xf16>) -> tensor<1x64x1x64xf16>
      %1 = ane.conv %0, %w1 : (tensor<1x64x1x64xf16>, tensor<64x64x1x1xf16>) -> tensor<1x64x1x64xf16>
      %2 = ane.conv %1, %w2 : (tensor<1x64x1x64xf16>, tensor<64x64x1x1xf16>) -> tensor<1x64x1x64xf16>
      %3 = ane.conv %2, %w3 : (tensor<1x64x1x64xf16>, tensor<64x64x1x1xf16>) -> tensor<1x64x1x64xf16>
      %4 = ane.conv %3, %w4 : (tensor<1x64x1x64xf16>, tensor<64x64x1x1xf16>) -> tensor<1x64x1x64xf16>
      %5 = ane.conv %4, %w5 : (tensor<1x64x1x64xf16>, tensor<64x64x1x1xf16>) -> tensor<1x64x1x64xf16>
      %6 = ane.conv %5, %w6 : (tensor<1x64x1x64xf16>, tensor<64x64x1x1xf16>) -> tensor<1x64x1x64xf16>
      %7 = ane.conv %6, %w7 : (tensor<1x64x1x64xf16>, tensor<64x64x1x1xf16>) -> tensor<1x64x1x64xf16>
      %8 = ane.conv %7, %w8 : (tensor<1x64x1x64xf16>, tensor<64x64x1x1xf16>) -> tensor<1x64x1x64xf16>
      %9 = ane.conv %8, %w9 : (tensor<1x64x1x64xf16>, tensor<64x64x1x1xf16>) -> tensor<1x64x1x64xf16>
      %10 = ane.conv %9, %w10 : (tensor<1x64x1x64xf16>, tensor<64x64x1x1xf16>) -> tensor<1x64x1x64xf16>
      %11 = ane.conv %10, %w11 : (tensor<1x64x1x64xf16>, tensor<64x64x1x1xf16>) -> tensor<1x64x1x64xf16>
      %12 = ane.conv %11, %w12 : (tensor<1x64x1x64xf16>, tensor<64x64x1x1xf16>) -> tensor<1x64x1x64xf16>
      %13 = ane.conv %12, %w13 : (tensor<1x64x1x64xf16>, tensor<64x64x1x1xf16>) -> tensor<1x64x1x64xf16>
      %14 = ane.conv %13, %w14 : (tensor<1x64x1x64xf16>, tensor<64x64x1x1xf16>) -> tensor<1x64x1x64xf16>
      %15 = ane.conv %14, %w15 : (tensor<1x64x1x64xf16>, tensor<64x64x1x1xf16>) -> tensor<1x64x1x64xf16>
      %16 = ane.conv %15, %w16 : (tensor<1x64x1x64xf16>, tensor<64x64x1x1xf16>) -> tensor<1x64x1x64xf16>
      return %16 : tensor<1x64x1x64xf16>
    }
  }
}
