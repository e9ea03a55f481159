// RUN: ane-opt %s --pass-pipeline='builtin.module(ane-append-loss{kind=mse},ane-weights-as-inputs,ane-autodiff{loss=loss loss-scale=true},ane-make-training{loss=mse target=target},func.func(canonicalize,cse,ane-place-layers{engine-parts=training-static},ane-place,ane-recompute{how=attention},ane-form-islands))' \
// RUN:   | FileCheck %s --check-prefix=STATIC
// RUN: ane-opt %s --pass-pipeline='builtin.module(ane-append-loss{kind=mse},ane-weights-as-inputs,ane-autodiff{loss=loss loss-scale=true},ane-make-training{loss=mse target=target},func.func(canonicalize,cse,ane-place-layers{engine-parts=training-dynamic},ane-place,ane-recompute{how=attention},ane-form-islands))' \
// RUN:   | FileCheck %s --check-prefix=DYNAMIC

// Orion's programs and those of the static trainer of maderix/ANE: the islands of a layer, with what is computed anew and
// without the CPU's ops between them.
// STATIC-LABEL: func.func @train(
// STATIC: ane.island(
// STATIC: twin {
// STATIC: ane.rms_norm
// STATIC: ane.scaled_dot_product_attention
// STATIC: ane.linear
// STATIC-NEXT: ane.yield
// STATIC: ane.add {{.*}}#ane.host<"partition", "is kept on the CPU between programs of layers">
// STATIC: ane.island(
// STATIC: ane.rms_norm
// STATIC: ane.silu
// STATIC: ane.mul
// STATIC-NEXT: ane.linear
// STATIC-NEXT: ane.yield
// STATIC: ane.linear {{.*}}ane.host
// STATIC: ane.island(
// STATIC: ane.sigmoid {{.*}}ane.recomputed
// STATIC: ane.matmul
// STATIC-NEXT: ane.add
// STATIC-NEXT: ane.yield
// STATIC: ane.matmul {{.*}}ane.host
// STATIC: ane.island(
// STATIC: ane.matmul
// STATIC: ane.softmax {{.*}}ane.recomputed
// STATIC: ane.island(
// STATIC: ane.sub {{.*}}ane.cut = 1
// STATIC: ane.rope
// STATIC: ane.island(
// STATIC: ane.matmul {{.*}}ane.cut = 2
// STATIC: ane.matmul {{.*}}ane.cut = 1
// STATIC: ane.add
// STATIC: ane.matmul {{.*}}ane.cut = 1
// STATIC: ane.add
// STATIC-NEXT: ane.yield
// STATIC-NOT: ane.island(
// STATIC: return

// Those of the dynamic trainer.
// DYNAMIC-LABEL: func.func @train(
// DYNAMIC: ane.rms_norm {{.*}}ane.host
// DYNAMIC: ane.island(
// DYNAMIC: ane.scaled_dot_product_attention
// DYNAMIC: ane.island(
// DYNAMIC: twin {
// DYNAMIC: ane.linear {{.*}}ane.cut = 1
// DYNAMIC-NEXT: ane.yield
// DYNAMIC: ane.add {{.*}}ane.host
// DYNAMIC: ane.rms_norm {{.*}}ane.host
// DYNAMIC: ane.island(
// DYNAMIC: ane.silu
// DYNAMIC: ane.mul
// DYNAMIC-NEXT: ane.linear
// DYNAMIC-NEXT: ane.add
// DYNAMIC-NEXT: ane.yield
// DYNAMIC: ane.island(
// DYNAMIC: twin {
// DYNAMIC-NEXT: ^bb0
// DYNAMIC-NEXT: ane.matmul
// DYNAMIC-NEXT: ane.yield
// DYNAMIC: ane.mul {{.*}}ane.host
// DYNAMIC: ane.island(
// DYNAMIC: twin {
// DYNAMIC-NEXT: ^bb0
// DYNAMIC-NEXT: ane.matmul
// DYNAMIC-NEXT: ane.matmul
// DYNAMIC-NEXT: ane.add
// DYNAMIC-NEXT: ane.yield
// DYNAMIC: ane.island(
// DYNAMIC: twin {
// DYNAMIC-NEXT: ^bb0
// DYNAMIC-NEXT: ane.matmul
// DYNAMIC-NOT: ane.softmax
// DYNAMIC: ane.island(
// DYNAMIC: ane.softmax {{.*}}ane.recomputed
// DYNAMIC: ane.matmul {{.*}}ane.cut = 1
// DYNAMIC: ane.island(
// DYNAMIC: ane.sub {{.*}}ane.cut = 1
// DYNAMIC: ane.rope {{.*}}ane.host
// DYNAMIC: ane.island(
// DYNAMIC: ane.matmul
// DYNAMIC-NEXT: ane.yield
// DYNAMIC: ane.island(
// DYNAMIC: ane.matmul {{.*}}ane.cut = 3
// DYNAMIC: ane.matmul {{.*}}ane.cut = 1
// DYNAMIC-NOT: ane.island(
// DYNAMIC: return
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>, ane.weights = {
  g1 = #ane.weight<"w.bin", 0, 128> : tensor<32xf32>,
  g2 = #ane.weight<"w.bin", 128, 128> : tensor<32xf32>,
  g3 = #ane.weight<"w.bin", 256, 128> : tensor<32xf32>,
  wq = #ane.weight<"w.bin", 384, 4096> : tensor<32x32xf32>,
  wk = #ane.weight<"w.bin", 4480, 4096> : tensor<32x32xf32>,
  wv = #ane.weight<"w.bin", 8576, 4096> : tensor<32x32xf32>,
  wo = #ane.weight<"w.bin", 12672, 4096> : tensor<32x32xf32>,
  w1 = #ane.weight<"w.bin", 16768, 8192> : tensor<64x32xf32>,
  w3 = #ane.weight<"w.bin", 24960, 8192> : tensor<64x32xf32>,
  w2 = #ane.weight<"w.bin", 33152, 8192> : tensor<32x64xf32>,
  head = #ane.weight<"w.bin", 41344, 4096> : tensor<32x32xf32>}} {
  func.func @main(%x: tensor<1x16x32xf32> {ane.io_name = "x"}) -> (tensor<1x16x32xf32> {ane.io_name = "y"}) {
    %g1 = ane.const #ane.weight<"w.bin", 0, 128> : tensor<32xf32>
    %g2 = ane.const #ane.weight<"w.bin", 128, 128> : tensor<32xf32>
    %g3 = ane.const #ane.weight<"w.bin", 256, 128> : tensor<32xf32>
    %wq = ane.const #ane.weight<"w.bin", 384, 4096> : tensor<32x32xf32>
    %wk = ane.const #ane.weight<"w.bin", 4480, 4096> : tensor<32x32xf32>
    %wv = ane.const #ane.weight<"w.bin", 8576, 4096> : tensor<32x32xf32>
    %wo = ane.const #ane.weight<"w.bin", 12672, 4096> : tensor<32x32xf32>
    %w1 = ane.const #ane.weight<"w.bin", 16768, 8192> : tensor<64x32xf32>
    %w3 = ane.const #ane.weight<"w.bin", 24960, 8192> : tensor<64x32xf32>
    %w2 = ane.const #ane.weight<"w.bin", 33152, 8192> : tensor<32x64xf32>
    %head = ane.const #ane.weight<"w.bin", 41344, 4096> : tensor<32x32xf32>
    %cos = ane.const dense<0.6> : tensor<16x8xf32>
    %sin = ane.const dense<0.8> : tensor<16x8xf32>
    %n1 = ane.rms_norm %x gamma %g1 {epsilon = 1.0e-5} : (tensor<1x16x32xf32>, tensor<32xf32>) -> tensor<1x16x32xf32>
    %q0 = ane.linear %n1, %wq : (tensor<1x16x32xf32>, tensor<32x32xf32>) -> tensor<1x16x32xf32>
    %q1 = ane.reshape %q0 {shape = array<i64: 1, 16, 2, 16>} : (tensor<1x16x32xf32>) -> tensor<1x16x2x16xf32>
    %q2 = ane.transpose %q1 {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x16x2x16xf32>) -> tensor<1x2x16x16xf32>
    %k0 = ane.linear %n1, %wk : (tensor<1x16x32xf32>, tensor<32x32xf32>) -> tensor<1x16x32xf32>
    %k1 = ane.reshape %k0 {shape = array<i64: 1, 16, 2, 16>} : (tensor<1x16x32xf32>) -> tensor<1x16x2x16xf32>
    %k2 = ane.transpose %k1 {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x16x2x16xf32>) -> tensor<1x2x16x16xf32>
    %v0 = ane.linear %n1, %wv : (tensor<1x16x32xf32>, tensor<32x32xf32>) -> tensor<1x16x32xf32>
    %v1 = ane.reshape %v0 {shape = array<i64: 1, 16, 2, 16>} : (tensor<1x16x32xf32>) -> tensor<1x16x2x16xf32>
    %v2 = ane.transpose %v1 {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x16x2x16xf32>) -> tensor<1x2x16x16xf32>
    %q = ane.rope %q2, %cos, %sin : tensor<1x2x16x16xf32>, tensor<16x8xf32>, tensor<16x8xf32>
    %k = ane.rope %k2, %cos, %sin : tensor<1x2x16x16xf32>, tensor<16x8xf32>, tensor<16x8xf32>
    %o0 = ane.scaled_dot_product_attention %q, %k, %v2 : (tensor<1x2x16x16xf32>, tensor<1x2x16x16xf32>, tensor<1x2x16x16xf32>) -> tensor<1x2x16x16xf32>
    %o1 = ane.transpose %o0 {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x2x16x16xf32>) -> tensor<1x16x2x16xf32>
    %o2 = ane.reshape %o1 {shape = array<i64: 1, 16, 32>} : (tensor<1x16x2x16xf32>) -> tensor<1x16x32xf32>
    %o = ane.linear %o2, %wo : (tensor<1x16x32xf32>, tensor<32x32xf32>) -> tensor<1x16x32xf32>
    %x1 = ane.add %x, %o : tensor<1x16x32xf32>, tensor<1x16x32xf32>
    %n2 = ane.rms_norm %x1 gamma %g2 {epsilon = 1.0e-5} : (tensor<1x16x32xf32>, tensor<32xf32>) -> tensor<1x16x32xf32>
    %h1 = ane.linear %n2, %w1 : (tensor<1x16x32xf32>, tensor<64x32xf32>) -> tensor<1x16x64xf32>
    %h2 = ane.silu %h1 : tensor<1x16x64xf32>
    %h3 = ane.linear %n2, %w3 : (tensor<1x16x32xf32>, tensor<64x32xf32>) -> tensor<1x16x64xf32>
    %h = ane.mul %h2, %h3 : tensor<1x16x64xf32>, tensor<1x16x64xf32>
    %m = ane.linear %h, %w2 : (tensor<1x16x64xf32>, tensor<32x64xf32>) -> tensor<1x16x32xf32>
    %x2 = ane.add %x1, %m : tensor<1x16x32xf32>, tensor<1x16x32xf32>
    %n3 = ane.rms_norm %x2 gamma %g3 {epsilon = 1.0e-5} : (tensor<1x16x32xf32>, tensor<32xf32>) -> tensor<1x16x32xf32>
    %y = ane.linear %n3, %head : (tensor<1x16x32xf32>, tensor<32x32xf32>) -> tensor<1x16x32xf32>
    return %y : tensor<1x16x32xf32>
  }
}
