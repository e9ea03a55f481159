// A weight in blocks of a model file stays in them: few rows are multiplied as integers, more with panels that are
// expanded on the stack. Integers of x are three bytes where the machine multiplies four at a time, else two of 16 bits. The bytes in the weight file are those of the model's file (q8_0: 34 for 32 elements; q4_1: 20), in panels
// of 16 columns.
// RUN: ane-opt %s --split-input-file --ane-host-compile=print-kernels=true -o /dev/null | FileCheck %s --check-prefixes=CHECK,PAIRS
// RUN: ane-opt %s --split-input-file --ane-host-compile="print-kernels=true host=x86_64-unknown-linux-gnu:x86-64-v4" -o /dev/null | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: ane-opt %s --split-input-file --ane-host-compile="print-kernels=true host=x86_64-unknown-linux-gnu:x86-64-v4-vnni" -o /dev/null | FileCheck %s --check-prefixes=CHECK,QUADS
// RUN: ane-opt %s --split-input-file --ane-host-compile="print-kernels=true host=aarch64-unknown-linux-gnu" -o /dev/null | FileCheck %s --check-prefixes=CHECK,APART
// RUN: ane-opt %s --split-input-file --ane-host-compile="print-kernels=true host=arm64-apple-macos" -o /dev/null | FileCheck %s --check-prefixes=CHECK,SIGNED
// RUN: ane-opt %s --split-input-file --ane-host-compile="print-kernels=true f64=true" -o /dev/null | FileCheck %s --check-prefix=DOUBLE

// 48 columns of 64 steps in 5 bits; x in integers, scales and sums in scratch memory. What is read once is asked for ahead: 320 bytes of a group.
// CHECK-LABEL: func.func private @linear_{{[0-9a-f]+}}(
// CHECK-SAME: memref<64xf32>, %{{.*}}: memref<1920xi8>, %{{.*}}: memref<48xf32>, %{{.*}}: memref<
// PAIRS-SAME: 272xi8>
// WIDE-SAME: 272xi8>
// APART-SAME: 272xi8>
// QUADS-SAME: 320xi8>
// SIGNED-SAME: 320xi8>
// PAIRS: arith.trunci {{.*}}xi16>
// WIDE: arith.trunci {{.*}}xi16>
// APART: arith.trunci {{.*}}xi16>
// QUADS-COUNT-3: arith.trunci {{.*}} : vector<32xi32> to vector<32xi8>
// SIGNED-COUNT-3: arith.trunci {{.*}} : vector<32xi32> to vector<32xi8>
// CHECK-COUNT-5: memref.prefetch {{.*}}, read, locality<3>, data : memref<1920xi8>
// The products of a term have sums of their own, which are joined: eight bits higher, and those of the next.
// QUADS-COUNT-24: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"({{.*}}) : (vector<16xi32>, vector<16xi32>, vector<16xi32>) -> vector<16xi32>
// QUADS: arith.shli {{.*}} : vector<16xi32>
// QUADS: arith.shli {{.*}} : vector<16xi32>
// QUADS: arith.sitofp {{.*}} : vector<16xi32> to vector<16xf32>
// SIGNED: llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"({{.*}}) : (vector<4xi32>, vector<16xi8>, vector<16xi8>) -> vector<4xi32>
// PAIRS: vector.load {{.*}} memref<1920xi8>, vector<32xi8>
// PAIRS: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"({{.*}}) : (vector<16xi16>, vector<16xi16>) -> vector<8xi32>
// WIDE: vector.load {{.*}} memref<1920xi8>, vector<64xi8>
// WIDE: llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"({{.*}}) : (vector<32xi16>, vector<32xi16>) -> vector<16xi32>
// APART: vector.load {{.*}} memref<1920xi8>, vector<16xi8>
// APART: arith.muli {{.*}} : vector<8xi32>
// APART: vector.deinterleave
// The reference build has the elements.
// DOUBLE-LABEL: func.func private @linear_{{[0-9a-f]+}}(
// DOUBLE-SAME: memref<64xf32>, %{{.*}}: memref<3072xf32>
func.func @row(%x: tensor<1x64xf32>) -> tensor<1x48xf32> {
  %b = ane.const dense<1> : tensor<48x40xui8>
  %w = ane.constexpr_blocks q4_1 %b {output_dtype = "fp32"} : (tensor<48x40xui8>) -> tensor<48x64xf32>
  %y = ane.linear %x, %w : (tensor<1x64xf32>, tensor<48x64xf32>) -> tensor<1x48xf32>
  return %y : tensor<1x48xf32>
}

// -----

// As many rows share an unpacked pair of steps as a machine has registers for, with two sums for each row and vector: 8, or 2.
// Bytes of 8 rows have one, to which the terms are added one after the other.
// CHECK-LABEL: func.func private @linear_{{[0-9a-f]+}}(
// CHECK-SAME: memref<640xf32>, %{{.*}}: memref<1280xi8>
// PAIRS-COUNT-8: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// PAIRS: vector.load {{.*}} memref<1280xi8>, vector<32xi8>
// WIDE-COUNT-16: llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"
// QUADS-COUNT-64: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// QUADS-COUNT-8: arith.shli {{.*}} : vector<16xi32>
// QUADS: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// WIDE: vector.load {{.*}} memref<1280xi8>, vector<64xi8>
func.func @sequences(%x: tensor<10x64xf32>) -> tensor<10x24xf32> {
  %b = ane.const dense<1> : tensor<24x40xui8>
  %w = ane.constexpr_blocks q4_1 %b {output_dtype = "fp32"} : (tensor<24x40xui8>) -> tensor<24x64xf32>
  %y = ane.linear %x, %w : (tensor<10x64xf32>, tensor<24x64xf32>) -> tensor<10x24xf32>
  return %y : tensor<10x24xf32>
}

// -----

// 40 columns, the last panel filled up: 3 panels.
// CHECK-LABEL: func.func private @linear_{{[0-9a-f]+}}(
// CHECK-SAME: memref<192xf32>, %{{.*}}: memref<3264xi8>
// PAIRS: llvm.call_intrinsic
// The products of bytes without a sign have 128 times the sum of x too much, which a run's integer beside x takes away.
// QUADS: arith.constant dense<-128> : vector<64xi8>
// QUADS: llvm.call_intrinsic
func.func @rows(%x: tensor<3x64xf32>) -> tensor<3x40xf32> {
  %b = ane.const dense<1> : tensor<40x68xui8>
  %w = ane.constexpr_blocks q8_0 %b {output_dtype = "fp32"} : (tensor<40x68xui8>) -> tensor<40x64xf32>
  %y = ane.linear %x, %w : (tensor<3x64xf32>, tensor<40x64xf32>) -> tensor<3x40xf32>
  return %y : tensor<3x40xf32>
}

// -----

// CHECK-LABEL: func.func private @linear_{{[0-9a-f]+}}(
// CHECK-SAME: memref<6400xf32>, %{{.*}}: memref<1920xi8>
// CHECK-NOT: llvm.call_intrinsic
// CHECK-NOT: memref.prefetch
// CHECK: memref.alloca() {{.*}} : memref<1024xf32>
// CHECK: arith.sitofp
// CHECK: vector.fma
func.func @prompt(%x: tensor<100x64xf32>) -> tensor<100x48xf32> {
  %b = ane.const dense<1> : tensor<48x40xui8>
  %w = ane.constexpr_blocks q4_1 %b {output_dtype = "fp32"} : (tensor<48x40xui8>) -> tensor<48x64xf32>
  %y = ane.linear %x, %w : (tensor<100x64xf32>, tensor<48x64xf32>) -> tensor<100x48xf32>
  return %y : tensor<100x48xf32>
}

// -----

// A table that rows are taken of is packed as the weight of a product: here both read the same bytes.
// CHECK-LABEL: func.func private @linear_{{[0-9a-f]+}}(
// CHECK-SAME: memref<64xf32>, %{{.*}}: memref<1920xi8>
// CHECK-LABEL: func.func private @gather_{{[0-9a-f]+}}(
// CHECK-SAME: memref<3xi32>, %{{.*}}: memref<1920xi8>, %{{.*}}: memref<192xf32>)
// CHECK: %[[BYTES:.*]] = vector.load {{.*}} memref<1920xi8>, vector<4xi8>
// CHECK-NEXT: vector.bitcast %[[BYTES]] : vector<4xi8> to vector<1xi32>
// DOUBLE-LABEL: func.func private @gather_{{[0-9a-f]+}}(
// DOUBLE-SAME: memref<3072xf32>
func.func @table(%i: tensor<3xi32>, %x: tensor<1x64xf32>) -> (tensor<1x48xf32>, tensor<3x64xf32>) {
  %b = ane.const dense<1> : tensor<48x40xui8>
  %w = ane.constexpr_blocks q4_1 %b {output_dtype = "fp32"} : (tensor<48x40xui8>) -> tensor<48x64xf32>
  %y = ane.linear %x, %w : (tensor<1x64xf32>, tensor<48x64xf32>) -> tensor<1x48xf32>
  %z = ane.gather %w, %i {axis = 0 : i64} : (tensor<48x64xf32>, tensor<3xi32>) -> tensor<3x64xf32>
  return %y, %z : tensor<1x48xf32>, tensor<3x64xf32>
}

// -----

// What cuts blocks apart reads the elements; blocks of one element keep their type.
// CHECK-LABEL: func.func private @matmul_{{[0-9a-f]+}}(
// CHECK-SAME: memref<48xf32>, %{{.*}}: memref<3072xf32>
// CHECK-LABEL: func.func private @linear_{{[0-9a-f]+}}(
// CHECK-SAME: memref<64xf32>, %{{.*}}: memref<3072xbf16>
func.func @elements(%x: tensor<1x64xf32>, %z: tensor<1x48xf32>) -> (tensor<1x64xf32>, tensor<1x48xf32>) {
  %b = ane.const dense<1> : tensor<48x68xui8>
  %w = ane.constexpr_blocks q8_0 %b {output_dtype = "fp32"} : (tensor<48x68xui8>) -> tensor<48x64xf32>
  %0 = ane.matmul %z, %w : (tensor<1x48xf32>, tensor<48x64xf32>) -> tensor<1x64xf32>
  %c = ane.const dense<1> : tensor<48x128xui8>
  %v = ane.constexpr_blocks bf16 %c {output_dtype = "fp32"} : (tensor<48x128xui8>) -> tensor<48x64xf32>
  %1 = ane.linear %x, %v : (tensor<1x64xf32>, tensor<48x64xf32>) -> tensor<1x48xf32>
  return %0, %1 : tensor<1x64xf32>, tensor<1x48xf32>
}
