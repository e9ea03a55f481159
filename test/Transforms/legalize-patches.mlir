// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane.island(ane-begin-engine-body,ane-legalize-patches)))' | FileCheck %s

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  // CHECK-LABEL: func.func @patches
  // CHECK: engine {
  // CHECK: %[[P:.*]] = ane.relayout %{{.*}} expand [3, 2, 16, 4, 16] perm [1, 3, 0, 2, 4]
  // CHECK: ane.linear %[[P]], %{{.*}} : (tensor<8x768xf16>, tensor<5x768xf16>)
  func.func @patches(%in0: tensor<1x3x32x64xf16>) -> tensor<1x5x2x4xf16> {
    %0 = ane.island(%in0) : (tensor<1x3x32x64xf16>) -> (tensor<1x5x2x4xf16>) engine {
    } twin {
    ^bb0(%x: tensor<1x3x32x64xf16>):
      %w = ane.const dense<1.0> : tensor<5x3x16x16xf16>
      %r = ane.conv %x, %w {strides = array<i64: 16, 16>} : (tensor<1x3x32x64xf16>, tensor<5x3x16x16xf16>) -> tensor<1x5x2x4xf16>
      ane.yield %r : tensor<1x5x2x4xf16>
    }
    return %0 : tensor<1x5x2x4xf16>
  }

  // The engine takes the kernel.
  // CHECK-LABEL: func.func @narrow
  // CHECK: engine {
  // CHECK: ane.conv
  // CHECK: } twin {
  func.func @narrow(%in0: tensor<1x3x8x16xf16>) -> tensor<1x5x2x4xf16> {
    %0 = ane.island(%in0) : (tensor<1x3x8x16xf16>) -> (tensor<1x5x2x4xf16>) engine {
    } twin {
    ^bb0(%x: tensor<1x3x8x16xf16>):
      %w = ane.const dense<1.0> : tensor<5x3x4x4xf16>
      %r = ane.conv %x, %w {strides = array<i64: 4, 4>} : (tensor<1x3x8x16xf16>, tensor<5x3x4x4xf16>) -> tensor<1x5x2x4xf16>
      ane.yield %r : tensor<1x5x2x4xf16>
    }
    return %0 : tensor<1x5x2x4xf16>
  }

  // CHECK-LABEL: func.func @overlapping
  // CHECK: engine {
  // CHECK: ane.conv
  // CHECK: } twin {
  func.func @overlapping(%in0: tensor<1x3x48x48xf16>) -> tensor<1x5x2x2xf16> {
    %0 = ane.island(%in0) : (tensor<1x3x48x48xf16>) -> (tensor<1x5x2x2xf16>) engine {
    } twin {
    ^bb0(%x: tensor<1x3x48x48xf16>):
      %w = ane.const dense<1.0> : tensor<5x3x32x32xf16>
      %r = ane.conv %x, %w {strides = array<i64: 16, 16>} : (tensor<1x3x48x48xf16>, tensor<5x3x32x32xf16>) -> tensor<1x5x2x2xf16>
      ane.yield %r : tensor<1x5x2x2xf16>
    }
    return %0 : tensor<1x5x2x2xf16>
  }

  // The first window sees nothing but zeros: no part of the image is left to cut.
  // CHECK-LABEL: func.func @padding_alone
  // CHECK: engine {
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: ane.const
  // CHECK-NEXT: ane.conv
  // CHECK: } twin {
  func.func @padding_alone(%in0: tensor<1x4x2x3x8xf16>) -> tensor<1x4x1x3x8xf16> {
    %0 = ane.island(%in0) : (tensor<1x4x2x3x8xf16>) -> (tensor<1x4x1x3x8xf16>) engine {
    } twin {
    ^bb0(%x: tensor<1x4x2x3x8xf16>):
      %w = ane.const dense<1.0> : tensor<4x4x3x1x1xf16>
      %r = ane.conv %x, %w {pad = array<i64: 6, 0, 0, 0, 0, 0>, pad_type = "custom", strides = array<i64: 12, 1, 1>} : (tensor<1x4x2x3x8xf16>, tensor<4x4x3x1x1xf16>) -> tensor<1x4x1x3x8xf16>
      ane.yield %r : tensor<1x4x1x3x8xf16>
    }
    return %0 : tensor<1x4x1x3x8xf16>
  }
}
