// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-narrow-masks))' | FileCheck %s

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  // The mask is computed on the CPU; scores of rows that absorb them are multiplied by 0. Two layers share both.
  // CHECK-LABEL: func.func @attention
  // CHECK: %[[M:.*]] = ane.mul %{{.*}} {ane.host = #ane.host<"C55", "computes a mask, of which programs take the differences in a row">}
  // CHECK: %[[N:.*]] = ane.narrow %[[M]] {axis = 3 : i64, because = "mask"}
  // CHECK: %[[TOP:.*]] = ane.reduce_max %[[M]] {ane.host = {{.*}}axes = array<i64: 3>, keep_dims = true}
  // CHECK: %[[COUNT:.*]] = ane.greater %[[TOP]], %{{.*}} {ane.host
  // CHECK: %[[ROWS:.*]] = ane.cast %[[COUNT]] {ane.host
  // CHECK: %[[Q:.*]] = ane.narrow %arg0, %[[ROWS]] {because = "masked_rows"}
  // CHECK: %[[A:.*]] = ane.scaled_dot_product_attention %[[Q]], %arg1, %arg1 mask %[[N]]
  // CHECK: %[[R:.*]] = ane.narrow %[[A]], %[[ROWS]] {because = "masked_rows"}
  // CHECK: ane.scaled_dot_product_attention %[[R]], %arg1, %arg1 mask %[[N]]
  func.func @attention(%q: tensor<1x2x8x16xf32>, %k: tensor<1x2x8x16xf32>, %m: tensor<1x1x1x8xf32>) -> tensor<1x2x8x16xf32> {
    %c = ane.const dense<-3.40282347E+38> : tensor<f32>
    %mask = ane.mul %m, %c : tensor<1x1x1x8xf32>, tensor<f32>
    %0 = ane.scaled_dot_product_attention %q, %k, %k mask %mask : (tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x1x1x8xf32>) -> tensor<1x2x8x16xf32>
    %1 = ane.scaled_dot_product_attention %0, %k, %k mask %mask : (tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x1x1x8xf32>) -> tensor<1x2x8x16xf32>
    return %1 : tensor<1x2x8x16xf32>
  }

  // No row of a causal mask is hidden as a whole. What is small is no mask.
  // CHECK-LABEL: func.func @constants
  // CHECK: %[[N:.*]] = ane.narrow %{{.*}} {axis = 1 : i64, because = "mask"} : (tensor<2x2xf32>)
  // CHECK: %[[BIAS:.*]] = ane.const dense<{{.*}}-1.600000e+01
  // CHECK-NOT: masked_rows
  // CHECK: ane.add %{{.*}}, %[[N]]
  // CHECK: ane.add %{{.*}}, %[[BIAS]]
  func.func @constants(%x: tensor<2x64xf32>, %w: tensor<64x2xf32>) -> tensor<2x2xf32> {
    %causal = ane.const dense<[[0.0, 0xFF800000], [0.0, 0.0]]> : tensor<2x2xf32>
    %bias = ane.const dense<[[0.0, -16.0], [1.0, 0.0]]> : tensor<2x2xf32>
    %s = ane.matmul %x, %w : (tensor<2x64xf32>, tensor<64x2xf32>) -> tensor<2x2xf32>
    %0 = ane.add %s, %causal : tensor<2x2xf32>, tensor<2x2xf32>
    %1 = ane.softmax %0 {axis = 1 : i64} : tensor<2x2xf32>
    %2 = ane.add %1, %bias : tensor<2x2xf32>, tensor<2x2xf32>
    %3 = ane.softmax %2 {axis = 1 : i64} : tensor<2x2xf32>
    return %3 : tensor<2x2xf32>
  }

  // A row without a place to attend to is one number throughout, which need not be -1e9; with -inf it is NaN, which a selection can't
  // give: it becomes an addend.
  // CHECK-LABEL: func.func @selections
  // CHECK: %[[MASK:.*]] = ane.select %arg2, %{{.*}}, %{{.*}} {ane.host
  // CHECK: %[[N:.*]] = ane.narrow %[[MASK]] {axis = 1 : i64, because = "mask"}
  // CHECK: %[[C:.*]] = ane.narrow %{{.*}} {because = "mask"} : (tensor<f32>)
  // CHECK: ane.select %arg2, %{{.*}}, %[[C]]
  // CHECK: ane.add %{{.*}}, %[[N]]
  func.func @selections(%x: tensor<2x64xf32>, %w: tensor<64x2xf32>, %b: tensor<2x2xi1>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
    %low = ane.const dense<-1.0e+09> : tensor<f32>
    %never = ane.const dense<0xFF800000> : tensor<f32>
    %s = ane.matmul %x, %w : (tensor<2x64xf32>, tensor<64x2xf32>) -> tensor<2x2xf32>
    %0 = ane.select %b, %s, %low : tensor<2x2xi1>, tensor<2x2xf32>, tensor<f32>
    %1 = ane.softmax %0 {axis = 1 : i64} : tensor<2x2xf32>
    %2 = ane.select %b, %s, %never : tensor<2x2xi1>, tensor<2x2xf32>, tensor<f32>
    %3 = ane.softmax %2 {axis = 1 : i64} : tensor<2x2xf32>
    return %1, %3 : tensor<2x2xf32>, tensor<2x2xf32>
  }

  // What depends on a product is computed by programs, as it was.
  // CHECK-LABEL: func.func @computed
  // CHECK-NOT: ane.narrow
  // CHECK: return
  func.func @computed(%x: tensor<2x64xf32>, %w: tensor<64x2xf32>) -> tensor<2x2xf32> {
    %c = ane.const dense<100.0> : tensor<f32>
    %s = ane.matmul %x, %w : (tensor<2x64xf32>, tensor<64x2xf32>) -> tensor<2x2xf32>
    %m = ane.mul %s, %c : tensor<2x2xf32>, tensor<f32>
    %0 = ane.add %s, %m : tensor<2x2xf32>, tensor<2x2xf32>
    %1 = ane.softmax %0 {axis = 1 : i64} : tensor<2x2xf32>
    return %1 : tensor<2x2xf32>
  }

  // A factor and a bound around the sum go to scores and mask.
  // CHECK-LABEL: func.func @around
  // CHECK: %[[F:.*]] = ane.mul %arg2, %{{.*}} {ane.host
  // CHECK: %[[M:.*]] = ane.maximum %[[F]], %{{.*}} {ane.host
  // CHECK: %[[N:.*]] = ane.narrow %[[M]] {axis = 1 : i64, because = "mask"}
  // CHECK: %[[S:.*]] = ane.linear
  // CHECK: %[[P:.*]] = ane.mul %[[S]], %{{.*}} : tensor<2x2xf32>
  // CHECK: %[[R:.*]] = ane.narrow %[[P]], %{{.*}} {because = "masked_rows"}
  // CHECK: %[[SUM:.*]] = ane.add %[[R]], %[[N]]
  // CHECK: ane.softmax %[[SUM]]
  func.func @around(%x: tensor<2x64xf32>, %w: tensor<2x64xf32>, %m: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %half = ane.const dense<0.5> : tensor<f32>
    %bound = ane.const dense<-3.40282347E+38> : tensor<f32>
    %s = ane.linear %x, %w : (tensor<2x64xf32>, tensor<2x64xf32>) -> tensor<2x2xf32>
    %0 = ane.add %s, %m : tensor<2x2xf32>, tensor<2x2xf32>
    %1 = ane.mul %0, %half : tensor<2x2xf32>, tensor<f32>
    %2 = ane.maximum %1, %bound : tensor<2x2xf32>, tensor<f32>
    %3 = ane.softmax %2 {axis = 1 : i64} : tensor<2x2xf32>
    return %3 : tensor<2x2xf32>
  }

  // A bound that scores reach, and a factor below 0, stay where they are.
  // CHECK-LABEL: func.func @reached
  // CHECK-NOT: ane.narrow
  // CHECK: return
  func.func @reached(%x: tensor<2x64xf32>, %w: tensor<2x64xf32>, %m: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
    %minus = ane.const dense<-1.0> : tensor<f32>
    %bound = ane.const dense<-1.0e+04> : tensor<f32>
    %s = ane.linear %x, %w : (tensor<2x64xf32>, tensor<2x64xf32>) -> tensor<2x2xf32>
    %0 = ane.add %s, %m : tensor<2x2xf32>, tensor<2x2xf32>
    %1 = ane.mul %0, %minus : tensor<2x2xf32>, tensor<f32>
    %2 = ane.softmax %1 {axis = 1 : i64} : tensor<2x2xf32>
    %3 = ane.maximum %s, %bound : tensor<2x2xf32>, tensor<f32>
    %4 = ane.add %3, %m : tensor<2x2xf32>, tensor<2x2xf32>
    %5 = ane.maximum %4, %bound : tensor<2x2xf32>, tensor<f32>
    %6 = ane.softmax %5 {axis = 1 : i64} : tensor<2x2xf32>
    return %2, %6 : tensor<2x2xf32>, tensor<2x2xf32>
  }

  // Layers share one addend of a bool mask; a mask of one number has no rows.
  // CHECK-LABEL: func.func @bools
  // CHECK-COUNT-1: ane.select
  // CHECK-NOT: ane.select
  // CHECK: ane.scaled_dot_product_attention %{{.*}} mask %[[N:.*]] :
  // CHECK: ane.scaled_dot_product_attention %{{.*}} mask %[[N]] :
  // CHECK: ane.scaled_dot_product_attention %{{.*}} mask %arg2 :
  func.func @bools(%q: tensor<1x2x8x16xf32>, %b: tensor<1x1x1x8xi1>, %s: tensor<f32>) -> tensor<1x2x8x16xf32> {
    %0 = ane.scaled_dot_product_attention %q, %q, %q mask %b : (tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x1x1x8xi1>) -> tensor<1x2x8x16xf32>
    %1 = ane.scaled_dot_product_attention %0, %q, %q mask %b : (tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x1x1x8xi1>) -> tensor<1x2x8x16xf32>
    %2 = ane.scaled_dot_product_attention %1, %q, %q mask %s : (tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<1x2x8x16xf32>, tensor<f32>) -> tensor<1x2x8x16xf32>
    return %2 : tensor<1x2x8x16xf32>
  }
}
