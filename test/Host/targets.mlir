// Registers differ, the packing of weights (the argument of 128 x 128 elements) doesn't: libraries share one weight file.
// RUN: ane-opt %s --ane-host-compile="print-kernels=true host=x86_64-unknown-linux-gnu:x86-64-v3" -o /dev/null | FileCheck %s --check-prefixes=CHECK,V3
// RUN: ane-opt %s --ane-host-compile="print-kernels=true host=x86_64-unknown-linux-gnu:x86-64-v4" -o /dev/null | FileCheck %s --check-prefixes=CHECK,V4
// RUN: ane-opt %s --ane-host-compile="print-kernels=true host=aarch64-unknown-linux-gnu" -o /dev/null | FileCheck %s --check-prefixes=CHECK,NEON
// RUN: ane-opt %s --ane-host-compile="print-kernels=true host=arm64-apple-macos" -o /dev/null | FileCheck %s --check-prefixes=CHECK,NEON
// RUN: not ane-opt %s --ane-host-compile="host=x86_64-unknown-linux-gnu" -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not ane-opt %s --ane-host-compile="host=sparc64-unknown-linux-gnu" -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// CHECK-LABEL: func.func private @linear_{{[0-9a-f]+}}(
// CHECK-SAME: memref<24576xf32>, %{{.*}}: memref<16384xf32>
// V3-COUNT-12: vector.fma {{.*}} : vector<8xf32>
// V4-COUNT-8: vector.fma {{.*}} : vector<16xf32>
// V4-NEXT: scf.yield
// NEON-COUNT-16: vector.fma {{.*}} : vector<4xf32>
// TWO: error: option 'host' is 'x86_64-unknown-linux-gnu', must name one machine
// UNKNOWN: error: option 'host': can't make CPU code for 'sparc64-unknown-linux-gnu': expected x86_64-unknown-linux-gnu,
func.func @f(%x: tensor<1x192x128xf32>) -> tensor<1x192x128xf32> {
  %w = ane.const dense<0.5> : tensor<128x128xf32>
  %0 = ane.linear %x, %w : (tensor<1x192x128xf32>, tensor<128x128xf32>) -> tensor<1x192x128xf32>
  return %0 : tensor<1x192x128xf32>
}
