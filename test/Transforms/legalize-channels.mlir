// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-legalize-channels))' | FileCheck %s
// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-legalize-channels{prefer-host=true}))' | FileCheck %s --check-prefix=HOST

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  // CHECK-LABEL: func.func @linear
  // CHECK: %[[W0:.*]] = ane.slice_by_size {{.*}}begin = array<i64: 0, 0>{{.*}}size = array<i64: 11264, 64>
  // CHECK: %[[B0:.*]] = ane.slice_by_size {{.*}}begin = array<i64: 0>{{.*}}size = array<i64: 11264>
  // CHECK: %[[Y0:.*]] = ane.linear %{{.*}}, %[[W0]] bias %[[B0]]
  // CHECK: %[[W1:.*]] = ane.slice_by_size {{.*}}begin = array<i64: 11264, 0>{{.*}}size = array<i64: 11264, 64>
  // CHECK: %[[Y1:.*]] = ane.linear %{{.*}}, %[[W1]]
  // CHECK: %[[W2:.*]] = ane.slice_by_size {{.*}}begin = array<i64: 22528, 0>{{.*}}size = array<i64: 11240, 64>
  // CHECK: %[[Y2:.*]] = ane.linear {{.*}} -> tensor<2x11240xf32>
  // CHECK: %[[Y:.*]] = ane.concat %[[Y0]], %[[Y1]], %[[Y2]] {{.*}}#ane.host<"C16", "joins the parts of a split: {{.*}}33768{{.*}}limit 31999{{.*}}">
  // CHECK: return %[[Y]]
  // HOST-LABEL: func.func @linear
  // HOST: ane.linear {{.*}}#ane.host<"C16", "{{.*}}33768{{.*}}limit 31999{{.*}}; --channels-on-host was given">
  func.func @linear(%x: tensor<2x64xf32>) -> tensor<2x33768xf32> {
    %w = ane.const #ane.weight<"w.bin", 0, 8644608> : tensor<33768x64xf32>
    %b = ane.const #ane.weight<"w.bin", 8644608, 135072> : tensor<33768xf32>
    %0 = ane.linear %x, %w bias %b : (tensor<2x64xf32>, tensor<33768x64xf32>, tensor<33768xf32>) -> tensor<2x33768xf32>
    return %0 : tensor<2x33768xf32>
  }

  // Two parts of 16,384 would have 2 MiB for each core (C189).
  // CHECK-LABEL: func.func @slow
  // CHECK-COUNT-2: ane.linear {{.*}} -> tensor<2x10928xf32>
  // CHECK: ane.linear {{.*}} -> tensor<2x10912xf32>
  // CHECK: ane.concat
  func.func @slow(%x: tensor<2x1024xf32>) -> tensor<2x32768xf32> {
    %w = ane.const #ane.weight<"w.bin", 0, 134217728> : tensor<32768x1024xf32>
    %0 = ane.linear %x, %w : (tensor<2x1024xf32>, tensor<32768x1024xf32>) -> tensor<2x32768xf32>
    return %0 : tensor<2x32768xf32>
  }

  // The channels of a convolution are axis 1 of its result.
  // CHECK-LABEL: func.func @conv
  // CHECK-COUNT-2: ane.conv
  // CHECK-NOT: ane.conv
  // CHECK: ane.concat {{.*}}axis = 1
  func.func @conv(%x: tensor<1x16x8x8xf32>) -> tensor<1x32000x8x8xf32> {
    %w = ane.const #ane.weight<"w.bin", 0, 2048000> : tensor<32000x16x1x1xf32>
    %0 = ane.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pad = array<i64: 0, 0, 0, 0>, pad_type = "valid", strides = array<i64: 1, 1>} : (tensor<1x16x8x8xf32>, tensor<32000x16x1x1xf32>) -> tensor<1x32000x8x8xf32>
    return %0 : tensor<1x32000x8x8xf32>
  }

  // At the limit, on the CPU already, and with a weight that is known at run time only.
  // CHECK-LABEL: func.func @declines
  // CHECK-NOT: ane.concat
  // CHECK: return
  // HOST-LABEL: func.func @declines
  // HOST: ane.linear {{.*}}ane.host{{.*}}"asked for"
  // HOST-NOT: ane.host
  // HOST: return
  func.func @declines(%x: tensor<2x4xf32>, %v: tensor<33768x4xf32>) -> (tensor<2x31999xf32>, tensor<2x33768xf32>, tensor<2x33768xf32>) {
    %w = ane.const #ane.weight<"w.bin", 0, 511984> : tensor<31999x4xf32>
    %u = ane.const #ane.weight<"w.bin", 0, 540288> : tensor<33768x4xf32>
    %0 = ane.linear %x, %w : (tensor<2x4xf32>, tensor<31999x4xf32>) -> tensor<2x31999xf32>
    %1 = ane.linear %x, %u {ane.host = #ane.host<"C99", "asked for">} : (tensor<2x4xf32>, tensor<33768x4xf32>) -> tensor<2x33768xf32>
    %2 = ane.linear %x, %v : (tensor<2x4xf32>, tensor<33768x4xf32>) -> tensor<2x33768xf32>
    return %0, %1, %2 : tensor<2x31999xf32>, tensor<2x33768xf32>, tensor<2x33768xf32>
  }
}
