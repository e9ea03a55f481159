// Where activations are int8, rows that meet a weight in blocks are rounded to 8 bits, few and many alike, and products are made of
// bytes: four at a time where the machine can, two, or apart. Other products stay what they are.
// RUN: ane-opt %s --split-input-file --ane-host-compile="print-kernels=true activations=int8" -o /dev/null | FileCheck %s --check-prefixes=CHECK,PAIRS
// RUN: ane-opt %s --split-input-file --ane-host-compile="print-kernels=true activations=int8 host=x86_64-unknown-linux-gnu:x86-64-v4" -o /dev/null | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: ane-opt %s --split-input-file --ane-host-compile="print-kernels=true activations=int8 host=x86_64-unknown-linux-gnu:x86-64-v4-vnni" -o /dev/null | FileCheck %s --check-prefixes=CHECK,QUADS
// RUN: ane-opt %s --split-input-file --ane-host-compile="print-kernels=true activations=int8 host=aarch64-unknown-linux-gnu" -o /dev/null | FileCheck %s --check-prefixes=CHECK,APART
// RUN: ane-opt %s --split-input-file --ane-host-compile="print-kernels=true activations=int8 host=arm64-apple-macos" -o /dev/null | FileCheck %s --check-prefixes=CHECK,SIGNED
// RUN: not ane-opt %s --split-input-file --ane-host-compile="print-kernels=true activations=int4" -o /dev/null 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: option 'activations' is 'int4', must be exact or int8

// A row of 64 bytes, and for its two runs a scale, a sum and a start, in three cache lines. The steps of a quad are those that a mask leaves of 32 bits.
// CHECK-LABEL: func.func private @linear_{{[0-9a-f]+}}(
// CHECK-SAME: memref<64xf32>, %{{.*}}: memref<1920xi8>, %{{.*}}: memref<48xf32>, %{{.*}}: memref<192xi8>
// CHECK: arith.trunci {{.*}} : vector<32xi32> to vector<32xi8>
// CHECK: vector.shuffle {{.*}} [0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15,
// PAIRS: llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"({{.*}}) : (vector<32xi8>, vector<32xi8>) -> vector<16xi16>
// PAIRS: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"({{.*}}) : (vector<16xi16>, vector<16xi16>) -> vector<8xi32>
// WIDE: llvm.call_intrinsic "llvm.x86.avx512.pmaddubs.w.512"({{.*}}) : (vector<64xi8>, vector<64xi8>) -> vector<32xi16>
// WIDE: llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"({{.*}}) : (vector<32xi16>, vector<32xi16>) -> vector<16xi32>
// QUADS: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"({{.*}}) : (vector<16xi32>, vector<16xi32>, vector<16xi32>) -> vector<16xi32>
// APART: arith.muli {{.*}} : vector<16xi16>
// APART: vector.deinterleave
// SIGNED: llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"({{.*}}) : (vector<4xi32>, vector<16xi8>, vector<16xi8>) -> vector<4xi32>
func.func @row(%x: tensor<1x64xf32>) -> tensor<1x48xf32> {
  %b = ane.const dense<1> : tensor<48x40xui8>
  %w = ane.constexpr_blocks q4_1 %b {output_dtype = "fp32"} : (tensor<48x40xui8>) -> tensor<48x64xf32>
  %y = ane.linear %x, %w : (tensor<1x64xf32>, tensor<48x64xf32>) -> tensor<1x48xf32>
  return %y : tensor<1x48xf32>
}

// -----

// Bytes with a sign: those of x86 have none, and two products of all bits don't fit in 16 bits.
// CHECK-LABEL: func.func private @linear_{{[0-9a-f]+}}(
// CHECK-SAME: memref<6400xf32>, %{{.*}}: memref<3264xi8>
// QUADS: vector.interleave
// QUADS: arith.xori {{.*}} : vector<64xi8>
// QUADS-COUNT-8: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// PAIRS: arith.xori {{.*}} : vector<32xi8>
// PAIRS: arith.andi {{.*}} : vector<16xi16>
// PAIRS: arith.andi {{.*}} : vector<16xi16>
// WIDE: arith.xori {{.*}} : vector<64xi8>
// APART-NOT: arith.xori
// SIGNED-NOT: arith.xori
// CHECK-NOT: memref.alloca() {{.*}} : memref<1024xf32>
func.func @prompt(%x: tensor<100x64xf32>) -> tensor<100x48xf32> {
  %b = ane.const dense<1> : tensor<48x68xui8>
  %w = ane.constexpr_blocks q8_0 %b {output_dtype = "fp32"} : (tensor<48x68xui8>) -> tensor<48x64xf32>
  %y = ane.linear %x, %w : (tensor<100x64xf32>, tensor<48x64xf32>) -> tensor<100x48xf32>
  return %y : tensor<100x48xf32>
}

// -----

// CHECK-LABEL: func.func private @linear_{{[0-9a-f]+}}(
// CHECK-NOT: arith.trunci
func.func @halves(%x: tensor<1x64xf32>) -> tensor<1x48xf32> {
  %c = ane.const dense<1> : tensor<48x128xui8>
  %v = ane.constexpr_blocks f16 %c {output_dtype = "fp32"} : (tensor<48x128xui8>) -> tensor<48x64xf32>
  %1 = ane.linear %x, %v : (tensor<1x64xf32>, tensor<48x64xf32>) -> tensor<1x48xf32>
  return %1 : tensor<1x48xf32>
}
