// The argument names and spellings of one op of each family.
// RUN: ane-translate --ane-to-mil %s | FileCheck %s
// What was written is read, and written again to the same text.
// RUN: ane-translate --ane-to-mil %s -o %t.1.mil
// RUN: ane-translate --mil-to-ane %t.1.mil -o %t.mlir
// RUN: ane-translate --ane-to-mil %t.mlir -o %t.2.mil
// RUN: cmp %t.1.mil %t.2.mil
// The 1.3 spelling says the same.
// RUN: sed -e 's/ane.mil_version = "1.0"/ane.mil_version = "1.3"/' %t.mlir > %t.short.mlir
// RUN: ane-translate --ane-to-mil %t.short.mlir -o %t.short.mil
// RUN: FileCheck --check-prefix=SHORT %s < %t.short.mil
// RUN: ane-translate --mil-to-ane %t.short.mil | ane-translate --ane-to-mil | cmp - %t.short.mil

// SHORT: program(1.3)
// SHORT-NOT: []>
// SHORT: string mode_0 = const()[name = string("mode_0"), val = string("TANH_APPROXIMATION")];

module {
  func.func @main(%x: tensor<1x8x4x32xf16>, %y: tensor<1x8x4x32xf16>, %i: tensor<1x3xi32>) -> tensor<1x8x4x32xf16> attributes {ane.opset = "ios18"} {
    // Unary and binary; the default epsilon of rsqrt is less than half the smallest fp16.
    // CHECK: val = tensor<fp16, []>(0x0p+0)
    // CHECK-NEXT: rsqrt(epsilon = epsilon_0, x = in_0)
    %rsqrt = ane.rsqrt %x : tensor<1x8x4x32xf16>
    // CHECK: val = tensor<fp16, []>(0x1.8p+1)
    // CHECK: clip(alpha = alpha_0, beta = beta_0, x = rsqrt_0)
    %clip = ane.clip %rsqrt {alpha = -1.0 : f64, beta = 3.0 : f64} : tensor<1x8x4x32xf16>
    // CHECK: maximum(x = clip_0, y = in_1)
    %max = ane.maximum %clip, %y : tensor<1x8x4x32xf16>, tensor<1x8x4x32xf16>
    // CHECK: tensor<bool, [1, 8, 4, 32]> less_0 = less(x = maximum_0, y = in_1)
    %less = ane.less %max, %y : tensor<1x8x4x32xf16>, tensor<1x8x4x32xf16>
    // CHECK: select(a = maximum_0, b = in_1, cond = less_0)
    %select = ane.select %less, %max, %y : tensor<1x8x4x32xi1>, tensor<1x8x4x32xf16>, tensor<1x8x4x32xf16>
    // CHECK: tensor<string, []> mode_0 = const()[name = tensor<string, []>("mode_0"), val = tensor<string, []>("TANH_APPROXIMATION")];
    // CHECK-NEXT: gelu(mode = mode_0, x = select_0)
    %gelu = ane.gelu %select {mode = "TANH_APPROXIMATION"} : tensor<1x8x4x32xf16>
    // CHECK: tensor<int32, [2]> axes_0 = const()[name = tensor<string, []>("axes_0"), val = tensor<int32, [2]>([1, -1])];
    // CHECK: reduce_sum(axes = axes_0, keep_dims = keep_dims_0, x = gelu_0)
    %sum = ane.reduce_sum %gelu {axes = array<i64: 1, -1>, keep_dims = true} : (tensor<1x8x4x32xf16>) -> tensor<1x1x4x1xf16>
    // Optional arguments that are absent are left out.
    // CHECK: reduce_max(keep_dims = keep_dims_0, x = reduce_sum_0)
    %rmax = ane.reduce_max %sum {keep_dims = true} : (tensor<1x1x4x1xf16>) -> tensor<1x1x1x1xf16>
    // CHECK: matmul(transpose_x = transpose_x_0, transpose_y = keep_dims_0, x = in_0, y = in_1)
    %mm = ane.matmul %x, %y {transpose_y = true} : (tensor<1x8x4x32xf16>, tensor<1x8x4x32xf16>) -> tensor<1x8x4x4xf16>
    %gamma = ane.const {ane.name = "gamma"} dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf16>
    // Gamma alone, beta alone: the argument is told apart by name.
    // CHECK: layer_norm(axes = {{[a-z_0-9]+}}, epsilon = {{[a-z_0-9]+}}, gamma = gamma, x = matmul_0)
    %ln = ane.layer_norm %mm gamma %gamma {axes = array<i64: 3>} : (tensor<1x8x4x4xf16>, tensor<4xf16>) -> tensor<1x8x4x4xf16>
    // CHECK: layer_norm(axes = {{[a-z_0-9]+}}, beta = gamma, epsilon = {{[a-z_0-9]+}}, x = layer_norm_0)
    %ln2 = ane.layer_norm %ln beta %gamma {axes = array<i64: 3>} : (tensor<1x8x4x4xf16>, tensor<4xf16>) -> tensor<1x8x4x4xf16>
    // CHECK: val = tensor<bool, [4]>([true, true, true, false])
    // CHECK: slice_by_index(begin = {{[a-z_0-9]+}}, begin_mask = {{[a-z_0-9]+}}, end = {{[a-z_0-9]+}}, x = layer_norm_1)
    %slice = ane.slice_by_index %ln2 {begin = array<i64: 0, 0, 0, 1>, end = array<i64: 1, 8, 4, 4>, begin_mask = array<i1: true, true, true, false>} : (tensor<1x8x4x4xf16>) -> tensor<1x8x4x3xf16>
    %table = ane.const {ane.name = "table"} dense<[1.0, 2.0]> : tensor<2xf16>
    // CHECK: gather(axis = {{[a-z_0-9]+}}, batch_dims = {{[a-z_0-9]+}}, indices = in_2, validate_indices = transpose_x_0, x = table)
    %g = ane.gather %table, %i : (tensor<2xf16>, tensor<1x3xi32>) -> tensor<1x3xf16>
    // CHECK: tensor<int32, [1, 3]> cast_0 = cast(dtype = dtype_0, x = gather_0)
    %cast = ane.cast %g {dtype = "int32"} : (tensor<1x3xf16>) -> tensor<1x3xi32>
    // CHECK: pad(constant_val = {{[a-z_0-9]+}}, mode = {{[a-z_0-9]+}}, pad = {{[a-z_0-9]+}}, x = slice_by_index_0)
    %pad = ane.pad %slice {pad = array<i64: 0, 29>} : (tensor<1x8x4x3xf16>) -> tensor<1x8x4x32xf16>
    return %pad : tensor<1x8x4x32xf16>
  }
}
