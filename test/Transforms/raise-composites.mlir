// RUN: ane-opt %s --ane-raise-composites | FileCheck %s

// CHECK-LABEL: func.func @linear
// CHECK: %[[W:.*]] = ane.transpose
// CHECK: %[[R:.*]] = ane.linear %{{.*}}, %[[W]] bias %{{.*}} : (tensor<2x8xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: return %[[R]]
func.func @linear(%x: tensor<2x8xf32>) -> tensor<2x4xf32> {
  %w = ane.const #ane.weight<"m.onnx", 0, 128> : tensor<8x4xf32>
  %b = ane.const dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = ane.matmul %x, %w : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
  %1 = ane.add %b, %0 : tensor<4xf32>, tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// A weight that the flag transposes is linear's already.
// CHECK-LABEL: func.func @linear_transposed
// CHECK-NOT: ane.transpose
// CHECK: ane.linear
func.func @linear_transposed(%x: tensor<2x8xf32>) -> tensor<2x4xf32> {
  %w = ane.const #ane.weight<"m.onnx", 0, 128> : tensor<4x8xf32>
  %0 = ane.matmul %x, %w {transpose_y = true} : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// x is transposed first, where the flag says so; a constant on the left makes the transposed product.
// CHECK-LABEL: func.func @linear_around
// CHECK: %[[XT:.*]] = ane.transpose %arg0 {perm = array<i64: 1, 0>}
// CHECK: ane.linear %[[XT]],
// CHECK: %[[YT:.*]] = ane.transpose %arg1 {perm = array<i64: 0, 2, 1>}
// CHECK: %[[P:.*]] = ane.linear %[[YT]], %{{.*}} : (tensor<3x6x2xf32>, tensor<4x2xf32>) -> tensor<3x6x4xf32>
// CHECK: ane.transpose %[[P]] {perm = array<i64: 0, 2, 1>}
func.func @linear_around(%x: tensor<2x8xf32>, %y: tensor<3x2x6xf32>) -> (tensor<8x4xf32>, tensor<3x4x6xf32>) {
  %v = ane.const #ane.weight<"m.onnx", 0, 32> : tensor<2x4xf32>
  %w = ane.const #ane.weight<"m.onnx", 0, 32> : tensor<1x4x2xf32>
  %0 = ane.matmul %x, %v {transpose_x = true} : (tensor<2x8xf32>, tensor<2x4xf32>) -> tensor<8x4xf32>
  %1 = ane.matmul %w, %y : (tensor<1x4x2xf32>, tensor<3x2x6xf32>) -> tensor<3x4x6xf32>
  return %0, %1 : tensor<8x4xf32>, tensor<3x4x6xf32>
}

// A product of two run-time values, a batch of weights, and a constant that gives the result its rank stay products.
// CHECK-LABEL: func.func @no_linear
// CHECK-COUNT-3: ane.matmul
// CHECK-NOT: ane.linear
// CHECK: return
func.func @no_linear(%x: tensor<2x8xf32>, %y: tensor<8x4xf32>, %z: tensor<3x2x8xf32>) -> (tensor<2x4xf32>, tensor<1x2x4xf32>, tensor<3x2x4xf32>) {
  %v = ane.const #ane.weight<"m.onnx", 0, 128> : tensor<1x8x4xf32>
  %w = ane.const #ane.weight<"m.onnx", 0, 384> : tensor<3x8x4xf32>
  %0 = ane.matmul %x, %y : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
  %1 = ane.matmul %x, %v : (tensor<2x8xf32>, tensor<1x8x4xf32>) -> tensor<1x2x4xf32>
  %2 = ane.matmul %z, %w : (tensor<3x2x8xf32>, tensor<3x8x4xf32>) -> tensor<3x2x4xf32>
  return %0, %1, %2 : tensor<2x4xf32>, tensor<1x2x4xf32>, tensor<3x2x4xf32>
}

// No bias: another reader of the product, one value for all channels, one a row, and a value known at run time only.
// CHECK-LABEL: func.func @no_bias
// CHECK: ane.linear
// CHECK: ane.add
// CHECK: ane.linear
// CHECK: ane.add
// CHECK: ane.linear
// CHECK: ane.add
// CHECK: ane.linear
// CHECK: ane.add
func.func @no_bias(%x: tensor<4x8xf32>, %r: tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %w0 = ane.const #ane.weight<"m.onnx", 0, 128> : tensor<4x8xf32>
  %w1 = ane.const #ane.weight<"m.onnx", 128, 128> : tensor<4x8xf32>
  %w2 = ane.const #ane.weight<"m.onnx", 256, 128> : tensor<4x8xf32>
  %w3 = ane.const #ane.weight<"m.onnx", 384, 128> : tensor<4x8xf32>
  %b = ane.const dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %c = ane.const dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf32>
  %s = ane.const dense<3.0> : tensor<f32>
  %0 = ane.linear %x, %w0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
  %a0 = ane.add %0, %b : tensor<4x4xf32>, tensor<4xf32>
  %1 = ane.linear %x, %w1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
  %a1 = ane.add %1, %s : tensor<4x4xf32>, tensor<f32>
  %2 = ane.linear %x, %w2 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
  %a2 = ane.add %2, %c : tensor<4x4xf32>, tensor<4x1xf32>
  %3 = ane.linear %x, %w3 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
  %a3 = ane.add %3, %r : tensor<4x4xf32>, tensor<4xf32>
  return %0, %a0, %a1, %a2, %a3 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// x (1 + erf(x / 1.41421)) 0.5, and the same with the half first and a product for the division.
// CHECK-LABEL: func.func @gelu
// CHECK-NOT: ane.erf
// CHECK: ane.gelu %{{[a-z0-9]+}} : tensor
// CHECK: ane.gelu %{{[a-z0-9]+}} : tensor
func.func @gelu(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %r = ane.const dense<1.41421354> : tensor<f32>
  %i = ane.const dense<0.707106769> : tensor<f32>
  %one = ane.const dense<1.0> : tensor<f32>
  %half = ane.const dense<0.5> : tensor<f32>
  %0 = ane.real_div %x, %r : tensor<8xf32>, tensor<f32>
  %1 = ane.erf %0 : tensor<8xf32>
  %2 = ane.add %1, %one : tensor<8xf32>, tensor<f32>
  %3 = ane.mul %x, %2 : tensor<8xf32>, tensor<8xf32>
  %4 = ane.mul %3, %half : tensor<8xf32>, tensor<f32>
  %5 = ane.mul %y, %i : tensor<8xf32>, tensor<f32>
  %6 = ane.erf %5 : tensor<8xf32>
  %7 = ane.add %one, %6 : tensor<f32>, tensor<8xf32>
  %8 = ane.mul %half, %y : tensor<f32>, tensor<8xf32>
  %9 = ane.mul %8, %7 : tensor<8xf32>, tensor<8xf32>
  return %4, %9 : tensor<8xf32>, tensor<8xf32>
}

// Another value under erf, another scale, a forgotten half.
// CHECK-LABEL: func.func @no_gelu
// CHECK-NOT: ane.gelu
// CHECK: return
func.func @no_gelu(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %i = ane.const dense<0.707106769> : tensor<f32>
  %j = ane.const dense<0.7> : tensor<f32>
  %one = ane.const dense<1.0> : tensor<f32>
  %half = ane.const dense<0.5> : tensor<f32>
  %0 = ane.mul %y, %i : tensor<8xf32>, tensor<f32>
  %1 = ane.erf %0 : tensor<8xf32>
  %2 = ane.add %1, %one : tensor<8xf32>, tensor<f32>
  %3 = ane.mul %x, %2 : tensor<8xf32>, tensor<8xf32>
  %4 = ane.mul %3, %half : tensor<8xf32>, tensor<f32>
  %5 = ane.mul %x, %j : tensor<8xf32>, tensor<f32>
  %6 = ane.erf %5 : tensor<8xf32>
  %7 = ane.add %6, %one : tensor<8xf32>, tensor<f32>
  %8 = ane.mul %x, %7 : tensor<8xf32>, tensor<8xf32>
  %9 = ane.mul %8, %half : tensor<8xf32>, tensor<f32>
  %10 = ane.mul %x, %i : tensor<8xf32>, tensor<f32>
  %11 = ane.erf %10 : tensor<8xf32>
  %12 = ane.add %11, %one : tensor<8xf32>, tensor<f32>
  %13 = ane.mul %x, %12 : tensor<8xf32>, tensor<8xf32>
  return %4, %9, %13 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @gelu_tanh
// CHECK: ane.gelu %arg0 {mode = "TANH_APPROXIMATION"}
// CHECK: ane.gelu %arg1 {mode = "TANH_APPROXIMATION"}
// CHECK: ane.gelu %arg0 {mode = "SIGMOID_APPROXIMATION"}
// CHECK-NOT: ane.mul
// CHECK: return
func.func @gelu_tanh(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %cube = ane.const dense<4.471500e-02> : tensor<f32>
  %three = ane.const dense<3.0> : tensor<f32>
  %root = ane.const dense<0.797884583> : tensor<f32>
  %one = ane.const dense<1.0> : tensor<f32>
  %half = ane.const dense<0.5> : tensor<f32>
  %quick = ane.const dense<1.702> : tensor<f32>
  %0 = ane.mul %x, %half : tensor<8xf32>, tensor<f32>
  %1 = ane.pow %x, %three : tensor<8xf32>, tensor<f32>
  %2 = ane.mul %1, %cube : tensor<8xf32>, tensor<f32>
  %3 = ane.add %x, %2 : tensor<8xf32>, tensor<8xf32>
  %4 = ane.mul %3, %root : tensor<8xf32>, tensor<f32>
  %5 = ane.tanh %4 : tensor<8xf32>
  %6 = ane.add %5, %one : tensor<8xf32>, tensor<f32>
  %7 = ane.mul %0, %6 : tensor<8xf32>, tensor<8xf32>
  %8 = ane.mul %y, %y : tensor<8xf32>, tensor<8xf32>
  %9 = ane.mul %8, %cube : tensor<8xf32>, tensor<f32>
  %10 = ane.add %9, %one : tensor<8xf32>, tensor<f32>
  %11 = ane.mul %y, %root : tensor<8xf32>, tensor<f32>
  %12 = ane.mul %11, %10 : tensor<8xf32>, tensor<8xf32>
  %13 = ane.tanh %12 : tensor<8xf32>
  %14 = ane.add %one, %13 : tensor<f32>, tensor<8xf32>
  %15 = ane.mul %14, %y : tensor<8xf32>, tensor<8xf32>
  %16 = ane.mul %15, %half : tensor<8xf32>, tensor<f32>
  %17 = ane.mul %x, %quick : tensor<8xf32>, tensor<f32>
  %18 = ane.sigmoid %17 : tensor<8xf32>
  %19 = ane.mul %x, %18 : tensor<8xf32>, tensor<8xf32>
  return %7, %16, %19 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @hard_swish
// CHECK: %[[G:.*]] = ane.sigmoid_hard %arg0
// CHECK: ane.mul %arg0, %[[G]]
// CHECK-NOT: ane.clip
// CHECK: return
func.func @hard_swish(%x: tensor<8xf32>) -> tensor<8xf32> {
  %three = ane.const dense<3.0> : tensor<f32>
  %six = ane.const dense<6.0> : tensor<f32>
  %0 = ane.add %x, %three : tensor<8xf32>, tensor<f32>
  %1 = ane.clip %0 {alpha = 0.0 : f64, beta = 6.0 : f64} : tensor<8xf32>
  %2 = ane.mul %x, %1 : tensor<8xf32>, tensor<8xf32>
  %3 = ane.real_div %2, %six : tensor<8xf32>, tensor<f32>
  return %3 : tensor<8xf32>
}

// CHECK-LABEL: func.func @silu
// CHECK: ane.silu
// CHECK-NOT: ane.silu
// CHECK: ane.mul
// CHECK: return
func.func @silu(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = ane.sigmoid %x : tensor<8xf32>
  %1 = ane.mul %0, %x : tensor<8xf32>, tensor<8xf32>
  %2 = ane.sigmoid %y : tensor<8xf32>
  %3 = ane.mul %2, %x : tensor<8xf32>, tensor<8xf32>
  return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// The tile sinks below the unary op and vanishes in the sum.
// CHECK-LABEL: func.func @tile
// CHECK-SAME: (%[[X:.*]]: tensor<1x8xf32>, %[[Y:.*]]: tensor<4x8xf32>)
// CHECK-NEXT: %[[A:.*]] = ane.relu %[[X]] : tensor<1x8xf32>
// CHECK-NEXT: %[[S:.*]] = ane.add %[[A]], %[[Y]]
// CHECK-NEXT: return %[[S]]
func.func @tile(%x: tensor<1x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = ane.tile %x {reps = array<i64: 4, 1>} : (tensor<1x8xf32>) -> tensor<4x8xf32>
  %1 = ane.relu %0 : tensor<4x8xf32>
  %2 = ane.add %1, %y : tensor<4x8xf32>, tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// Copies of an axis that is not 1, and the tile that alone gives the shape.
// CHECK-LABEL: func.func @needed_tile
// CHECK: ane.tile
// CHECK: ane.add
// CHECK: ane.tile
// CHECK: ane.add
func.func @needed_tile(%x: tensor<2x8xf32>, %y: tensor<4x8xf32>, %z: tensor<1x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = ane.tile %x {reps = array<i64: 2, 1>} : (tensor<2x8xf32>) -> tensor<4x8xf32>
  %1 = ane.add %0, %y : tensor<4x8xf32>, tensor<4x8xf32>
  %2 = ane.tile %z {reps = array<i64: 4, 1>} : (tensor<1x8xf32>) -> tensor<4x8xf32>
  %3 = ane.add %2, %z : tensor<4x8xf32>, tensor<1x8xf32>
  return %1, %3 : tensor<4x8xf32>, tensor<4x8xf32>
}
