// The weight of a product is stored as the model has it, and converted where vectors of it are loaded: f16, int8 and, packed on
// request, f32 as f16. Views on a constant are the order in which it is packed.
// RUN: ane-opt %s --ane-host-compile=print-kernels=true -o /dev/null | FileCheck %s
// RUN: ane-opt %s --ane-host-compile="print-kernels=true weights=fp16" -o /dev/null | FileCheck %s --check-prefix=HALF

// CHECK-LABEL: func.func private @linear_{{[0-9a-f]+}}(
// CHECK-SAME: memref<512xf32>, %{{.*}}: memref<3072xf32>
// CHECK: vector.load {{.*}} memref<3072xf32>, vector<8xf32>
// HALF-LABEL: func.func private @linear_{{[0-9a-f]+}}(
// HALF-SAME: memref<512xf32>, %{{.*}}: memref<3072xf16>
// HALF: %[[W:.*]] = vector.load {{.*}} memref<3072xf16>, vector<8xf16>
// HALF: arith.extf %[[W]] : vector<8xf16> to vector<8xf32>
func.func @single(%x: tensor<8x64xf32>) -> tensor<8x48xf32> {
  %w = ane.const dense<0.5> : tensor<48x64xf32>
  %y = ane.linear %x, %w : (tensor<8x64xf32>, tensor<48x64xf32>) -> tensor<8x48xf32>
  return %y : tensor<8x48xf32>
}

// CHECK-LABEL: func.func private @matmul_{{[0-9a-f]+}}(
// CHECK-SAME: memref<512xf16>, %{{.*}}: memref<3072xf16>
// CHECK: %[[W:.*]] = vector.load {{.*}} memref<3072xf16>, vector<8xf16>
// CHECK: arith.extf %[[W]] : vector<8xf16> to vector<8xf32>
func.func @half(%x: tensor<8x64xf16>) -> tensor<8x48xf16> {
  %w = ane.const dense<0.5> : tensor<48x64xf16>
  %t = ane.transpose %w {perm = array<i64: 1, 0>} : (tensor<48x64xf16>) -> tensor<64x48xf16>
  %y = ane.matmul %x, %t : (tensor<8x64xf16>, tensor<64x48xf16>) -> tensor<8x48xf16>
  return %y : tensor<8x48xf16>
}

// CHECK-LABEL: func.func private @linear_{{[0-9a-f]+}}(
// CHECK-SAME: memref<512xf32>, %{{.*}}: memref<3072xi8>
// CHECK: %[[W:.*]] = vector.load {{.*}} memref<3072xi8>, vector<8xi8>
// CHECK: arith.sitofp %[[W]] : vector<8xi8> to vector<8xf32>
func.func @integers(%x: tensor<8x64xf32>) -> tensor<8x48xf32> {
  %w = ane.const dense<3> : tensor<48x64xi8>
  %y = ane.linear %x, %w : (tensor<8x64xf32>, tensor<48x64xi8>) -> tensor<8x48xf32>
  return %y : tensor<8x48xf32>
}

// CHECK-LABEL: func.func private @conv_identity_{{[0-9a-f]+}}(
// CHECK-SAME: memref<{{.*}}xi8>
// CHECK: arith.uitofp {{.*}} : vector<8xi8> to vector<8xf32>
func.func @depthwise(%x: tensor<1x24x6x6xf32>) -> tensor<1x24x4x4xf32> {
  %w = ane.const dense<200> : tensor<24x1x3x3xui8>
  %0 = ane.conv %x, %w {groups = 24 : i64} : (tensor<1x24x6x6xf32>, tensor<24x1x3x3xui8>) -> tensor<1x24x4x4xf32>
  return %0 : tensor<1x24x4x4xf32>
}

// Floats of 16 bits that are widened before the product are widened within it.
// CHECK-LABEL: func.func private @linear_{{[0-9a-f]+}}(
// CHECK-SAME: memref<512xf32>, %{{.*}}: memref<3072xbf16>
// CHECK: vector.load {{.*}} memref<3072xbf16>, vector<8xbf16>
func.func @widened(%x: tensor<8x64xf32>) -> tensor<8x48xf32> {
  %two = ane.const dense<[[0.5, 0.25]]> : tensor<1x2xbf16>
  %w = ane.tile %two {reps = array<i64: 48, 32>} : (tensor<1x2xbf16>) -> tensor<48x64xbf16>
  %wide = ane.cast %w {dtype = "fp32"} : (tensor<48x64xbf16>) -> tensor<48x64xf32>
  %y = ane.linear %x, %wide : (tensor<8x64xf32>, tensor<48x64xf32>) -> tensor<8x48xf32>
  return %y : tensor<8x48xf32>
}
