// RUN: ane-opt %s --ane-split-products | FileCheck %s
// RUN: sed 's/h13/h17/' %s | ane-opt --ane-split-products | FileCheck %s --check-prefix=LONG

// M1's axes have 16,384 elements, M5's 65,536.
// LONG-NOT: slice_by_size

// Rows of the weight are columns of the result.
// CHECK-LABEL: func.func @head
// CHECK: %[[W0:.*]] = ane.slice_by_size %arg1 {ane.host = #ane.host<"C26", "cuts or joins a product: {{.*}}20000, limit 16384">, begin = array<i64: 0, 0>, size = array<i64: 10000, 32>}
// CHECK: %[[Y0:.*]] = ane.linear %arg0, %[[W0]]
// CHECK: %[[W1:.*]] = ane.slice_by_size %arg1 {{.*}}begin = array<i64: 10000, 0>, size = array<i64: 10000, 32>
// CHECK: %[[Y1:.*]] = ane.linear %arg0, %[[W1]]
// CHECK: ane.concat %[[Y0]], %[[Y1]] {ane.host = #ane.host<"C26", {{.*}}, axis = 2

// What is summed is cut in both operands.
// CHECK-LABEL: func.func @input
// CHECK: %[[G0:.*]] = ane.slice_by_size %arg0 {{.*}}begin = array<i64: 0, 0, 0>, size = array<i64: 2, 8, 10000>
// CHECK: %[[W0:.*]] = ane.slice_by_size %arg1 {{.*}}begin = array<i64: 0, 0>
// CHECK: %[[P0:.*]] = ane.matmul %[[G0]], %[[W0]]
// CHECK: %[[P1:.*]] = ane.matmul
// CHECK: ane.add %[[P0]], %[[P1]] : tensor<2x8x32xf32>

// Columns of a transposed operand are rows of the result.
// CHECK-LABEL: func.func @weight
// CHECK: ane.slice_by_size %arg0 {{.*}}begin = array<i64: 0, 10000>, size = array<i64: 16, 10000>
// CHECK: ane.concat {{.*}}axis = 0

// Nothing is too long, a constant weight is ane-legalize-channels' business, and two axes are too many.
// CHECK-LABEL: func.func @others
// CHECK-NOT: slice_by_size
// CHECK: return
module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @head(%x: tensor<2x8x32xf32>, %w: tensor<20000x32xf32>) -> tensor<2x8x20000xf32> {
    %0 = ane.linear %x, %w : (tensor<2x8x32xf32>, tensor<20000x32xf32>) -> tensor<2x8x20000xf32>
    return %0 : tensor<2x8x20000xf32>
  }
  func.func @input(%g: tensor<2x8x20000xf32>, %w: tensor<20000x32xf32>) -> tensor<2x8x32xf32> {
    %0 = ane.matmul %g, %w : (tensor<2x8x20000xf32>, tensor<20000x32xf32>) -> tensor<2x8x32xf32>
    return %0 : tensor<2x8x32xf32>
  }
  func.func @weight(%g: tensor<16x20000xf32>, %x: tensor<16x32xf32>) -> tensor<20000x32xf32> {
    %0 = ane.matmul %g, %x {transpose_x = true} : (tensor<16x20000xf32>, tensor<16x32xf32>) -> tensor<20000x32xf32>
    return %0 : tensor<20000x32xf32>
  }
  func.func @others(%x: tensor<8x32xf32>, %y: tensor<32x16384xf32>, %a: tensor<20000x4xf32>, %b: tensor<4x20000xf32>)
      -> (tensor<8x16384xf32>, tensor<8x20000xf32>, tensor<20000x20000xf32>) {
    %w = ane.const #ane.weight<"w.bin", 0, 2560000> : tensor<20000x32xf32>
    %0 = ane.matmul %x, %y : (tensor<8x32xf32>, tensor<32x16384xf32>) -> tensor<8x16384xf32>
    %1 = ane.linear %x, %w : (tensor<8x32xf32>, tensor<20000x32xf32>) -> tensor<8x20000xf32>
    %2 = ane.matmul %a, %b : (tensor<20000x4xf32>, tensor<4x20000xf32>) -> tensor<20000x20000xf32>
    return %0, %1, %2 : tensor<8x16384xf32>, tensor<8x20000xf32>, tensor<20000x20000xf32>
  }
}
