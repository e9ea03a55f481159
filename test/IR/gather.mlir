// Round trip: indexing and ordering.
// RUN: ane-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @gather(
// CHECK: ane.gather %{{.*}}, %{{.*}} {axis = 1 : i64} : (tensor<2x3x4xf16>, tensor<5x2xi64>) -> tensor<2x5x2x4xf16>
func.func @gather(%x: tensor<2x3x4xf16>, %i: tensor<5x2xi64>) -> tensor<2x5x2x4xf16> {
  %0 = ane.gather %x, %i {axis = 1} : (tensor<2x3x4xf16>, tensor<5x2xi64>) -> tensor<2x5x2x4xf16>
  return %0 : tensor<2x5x2x4xf16>
}

// CHECK-LABEL: @gather_batch(
// CHECK: ane.gather %{{.*}}, %{{.*}} {axis = 2 : i64, batch_dims = 1 : i64} : (tensor<2x3x4xf16>, tensor<2x5xi32>) -> tensor<2x3x5xf16>
func.func @gather_batch(%x: tensor<2x3x4xf16>, %i: tensor<2x5xi32>) -> tensor<2x3x5xf16> {
  %0 = ane.gather %x, %i {axis = 2, batch_dims = 1} : (tensor<2x3x4xf16>, tensor<2x5xi32>) -> tensor<2x3x5xf16>
  return %0 : tensor<2x3x5xf16>
}

// CHECK-LABEL: @gather_scalar(
// CHECK: ane.gather %{{.*}}, %{{.*}} : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
func.func @gather_scalar(%x: tensor<3xi64>, %i: tensor<i64>) -> tensor<i64> {
  %0 = ane.gather %x, %i : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
  return %0 : tensor<i64>
}

// CHECK-LABEL: @gather_along_axis(
// CHECK: ane.gather_along_axis %{{.*}}, %{{.*}} {axis = 1 : i64} : (tensor<2x3x4xf16>, tensor<2x7x4xi32>) -> tensor<2x7x4xf16>
func.func @gather_along_axis(%x: tensor<2x3x4xf16>, %i: tensor<2x7x4xi32>) -> tensor<2x7x4xf16> {
  %0 = ane.gather_along_axis %x, %i {axis = 1} : (tensor<2x3x4xf16>, tensor<2x7x4xi32>) -> tensor<2x7x4xf16>
  return %0 : tensor<2x7x4xf16>
}

// CHECK-LABEL: @gather_nd(
// CHECK: ane.gather_nd %{{.*}}, %{{.*}} {validate_indices = true} : (tensor<2x3x4xf16>, tensor<5x2xi64>) -> tensor<5x4xf16>
func.func @gather_nd(%x: tensor<2x3x4xf16>, %i: tensor<5x2xi64>) -> tensor<5x4xf16> {
  %0 = ane.gather_nd %x, %i {validate_indices = true} : (tensor<2x3x4xf16>, tensor<5x2xi64>) -> tensor<5x4xf16>
  return %0 : tensor<5x4xf16>
}

// CHECK-LABEL: @gather_nd_batch(
// CHECK: ane.gather_nd %{{.*}}, %{{.*}} {batch_dims = 1 : i64} : (tensor<2x3x4xf16>, tensor<2x5x1xi32>) -> tensor<2x5x4xf16>
func.func @gather_nd_batch(%x: tensor<2x3x4xf16>, %i: tensor<2x5x1xi32>) -> tensor<2x5x4xf16> {
  %0 = ane.gather_nd %x, %i {batch_dims = 1} : (tensor<2x3x4xf16>, tensor<2x5x1xi32>) -> tensor<2x5x4xf16>
  return %0 : tensor<2x5x4xf16>
}

// CHECK-LABEL: @scatter(
// CHECK: ane.scatter %{{.*}}, %{{.*}}, %{{.*}} {axis = 1 : i64, mode = "update"} : tensor<2x3x4xf16>, tensor<5xi32>, tensor<2x5x4xf16>
func.func @scatter(%x: tensor<2x3x4xf16>, %i: tensor<5xi32>, %u: tensor<2x5x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.scatter %x, %i, %u {axis = 1, mode = "update"} : tensor<2x3x4xf16>, tensor<5xi32>, tensor<2x5x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @scatter_along_axis(
// CHECK: ane.scatter_along_axis %{{.*}}, %{{.*}}, %{{.*}} {axis = 1 : i64} : tensor<2x3x4xf16>, tensor<2x5x4xi32>, tensor<2x5x4xf16>
func.func @scatter_along_axis(%x: tensor<2x3x4xf16>, %i: tensor<2x5x4xi32>, %u: tensor<2x5x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.scatter_along_axis %x, %i, %u {axis = 1} : tensor<2x3x4xf16>, tensor<2x5x4xi32>, tensor<2x5x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @scatter_nd(
// CHECK: ane.scatter_nd %{{.*}}, %{{.*}}, %{{.*}} {mode = "max"} : tensor<2x3x4xf16>, tensor<5x2xi32>, tensor<5x4xf16>
func.func @scatter_nd(%x: tensor<2x3x4xf16>, %i: tensor<5x2xi32>, %u: tensor<5x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.scatter_nd %x, %i, %u {mode = "max"} : tensor<2x3x4xf16>, tensor<5x2xi32>, tensor<5x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @one_hot(
// CHECK: ane.one_hot %{{.*}} {axis = 1 : i64, one_hot_vector_size = 7 : i64} : (tensor<5x2xi64>) -> tensor<5x7x2xi32>
func.func @one_hot(%i: tensor<5x2xi64>) -> tensor<5x7x2xi32> {
  %0 = ane.one_hot %i {axis = 1, one_hot_vector_size = 7} : (tensor<5x2xi64>) -> tensor<5x7x2xi32>
  return %0 : tensor<5x7x2xi32>
}

// CHECK-LABEL: @one_hot_values(
// CHECK: ane.one_hot %{{.*}} on %{{.*}} off %{{.*}} {one_hot_vector_size = 7 : i64} : (tensor<5x2xi64>, tensor<f16>, tensor<f16>) -> tensor<5x2x7xf16>
func.func @one_hot_values(%i: tensor<5x2xi64>, %a: tensor<f16>, %b: tensor<f16>) -> tensor<5x2x7xf16> {
  %0 = ane.one_hot %i on %a off %b {one_hot_vector_size = 7} : (tensor<5x2xi64>, tensor<f16>, tensor<f16>) -> tensor<5x2x7xf16>
  return %0 : tensor<5x2x7xf16>
}

// CHECK-LABEL: @topk(
// CHECK: ane.topk %{{.*}} {axis = 1 : i64, k = 2 : i64} : (tensor<2x3x4xf16>) -> (tensor<2x2x4xf16>, tensor<2x2x4xi32>)
func.func @topk(%x: tensor<2x3x4xf16>) -> (tensor<2x2x4xf16>, tensor<2x2x4xi32>) {
  %0:2 = ane.topk %x {axis = 1, k = 2} : (tensor<2x3x4xf16>) -> (tensor<2x2x4xf16>, tensor<2x2x4xi32>)
  return %0#0, %0#1 : tensor<2x2x4xf16>, tensor<2x2x4xi32>
}

// CHECK-LABEL: @topk_values(
// CHECK: ane.topk %{{.*}} {ascending = true, k = 2 : i64, return_indices = false, sort = false} : (tensor<2x3x4xf16>) -> tensor<2x3x2xf16>
func.func @topk_values(%x: tensor<2x3x4xf16>) -> tensor<2x3x2xf16> {
  %0 = ane.topk %x {ascending = true, k = 2, return_indices = false, sort = false} : (tensor<2x3x4xf16>) -> tensor<2x3x2xf16>
  return %0 : tensor<2x3x2xf16>
}

// CHECK-LABEL: @topk_dtype(
// CHECK: ane.topk %{{.*}} {output_indices_dtype = "uint16"} : (tensor<2x3x4xf16>) -> (tensor<2x3x1xf16>, tensor<2x3x1xui16>)
func.func @topk_dtype(%x: tensor<2x3x4xf16>) -> (tensor<2x3x1xf16>, tensor<2x3x1xui16>) {
  %0:2 = ane.topk %x {output_indices_dtype = "uint16"} : (tensor<2x3x4xf16>) -> (tensor<2x3x1xf16>, tensor<2x3x1xui16>)
  return %0#0, %0#1 : tensor<2x3x1xf16>, tensor<2x3x1xui16>
}

// CHECK-LABEL: @argsort(
// CHECK: ane.argsort %{{.*}} {ascending = true, axis = 0 : i64} : tensor<2x3x4xf16>
func.func @argsort(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xi32> {
  %0 = ane.argsort %x {ascending = true, axis = 0} : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xi32>
}

// CHECK-LABEL: @cumsum(
// CHECK: ane.cumsum %{{.*}} {axis = 1 : i64, exclusive = true, reverse = true} : tensor<2x3x4xf16>
func.func @cumsum(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.cumsum %x {axis = 1, exclusive = true, reverse = true} : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @non_maximum_suppression(
// CHECK: ane.non_maximum_suppression %{{.*}}, %{{.*}} {iou_threshold = 5.000000e-01 : f64, max_boxes = 3 : i64} : (tensor<1x9x4xf32>, tensor<1x9x2xf32>) -> (tensor<1x3x4xf32>, tensor<1x3x2xf32>, tensor<1x3xi32>, tensor<1xi32>)
func.func @non_maximum_suppression(%b: tensor<1x9x4xf32>, %s: tensor<1x9x2xf32>) -> (tensor<1x3x4xf32>, tensor<1x3x2xf32>, tensor<1x3xi32>, tensor<1xi32>) {
  %0:4 = ane.non_maximum_suppression %b, %s {iou_threshold = 5.000000e-01, max_boxes = 3} : (tensor<1x9x4xf32>, tensor<1x9x2xf32>) -> (tensor<1x3x4xf32>, tensor<1x3x2xf32>, tensor<1x3xi32>, tensor<1xi32>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<1x3x4xf32>, tensor<1x3x2xf32>, tensor<1x3xi32>, tensor<1xi32>
}
