// Values of ops on small constants: one evaluator for the dialect and the importers.
// RUN: ane-opt %s -canonicalize -split-input-file | FileCheck %s

// What PyTorch exports for x.view(x.shape[0], -1, 4): shape, gather, arithmetic, concat.
// CHECK-LABEL: @exported_shape
// CHECK-NEXT: %[[C:.*]] = ane.const dense<[2, 12, 4]> : tensor<3xi64>
// CHECK-NEXT: return %[[C]]
func.func @exported_shape(%x: tensor<2x6x8xf32>) -> tensor<3xi64> {
  %zero = ane.const dense<0> : tensor<i64>
  %six = ane.const dense<[1]> : tensor<1xi64>
  %four = ane.const dense<[4]> : tensor<1xi64>
  %two = ane.const dense<2> : tensor<i64>
  %0 = ane.shape %x : (tensor<2x6x8xf32>) -> tensor<3xi32>
  %1 = ane.cast %0 {dtype = "int64"} : (tensor<3xi32>) -> tensor<3xi64>
  %2 = ane.gather %1, %zero : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
  %3 = ane.expand_dims %2 {axes = array<i64: 0>} : (tensor<i64>) -> tensor<1xi64>
  %4 = ane.gather %1, %six : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
  %5 = ane.mul %4, %two : tensor<1xi64>, tensor<i64>
  %6 = ane.concat %3, %5, %four {axis = 0} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  return %6 : tensor<3xi64>
}

// -----

// CHECK-LABEL: @integers
// CHECK-DAG: dense<[6, 1, 3]>
// CHECK-DAG: dense<[8, -11, 1]>
// CHECK-DAG: dense<[-7, -30, 2]>
// CHECK-DAG: dense<[-7, 0, 2]>
// CHECK-DAG: dense<[-7, -1, 2]>
// CHECK-DAG: dense<[0, 1, 0]>
// CHECK-DAG: dense<[7, 6, 2]>
// CHECK-DAG: dense<[7, 0, 2]>
// CHECK-NOT: ane.{{[a-b,d-z]}}
func.func @integers() -> (tensor<3xi64>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) {
  %x = ane.const dense<[7, -5, 2]> : tensor<3xi64>
  %y = ane.const dense<[-1, 6, 1]> : tensor<3xi64>
  %b = ane.const dense<[true, false, true]> : tensor<3xi1>
  %zero = ane.const dense<0> : tensor<i64>
  %0 = ane.add %x, %y : tensor<3xi64>, tensor<3xi64>
  %1 = ane.sub %x, %y : tensor<3xi64>, tensor<3xi64>
  %2 = ane.mul %x, %y : tensor<3xi64>, tensor<3xi64>
  %3 = ane.real_div %x, %y : tensor<3xi64>, tensor<3xi64>
  %4 = ane.floor_div %x, %y : tensor<3xi64>, tensor<3xi64>
  %5 = ane.mod %x, %y : tensor<3xi64>, tensor<3xi64>
  %6 = ane.maximum %x, %y : tensor<3xi64>, tensor<3xi64>
  %7 = ane.select %b, %x, %zero : tensor<3xi1>, tensor<3xi64>, tensor<i64>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<3xi64>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>
}

// -----

// What has no finite value in its type is left as it is. All else is what kernels make of it: arithmetic and casts of integers keep the low
// bits, a divisor 0 counts as 1, and an index beyond the end is at the end.
// CHECK-LABEL: @no_value
// CHECK-DAG: %[[END:.*]] = ane.const dense<1> : tensor<1xi64>
// CHECK-DAG: %[[SUM:.*]] = ane.const dense<[-2, 2]> : tensor<2xi64>
// CHECK-DAG: %[[QUOTIENT:.*]] = ane.const dense<[9223372036854775807, 1]> : tensor<2xi64>
// CHECK-DAG: %[[BYTES:.*]] = ane.const dense<[-1, 1]> : tensor<2xi8>
// CHECK: %[[HALF:.*]] = ane.cast %{{.*}} {dtype = "fp16"}
// CHECK-NEXT: return %[[SUM]], %[[QUOTIENT]], %[[BYTES]], %[[HALF]], %[[END]]
func.func @no_value() -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi8>, tensor<2xf16>, tensor<1xi64>) {
  %max = ane.const dense<[9223372036854775807, 1]> : tensor<2xi64>
  %zero = ane.const dense<[1, 0]> : tensor<2xi64>
  %mask = ane.const dense<[-3.4e38, 0.0]> : tensor<2xf32>
  %three = ane.const dense<[3]> : tensor<1xi64>
  %0 = ane.add %max, %max : tensor<2xi64>, tensor<2xi64>
  %1 = ane.floor_div %max, %zero : tensor<2xi64>, tensor<2xi64>
  %2 = ane.cast %max {dtype = "int8"} : (tensor<2xi64>) -> tensor<2xi8>
  %3 = ane.cast %mask {dtype = "fp16"} : (tensor<2xf32>) -> tensor<2xf16>
  %4 = ane.gather %max, %three : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
  return %0, %1, %2, %3, %4 : tensor<2xi64>, tensor<2xi64>, tensor<2xi8>, tensor<2xf16>, tensor<1xi64>
}

// -----

// Each operation rounds once, to its type: 0.1 + 0.2 in f32, and a division. In f16 the sum would round, which kernels don't in between.
// CHECK-LABEL: @floats
// CHECK-DAG: ane.const dense<3.000000e-01> : tensor<1xf32>
// CHECK-DAG: ane.const dense<[0x7FC00000, 0x7F800000]> : tensor<2xf32>
// CHECK-DAG: ane.const dense<[2.000000e+00, -2.000000e+00]> : tensor<2xf32>
// CHECK-DAG: ane.const dense<16777216> : tensor<1xi64>
// CHECK: ane.add %{{.*}} : tensor<1xf16>
func.func @floats() -> (tensor<1xf32>, tensor<1xf16>, tensor<2xf32>, tensor<2xf32>, tensor<1xi64>) {
  %x = ane.const dense<[0.1]> : tensor<1xf32>
  %y = ane.const dense<[0.2]> : tensor<1xf32>
  %xh = ane.const dense<[0.1]> : tensor<1xf16>
  %yh = ane.const dense<[0.2]> : tensor<1xf16>
  %n = ane.const dense<[0.0, 1.0]> : tensor<2xf32>
  %z = ane.const dense<[0.0, 0.0]> : tensor<2xf32>
  %h = ane.const dense<[2.5, -1.5]> : tensor<2xf32>
  %big = ane.const dense<[16777217]> : tensor<1xi64>
  %0 = ane.add %x, %y : tensor<1xf32>, tensor<1xf32>
  %1 = ane.add %xh, %yh : tensor<1xf16>, tensor<1xf16>
  %2 = ane.real_div %n, %z : tensor<2xf32>, tensor<2xf32>
  %3 = ane.round %h : tensor<2xf32>
  %4 = ane.cast %big {dtype = "fp32"} : (tensor<1xi64>) -> tensor<1xf32>
  %5 = ane.cast %4 {dtype = "int64"} : (tensor<1xf32>) -> tensor<1xi64>
  return %0, %1, %2, %3, %5 : tensor<1xf32>, tensor<1xf16>, tensor<2xf32>, tensor<2xf32>, tensor<1xi64>
}

// -----

// CHECK-LABEL: @compare
// CHECK-DAG: ane.const dense<[false, true, false]>
// CHECK-DAG: ane.const dense<[true, false, true]>
// CHECK-DAG: ane.const dense<[true, false, false]>
// CHECK-DAG: ane.const dense<[false, false, true]>
// NaN differs from itself, and is in no order.
// CHECK-DAG: ane.const dense<true> : tensor<1xi1>
// CHECK-DAG: ane.const dense<false> : tensor<1xi1>
func.func @compare() -> (tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<1xi1>, tensor<1xi1>) {
  %x = ane.const dense<[1, 2, 3]> : tensor<3xi32>
  %two = ane.const dense<2> : tensor<i32>
  %nan = ane.const dense<[0x7FC00000]> : tensor<1xf32>
  %0 = ane.equal %x, %two : tensor<3xi32>, tensor<i32>
  %1 = ane.not_equal %x, %two : tensor<3xi32>, tensor<i32>
  %2 = ane.less %x, %two : tensor<3xi32>, tensor<i32>
  %3 = ane.greater %x, %two : tensor<3xi32>, tensor<i32>
  %4 = ane.not_equal %nan, %nan : tensor<1xf32>, tensor<1xf32>
  %5 = ane.less_equal %nan, %nan : tensor<1xf32>, tensor<1xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<1xi1>, tensor<1xi1>
}

// -----

// CHECK-LABEL: @movement
// CHECK-SAME: ()
// CHECK-DAG: dense<{{\[}}[1, 4], [2, 5], [3, 6]]>
// CHECK-DAG: dense<[1, 2, 3, 4, 5, 6]>
// CHECK-DAG: dense<{{\[}}[3, 1], [6, 4]]>
// CHECK-DAG: dense<{{\[}}[2, 3], [5, 6]]>
// CHECK-DAG: dense<{{\[}}[4, 5, 6], [1, 2, 3]]>
// CHECK-DAG: dense<{{\[}}[1, 2, 3, 1, 2, 3], [4, 5, 6, 4, 5, 6]]>
// CHECK-DAG: dense<{{\[}}[9, 1, 2, 3], [9, 4, 5, 6]]>
// CHECK-DAG: dense<{{\[}}[1, 0, 0], [4, 5, 0]]>
// CHECK-NOT: ane.{{[a-b,d-z]}}
func.func @movement() -> (tensor<3x2xi32>, tensor<6xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x3xi32>, tensor<2x6xi32>, tensor<2x4xi32>, tensor<2x3xi32>) {
  %x = ane.const dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %0 = ane.transpose %x {perm = array<i64: 1, 0>} : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %1 = ane.reshape %x {shape = array<i64: -1>} : (tensor<2x3xi32>) -> tensor<6xi32>
  %2 = ane.slice_by_index %x {begin = array<i64: 0, -1>, end = array<i64: 2, 0>, end_mask = array<i1: false, true>, stride = array<i64: 1, -2>} : (tensor<2x3xi32>) -> tensor<2x2xi32>
  %3 = ane.slice_by_size %x {begin = array<i64: 0, 1>, size = array<i64: 2, 2>} : (tensor<2x3xi32>) -> tensor<2x2xi32>
  %4 = ane.reverse %x {axes = array<i64: 0>} : tensor<2x3xi32>
  %5 = ane.tile %x {reps = array<i64: 1, 2>} : (tensor<2x3xi32>) -> tensor<2x6xi32>
  %6 = ane.pad %x {pad = array<i64: 1, 0>, constant_val = 9.0} : (tensor<2x3xi32>) -> tensor<2x4xi32>
  %7 = ane.band_part %x {upper = 0} : tensor<2x3xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<3x2xi32>, tensor<6xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x3xi32>, tensor<2x6xi32>, tensor<2x4xi32>, tensor<2x3xi32>
}

// -----

// CHECK-LABEL: @indexing
// CHECK-DAG: dense<{{\[\[}}[1, 3], [3, 2]], {{\[}}[4, 6], [6, 5]]]>
// CHECK-DAG: dense<{{\[}}[2, 1], [6, 4]]>
// CHECK-DAG: dense<{{\[}}[3, 2], [4, 4]]>
// CHECK-DAG: dense<{{\[}}[0, 5, 0], [0, 0, 5]]>
// CHECK-DAG: dense<[1, 4, 7]>
// CHECK-DAG: dense<{{\[}}[1, 2, 3], [1, 2, 3]]>
// CHECK-DAG: dense<[1, 1, 2, 2, 3, 3]>
func.func @indexing() -> (tensor<2x2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x3xi32>, tensor<3xi32>, tensor<2x3xi32>, tensor<6xi32>) {
  %x = ane.const dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %v = ane.const dense<[1, 2, 3]> : tensor<3xi32>
  %i = ane.const dense<[[0, 2], [2, 1]]> : tensor<2x2xi64>
  %a = ane.const dense<[[1, 0], [2, 0]]> : tensor<2x2xi64>
  %b = ane.const dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>
  %h = ane.const dense<[1, 2]> : tensor<2xi64>
  %five = ane.const dense<5> : tensor<i32>
  %zero = ane.const dense<0> : tensor<i32>
  %end = ane.const dense<8> : tensor<i32>
  %start = ane.const dense<1> : tensor<i32>
  %step = ane.const dense<3> : tensor<i32>
  %0 = ane.gather %x, %i {axis = 1} : (tensor<2x3xi32>, tensor<2x2xi64>) -> tensor<2x2x2xi32>
  %1 = ane.gather %x, %a {axis = 1, batch_dims = 1} : (tensor<2x3xi32>, tensor<2x2xi64>) -> tensor<2x2xi32>
  %2 = ane.gather_along_axis %x, %b {axis = 1} : (tensor<2x3xi32>, tensor<2x2xi64>) -> tensor<2x2xi32>
  %3 = ane.one_hot %h on %five off %zero {one_hot_vector_size = 3} : (tensor<2xi64>, tensor<i32>, tensor<i32>) -> tensor<2x3xi32>
  %4 = ane.range_1d %end, %start, %step : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3xi32>
  %5 = ane.stack %v, %v {axis = 0} : (tensor<3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %6 = ane.concat %v, %v {axis = 0, interleave = true} : (tensor<3xi32>, tensor<3xi32>) -> tensor<6xi32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<2x2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x3xi32>, tensor<3xi32>, tensor<2x3xi32>, tensor<6xi32>
}

// -----

// CHECK-LABEL: @float_range
// CHECK: dense<[1.500000e+00, 1.750000e+00, 2.000000e+00]>
func.func @float_range() -> tensor<3xf32> {
  %end = ane.const dense<2.25> : tensor<f32>
  %start = ane.const dense<1.5> : tensor<f32>
  %step = ane.const dense<0.25> : tensor<f32>
  %0 = ane.range_1d %end, %start, %step : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// CHECK-LABEL: @reductions
// CHECK-DAG: dense<[5, 7, 9]>
// CHECK-DAG: dense<{{\[}}[6], [120]]>
// CHECK-DAG: dense<6> : tensor<i32>
// CHECK-DAG: dense<{{\[}}[0, 1, 3], [0, 4, 9]]>
// CHECK-DAG: dense<{{\[}}[6, 5, 3], [15, 11, 6]]>
// CHECK-DAG: dense<[1, 4]>
// CHECK-DAG: dense<{{\[}}[2, 3], [5, 6]]>
func.func @reductions() -> (tensor<3xi32>, tensor<2x1xi32>, tensor<i32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2xi32>, tensor<2x2xi32>) {
  %x = ane.const dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %0 = ane.reduce_sum %x {axes = array<i64: 0>} : (tensor<2x3xi32>) -> tensor<3xi32>
  %1 = ane.reduce_prod %x {axes = array<i64: -1>, keep_dims = true} : (tensor<2x3xi32>) -> tensor<2x1xi32>
  %2 = ane.reduce_max %x : (tensor<2x3xi32>) -> tensor<i32>
  %3 = ane.cumsum %x {axis = 1, exclusive = true} : tensor<2x3xi32>
  %4 = ane.cumsum %x {axis = 1, reverse = true} : tensor<2x3xi32>
  %5:2 = ane.split %x {axis = 1, split_sizes = array<i64: 1, 2>} : (tensor<2x3xi32>) -> (tensor<2x1xi32>, tensor<2x2xi32>)
  %6 = ane.squeeze %5#0 : (tensor<2x1xi32>) -> tensor<2xi32>
  return %0, %1, %2, %3, %4, %6, %5#1 : tensor<3xi32>, tensor<2x1xi32>, tensor<i32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2xi32>, tensor<2x2xi32>
}

// -----

// A splat takes the room of one element, so its size doesn't matter.
// CHECK-LABEL: @splats
// CHECK-NEXT: %[[C:.*]] = ane.const dense<3.000000e+00> : tensor<4096x1024xf32>
// CHECK-NEXT: return %[[C]]
func.func @splats() -> tensor<4096x1024xf32> {
  %x = ane.const dense<1.0> : tensor<f32>
  %y = ane.const dense<2.0> : tensor<1024xf32>
  %0 = ane.fill %x {shape = array<i64: 1024, 4096>} : (tensor<f32>) -> tensor<1024x4096xf32>
  %1 = ane.transpose %0 {perm = array<i64: 1, 0>} : (tensor<1024x4096xf32>) -> tensor<4096x1024xf32>
  %2 = ane.add %1, %y : tensor<4096x1024xf32>, tensor<1024xf32>
  return %2 : tensor<4096x1024xf32>
}

// -----

// Weights and large results stay ops.
// CHECK-LABEL: @large
// CHECK: ane.transpose
// CHECK: ane.tile
func.func @large() -> (tensor<3x2xf32>, tensor<600x2xi32>) {
  %w = ane.const #ane.weight<"model.onnx", 0, 24> : tensor<2x3xf32>
  %x = ane.const dense<[[1, 2]]> : tensor<1x2xi32>
  %0 = ane.transpose %w {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = ane.tile %x {reps = array<i64: 600, 1>} : (tensor<1x2xi32>) -> tensor<600x2xi32>
  return %0, %1 : tensor<3x2xf32>, tensor<600x2xi32>
}

// -----

// CHECK-LABEL: @empty
// CHECK: ane.const dense<> : tensor<0xi64>
// CHECK: ane.const dense<[4, 5]> : tensor<2xi64>
func.func @empty() -> (tensor<0xi64>, tensor<2xi64>) {
  %x = ane.const dense<[4, 5]> : tensor<2xi64>
  %0 = ane.slice_by_index %x {begin = array<i64: 2>, end = array<i64: 2>} : (tensor<2xi64>) -> tensor<0xi64>
  %1 = ane.concat %0, %x {axis = 0} : (tensor<0xi64>, tensor<2xi64>) -> tensor<2xi64>
  return %0, %1 : tensor<0xi64>, tensor<2xi64>
}

// -----

// Tensors of equal elements, and of one element: what BERT's token types are gathered from.
// CHECK-LABEL: @gather_from_splat
// CHECK-DAG: ane.const dense<0> : tensor<1x4xi64>
// CHECK-DAG: ane.const dense<7> : tensor<2x1xi64>
// CHECK-NOT: ane.gather
func.func @gather_from_splat() -> (tensor<1x4xi64>, tensor<2x1xi64>) {
  %zeros = ane.const dense<0> : tensor<1x512xi64>
  %one = ane.const dense<7> : tensor<1x1xi64>
  %positions = ane.const dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>
  %again = ane.const dense<0> : tensor<2xi64>
  %0 = ane.gather_along_axis %zeros, %positions {axis = 1} : (tensor<1x512xi64>, tensor<1x4xi64>) -> tensor<1x4xi64>
  %1 = ane.gather %one, %again {axis = 0} : (tensor<1x1xi64>, tensor<2xi64>) -> tensor<2x1xi64>
  return %0, %1 : tensor<1x4xi64>, tensor<2x1xi64>
}

// -----

// What buckets of relative positions and rotary tables are computed with.
// CHECK-LABEL: @functions
// CHECK-DAG: ane.const dense<[0.000000e+00, 0.693147182]> : tensor<2xf32>
// CHECK-DAG: ane.const dense<[2.71828175, 7.3890562]> : tensor<2xf32>
// CHECK-DAG: ane.const dense<[0.540302277, -0.416146845]> : tensor<2xf32>
// CHECK-DAG: ane.const dense<[1.000000e+00, 8.000000e+00]> : tensor<2xf32>
// CHECK-DAG: ane.const dense<[1.500000e+00, 2.000000e+00]> : tensor<2xf32>
func.func @functions() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %x = ane.const dense<[1.0, 2.0]> : tensor<2xf32>
  %three = ane.const dense<3.0> : tensor<f32>
  %bound = ane.const dense<1.5> : tensor<f32>
  %0 = ane.log %x {epsilon = 0.0} : tensor<2xf32>
  %1 = ane.exp %x : tensor<2xf32>
  %2 = ane.cos %x : tensor<2xf32>
  %3 = ane.pow %x, %three : tensor<2xf32>, tensor<f32>
  %4 = ane.maximum %x, %bound : tensor<2xf32>, tensor<f32>
  return %0, %1, %2, %3, %4 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
