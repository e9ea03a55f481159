// RUN: ane-opt %s --ane-to-emittable | FileCheck %s

// Parts of one computed weight are a record each: 17 of them are two programs.
// CHECK-COUNT-2: ane.program
// CHECK-NOT: ane.program

module attributes {ane.keep = ["C224"], ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %c = ane.const dense<0.515625> : tensor<17x64xf32>
    %i = ane.const dense<[[1.000000], [1.015625], [1.031250], [1.046875], [1.062500], [1.078125], [1.093750], [1.109375], [1.125000], [1.140625], [1.156250], [1.171875], [1.187500], [1.203125], [1.218750], [1.234375], [1.250000]]> : tensor<17x1xf32>
    %w = ane.mul %c, %i : tensor<17x64xf32>, tensor<17x1xf32>
    %w0 = ane.slice_by_size %w {begin = array<i64: 0, 0>, size = array<i64: 1, 64>} : (tensor<17x64xf32>) -> tensor<1x64xf32>
    %m0 = ane.mul %x, %w0 : tensor<64x64xf32>, tensor<1x64xf32>
    %r0 = ane.relu %m0 : tensor<64x64xf32>
    %w1 = ane.slice_by_size %w {begin = array<i64: 1, 0>, size = array<i64: 1, 64>} : (tensor<17x64xf32>) -> tensor<1x64xf32>
    %m1 = ane.mul %r0, %w1 : tensor<64x64xf32>, tensor<1x64xf32>
    %r1 = ane.relu %m1 : tensor<64x64xf32>
    %w2 = ane.slice_by_size %w {begin = array<i64: 2, 0>, size = array<i64: 1, 64>} : (tensor<17x64xf32>) -> tensor<1x64xf32>
    %m2 = ane.mul %r1, %w2 : tensor<64x64xf32>, tensor<1x64xf32>
    %r2 = ane.relu %m2 : tensor<64x64xf32>
    %w3 = ane.slice_by_size %w {begin = array<i64: 3, 0>, size = array<i64: 1, 64>} : (tensor<17x64xf32>) -> tensor<1x64xf32>
    %m3 = ane.mul %r2, %w3 : tensor<64x64xf32>, tensor<1x64xf32>
    %r3 = ane.relu %m3 : tensor<64x64xf32>
    %w4 = ane.slice_by_size %w {begin = array<i64: 4, 0>, size = array<i64: 1, 64>} : (tensor<17x64xf32>) -> tensor<1x64xf32>
    %m4 = ane.mul %r3, %w4 : tensor<64x64xf32>, tensor<1x64xf32>
    %r4 = ane.relu %m4 : tensor<64x64xf32>
    %w5 = ane.slice_by_size %w {begin = array<i64: 5, 0>, size = array<i64: 1, 64>} : (tensor<17x64xf32>) -> tensor<1x64xf32>
    %m5 = ane.mul %r4, %w5 : tensor<64x64xf32>, tensor<1x64xf32>
    %r5 = ane.relu %m5 : tensor<64x64xf32>
    %w6 = ane.slice_by_size %w {begin = array<i64: 6, 0>, size = array<i64: 1, 64>} : (tensor<17x64xf32>) -> tensor<1x64xf32>
    %m6 = ane.mul %r5, %w6 : tensor<64x64xf32>, tensor<1x64xf32>
    %r6 = ane.relu %m6 : tensor<64x64xf32>
    %w7 = ane.slice_by_size %w {begin = array<i64: 7, 0>, size = array<i64: 1, 64>} : (tensor<17x64xf32>) -> tensor<1x64xf32>
    %m7 = ane.mul %r6, %w7 : tensor<64x64xf32>, tensor<1x64xf32>
    %r7 = ane.relu %m7 : tensor<64x64xf32>
    %w8 = ane.slice_by_size %w {begin = array<i64: 8, 0>, size = array<i64: 1, 64>} : (tensor<17x64xf32>) -> tensor<1x64xf32>
    %m8 = ane.mul %r7, %w8 : tensor<64x64xf32>, tensor<1x64xf32>
    %r8 = ane.relu %m8 : tensor<64x64xf32>
    %w9 = ane.slice_by_size %w {begin = array<i64: 9, 0>, size = array<i64: 1, 64>} : (tensor<17x64xf32>) -> tensor<1x64xf32>
    %m9 = ane.mul %r8, %w9 : tensor<64x64xf32>, tensor<1x64xf32>
    %r9 = ane.relu %m9 : tensor<64x64xf32>
    %w10 = ane.slice_by_size %w {begin = array<i64: 10, 0>, size = array<i64: 1, 64>} : (tensor<17x64xf32>) -> tensor<1x64xf32>
    %m10 = ane.mul %r9, %w10 : tensor<64x64xf32>, tensor<1x64xf32>
    %r10 = ane.relu %m10 : tensor<64x64xf32>
    %w11 = ane.slice_by_size %w {begin = array<i64: 11, 0>, size = array<i64: 1, 64>} : (tensor<17x64xf32>) -> tensor<1x64xf32>
    %m11 = ane.mul %r10, %w11 : tensor<64x64xf32>, tensor<1x64xf32>
    %r11 = ane.relu %m11 : tensor<64x64xf32>
    %w12 = ane.slice_by_size %w {begin = array<i64: 12, 0>, size = array<i64: 1, 64>} : (tensor<17x64xf32>) -> tensor<1x64xf32>
    %m12 = ane.mul %r11, %w12 : tensor<64x64xf32>, tensor<1x64xf32>
    %r12 = ane.relu %m12 : tensor<64x64xf32>
    %w13 = ane.slice_by_size %w {begin = array<i64: 13, 0>, size = array<i64: 1, 64>} : (tensor<17x64xf32>) -> tensor<1x64xf32>
    %m13 = ane.mul %r12, %w13 : tensor<64x64xf32>, tensor<1x64xf32>
    %r13 = ane.relu %m13 : tensor<64x64xf32>
    %w14 = ane.slice_by_size %w {begin = array<i64: 14, 0>, size = array<i64: 1, 64>} : (tensor<17x64xf32>) -> tensor<1x64xf32>
    %m14 = ane.mul %r13, %w14 : tensor<64x64xf32>, tensor<1x64xf32>
    %r14 = ane.relu %m14 : tensor<64x64xf32>
    %w15 = ane.slice_by_size %w {begin = array<i64: 15, 0>, size = array<i64: 1, 64>} : (tensor<17x64xf32>) -> tensor<1x64xf32>
    %m15 = ane.mul %r14, %w15 : tensor<64x64xf32>, tensor<1x64xf32>
    %r15 = ane.relu %m15 : tensor<64x64xf32>
    %w16 = ane.slice_by_size %w {begin = array<i64: 16, 0>, size = array<i64: 1, 64>} : (tensor<17x64xf32>) -> tensor<1x64xf32>
    %m16 = ane.mul %r15, %w16 : tensor<64x64xf32>, tensor<1x64xf32>
    %r16 = ane.relu %m16 : tensor<64x64xf32>
    return %r16 : tensor<64x64xf32>
  }
}
