// Element-wise ops are one sweep over all elements, in vectors where their operands lie side by side.
// RUN: ane-opt %s --ane-host-constants --ane-host-prepare --ane-host-layout --ane-host-cluster | FileCheck %s --check-prefix=OP
// RUN: ane-opt %s --ane-host-compile=print-kernels=true -o /dev/null | FileCheck %s

// Three ops, no buffer between them; what broadcasts is read again in each row.
// OP-LABEL: @fused
// OP: %[[R:.*]] = host.kernel elementwise(%[[X:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}}) : (tensor<4x256xf32>, tensor<256xf32>) -> tensor<4x256xf32> {
// OP-NEXT: %[[A:.*]] = ane.add %[[X]], %[[Y]]
// OP-NEXT: %[[S:.*]] = ane.sigmoid %[[A]]
// OP-NEXT: %[[M:.*]] = ane.mul %[[S]], %[[X]]
// OP-NEXT: host.yield %[[M]] : tensor<4x256xf32>
// OP: return %[[R]]
// CHECK-LABEL: func.func private @add_sigmoid_mul_{{[0-9a-f]+}}(
// CHECK: vector.load {{.*}} vector<16xf32>
// CHECK: arith.addf {{.*}} : vector<16xf32>
// CHECK: math.roundeven {{.*}} : vector<16xf32>
// CHECK: vector.store {{.*}} vector<16xf32>
func.func @fused(%x: tensor<4x256xf32>, %y: tensor<256xf32>) -> tensor<4x256xf32> {
  %0 = ane.add %x, %y : tensor<4x256xf32>, tensor<256xf32>
  %1 = ane.sigmoid %0 : tensor<4x256xf32>
  %2 = ane.mul %1, %x : tensor<4x256xf32>, tensor<4x256xf32>
  return %2 : tensor<4x256xf32>
}

// A view is part of the kernel that reads through it; elements that don't lie side by side are read one by one.
// OP-LABEL: @strided
// OP: host.kernel elementwise(
// OP-NEXT: ane.transpose
// OP-NEXT: ane.relu
// OP-NEXT: host.yield
// CHECK-LABEL: func.func private @relu_{{[0-9a-f]+}}(
// CHECK-NOT: vector.load
// CHECK: memref.load %{{.*}} : memref<3072xf32>
// CHECK: memref.store %{{.*}} : memref<3072xf32>
func.func @strided(%x: tensor<64x48xf32>) -> tensor<48x64xf32> {
  %0 = ane.transpose %x {perm = array<i64: 1, 0>} : (tensor<64x48xf32>) -> tensor<48x64xf32>
  %1 = ane.relu %0 : tensor<48x64xf32>
  return %1 : tensor<48x64xf32>
}

// The one number that all elements of a constant are stands in the code; bools are bytes in memory.
// OP-LABEL: @integers
// OP: host.kernel elementwise(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (tensor<8xui8>, tensor<8xi1>) -> tensor<8xui8> {
// OP-NEXT: ane.const dense<1> : tensor<ui8>
// OP-NEXT: ane.maximum
// OP-NEXT: ane.select
// CHECK-LABEL: func.func private @maximum_select_{{[0-9a-f]+}}(
// CHECK-SAME: memref<8xi8>, %{{.*}}: memref<8xi8>, %{{.*}}: memref<8xi8>)
// CHECK: arith.maxui
// CHECK: arith.select
func.func @integers(%x: tensor<8xui8>, %y: tensor<8xi1>) -> tensor<8xui8> {
  %one = ane.const dense<1> : tensor<ui8>
  %0 = ane.maximum %x, %one : tensor<8xui8>, tensor<ui8>
  %1 = ane.select %y, %0, %x : tensor<8xi1>, tensor<8xui8>, tensor<8xui8>
  return %1 : tensor<8xui8>
}

// fp16 in memory is f32 in registers; a conversion to integers saturates.
// OP-LABEL: @cast
// OP: host.kernel elementwise(
// CHECK-LABEL: func.func private @cast_{{[0-9a-f]+}}(
// CHECK-SAME: memref<32xf16>
// CHECK: arith.extf {{.*}} to vector<16xf32>
// CHECK: arith.fptosi
func.func @cast(%x: tensor<32xf16>) -> tensor<32xi32> {
  %0 = ane.cast %x {dtype = "int32"} : (tensor<32xf16>) -> tensor<32xi32>
  return %0 : tensor<32xi32>
}
