// A convolution with one filter for each channel: vectors run over channels, the weights of a tap serve a tile of rows.
// RUN: ane-opt %s --ane-host-constants --ane-host-prepare --ane-host-layout --ane-host-cluster | FileCheck %s --check-prefix=OP
// RUN: ane-opt %s --ane-host-compile=print-kernels=true -o /dev/null | FileCheck %s

// OP: host.kernel depthwise(
// OP-NEXT: ane.conv %{{.*}} {groups = 24 : i64, host.order = array<i64: 0, 2, 3, 1>}
// OP-NEXT: ane.reshape
// OP-NEXT: ane.add
// OP-NEXT: ane.relu6
// OP-NEXT: ane.identity {{.*}}host.copy
// CHECK-LABEL: func.func private @conv_add_relu6_identity_{{[0-9a-f]+}}(
// CHECK-SAME: memref<6144xf32>, %{{.*}}: memref<288xf32>
// CHECK-COUNT-8: math.fma {{.*}} : vector<8xf32>
func.func @depthwise(%x: tensor<1x24x16x16xf32>, %b: tensor<24xf32>) -> tensor<1x24x14x14xf32> {
  %w = ane.const dense<0.5> : tensor<24x1x3x3xf32>
  %0 = ane.conv %x, %w bias %b {pad_type = "valid", groups = 24 : i64} : (tensor<1x24x16x16xf32>, tensor<24x1x3x3xf32>, tensor<24xf32>) -> tensor<1x24x14x14xf32>
  %1 = ane.relu6 %0 : tensor<1x24x14x14xf32>
  return %1 : tensor<1x24x14x14xf32>
}
