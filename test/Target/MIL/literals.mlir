// Inline constants of every element type; exact floats without a decimal exponent (Q40).
// RUN: ane-translate --ane-to-mil %s | FileCheck %s
// RUN: ane-translate --ane-to-mil %s | ane-translate --mil-to-ane | FileCheck --check-prefix=BACK %s

func.func @main(%x: tensor<4xf16>) -> (tensor<4xf16>, tensor<2x2xf32>, tensor<4xi32>, tensor<4xi8>, tensor<4xui8>, tensor<4xi16>, tensor<4xi1>) {
  // CHECK: tensor<fp16, [4]> const_0 = const()[name = {{.*}}, val = tensor<fp16, [4]>([0x1p-24, -0x1.ffcp+15, -0x0p+0, 0x1.998p-4])];
  // BACK: dense<[5.960460e-08, -6.550400e+04, -0.000000e+00, 9.997550e-02]> : tensor<4xf16>
  %0 = ane.const dense<[5.9604644775390625e-8, -65504.0, -0.0, 0.1]> : tensor<4xf16>
  // CHECK: val = tensor<fp32, [2, 2]>([0x1.99999ap-4, 0x1.99999ap-4, 0x1.99999ap-4, 0x1.99999ap-4])
  // BACK: dense<1.000000e-01> : tensor<2x2xf32>
  %1 = ane.const dense<0.1> : tensor<2x2xf32>
  // CHECK: val = tensor<int32, [4]>([-2147483648, 2147483647, 0, -1])
  // BACK: dense<[-2147483648, 2147483647, 0, -1]> : tensor<4xi32>
  %2 = ane.const dense<[-2147483648, 2147483647, 0, -1]> : tensor<4xi32>
  // CHECK: val = tensor<int8, [4]>([-128, 127, 0, -1])
  // BACK: dense<[-128, 127, 0, -1]> : tensor<4xi8>
  %3 = ane.const dense<[-128, 127, 0, -1]> : tensor<4xi8>
  // CHECK: val = tensor<uint8, [4]>([0, 255, 128, 1])
  // BACK: dense<[0, 255, 128, 1]> : tensor<4xui8>
  %4 = ane.const dense<[0, 255, 128, 1]> : tensor<4xui8>
  // CHECK: val = tensor<int16, [4]>([-32768, 32767, 0, -1])
  %5 = ane.const dense<[-32768, 32767, 0, -1]> : tensor<4xi16>
  // CHECK: val = tensor<bool, [4]>([true, false, true, true])
  // BACK: dense<[true, false, true, true]> : tensor<4xi1>
  %6 = ane.const dense<[true, false, true, true]> : tensor<4xi1>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4xf16>, tensor<2x2xf32>, tensor<4xi32>, tensor<4xi8>, tensor<4xui8>, tensor<4xi16>, tensor<4xi1>
}
