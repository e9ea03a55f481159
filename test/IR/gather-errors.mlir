// What the verifiers refuse: indexing and ordering.
// RUN: ane-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<2x3x4xf16>, %i: tensor<5xi32>) {
  // expected-error @+2 {{axis 3 is out of range [-3, 2] for rank 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.gather %x, %i {axis = 3} : (tensor<2x3x4xf16>, tensor<5xi32>) -> tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>, %i: tensor<5xi32>) {
  // expected-error @+2 {{batch_dims is 2, must be 0 to 1 (axis and the rank of indices)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.gather %x, %i {axis = 1, batch_dims = 2} : (tensor<2x3x4xf16>, tensor<5xi32>) -> tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>, %i: tensor<5xi32>) {
  // expected-error @+2 {{the first 1 axes of x [2, 3, 4] and indices [5] differ}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.gather %x, %i {axis = 1, batch_dims = 1} : (tensor<2x3x4xf16>, tensor<5xi32>) -> tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>, %i: tensor<5xf32>) {
  // expected-error @+1 {{operand #1 must be statically shaped tensor of integer of at most 64 bits (not bool) values}}
  %0 = ane.gather %x, %i : (tensor<2x3x4xf16>, tensor<5xf32>) -> tensor<5x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>, %i: tensor<2x5x3xi32>) {
  // expected-error @+2 {{indices [2, 5, 3] must agree with x [2, 3, 4] on every axis but 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.gather_along_axis %x, %i {axis = 1} : (tensor<2x3x4xf16>, tensor<2x5x3xi32>) -> tensor<2x5x3xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>, %i: tensor<5x4xi32>) {
  // expected-error @+2 {{indices [5, 4] hold tuples of 4, but x has only 3 axes to index}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.gather_nd %x, %i : (tensor<2x3x4xf16>, tensor<5x4xi32>) -> tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>, %i: tensor<i32>) {
  // expected-error @+2 {{indices must have rank 1 or more}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.gather_nd %x, %i : (tensor<2x3x4xf16>, tensor<i32>) -> tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>, %i: tensor<5x1xi32>) {
  // expected-error @+2 {{batch_dims is 2, must be 0 to 1 (ranks of x and of indices without the last axis)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.gather_nd %x, %i {batch_dims = 2} : (tensor<2x3x4xf16>, tensor<5x1xi32>) -> tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%d: tensor<2x3x4xf16>, %i: tensor<5xi32>, %u: tensor<2x3x4xf16>) {
  // expected-error @+1 {{updates have shape [2, 3, 4], expected [2, 5, 4]}}
  %0 = ane.scatter %d, %i, %u {axis = 1} : tensor<2x3x4xf16>, tensor<5xi32>, tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%d: tensor<2x3x4xf16>, %i: tensor<5xi32>, %u: tensor<2x5x4xf16>) {
  // expected-error @+1 {{mode is 'set', expected update, add, sub, mul, div, max or min}}
  %0 = ane.scatter %d, %i, %u {axis = 1, mode = "set"} : tensor<2x3x4xf16>, tensor<5xi32>, tensor<2x5x4xf16>
  return
}

// -----

func.func @f(%d: tensor<2x3x4xf16>, %i: tensor<5xi32>, %u: tensor<2x5x4xf32>) {
  // expected-error @+1 {{data has elements of type 'f16', updates of type 'f32'}}
  %0 = ane.scatter %d, %i, %u {axis = 1} : tensor<2x3x4xf16>, tensor<5xi32>, tensor<2x5x4xf32>
  return
}

// -----

func.func @f(%d: tensor<2x3x4xf16>, %i: tensor<5xi32>, %u: tensor<2x5x4xf16>) {
  // expected-error @+1 {{axis 4 is out of range [-3, 2] for rank 3}}
  %0 = ane.scatter %d, %i, %u {axis = 4} : tensor<2x3x4xf16>, tensor<5xi32>, tensor<2x5x4xf16>
  return
}

// -----

func.func @f(%d: tensor<2x3x4xf16>, %i: tensor<2x5x1xi32>, %u: tensor<2x5x4xf16>) {
  // expected-error @+1 {{indices [2, 5, 1] must agree with data [2, 3, 4] on every axis but 1}}
  %0 = ane.scatter_along_axis %d, %i, %u {axis = 1} : tensor<2x3x4xf16>, tensor<2x5x1xi32>, tensor<2x5x4xf16>
  return
}

// -----

func.func @f(%d: tensor<2x3x4xf16>, %i: tensor<2x1x4xi32>, %u: tensor<2x5x4xf16>) {
  // expected-error @+1 {{updates have shape [2, 5, 4], expected [2, 1, 4]}}
  %0 = ane.scatter_along_axis %d, %i, %u {axis = 1} : tensor<2x3x4xf16>, tensor<2x1x4xi32>, tensor<2x5x4xf16>
  return
}

// -----

func.func @f(%d: tensor<2x3x4xf16>, %i: tensor<5x2xi32>, %u: tensor<5xf16>) {
  // expected-error @+1 {{updates have shape [5], expected [5, 4]}}
  %0 = ane.scatter_nd %d, %i, %u : tensor<2x3x4xf16>, tensor<5x2xi32>, tensor<5xf16>
  return
}

// -----

func.func @f(%d: tensor<2x3x4xf16>, %i: tensor<5x4xi32>, %u: tensor<5xf16>) {
  // expected-error @+1 {{indices [5, 4] hold tuples of 4, but data has only 3 axes to index}}
  %0 = ane.scatter_nd %d, %i, %u : tensor<2x3x4xf16>, tensor<5x4xi32>, tensor<5xf16>
  return
}

// -----

func.func @f(%i: tensor<5xi32>) {
  // expected-error @+2 {{axis 2 is out of range [-2, 1] for rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.one_hot %i {axis = 2, one_hot_vector_size = 3} : (tensor<5xi32>) -> tensor<5x3xi32>
  return
}

// -----

func.func @f(%i: tensor<5xi32>) {
  // expected-error @+2 {{one_hot_vector_size is 0, must be positive}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.one_hot %i {one_hot_vector_size = 0} : (tensor<5xi32>) -> tensor<5x0xi32>
  return
}

// -----

func.func @f(%i: tensor<5xi32>, %a: tensor<1xf16>) {
  // expected-error @+2 {{on_value has shape [1], expected a scalar}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.one_hot %i on %a {one_hot_vector_size = 2} : (tensor<5xi32>, tensor<1xf16>) -> tensor<5x2xf16>
  return
}

// -----

func.func @f(%i: tensor<5xi32>, %a: tensor<f16>, %b: tensor<f32>) {
  // expected-error @+2 {{on_value has elements of type 'f16', off_value of type 'f32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.one_hot %i on %a off %b {one_hot_vector_size = 2} : (tensor<5xi32>, tensor<f16>, tensor<f32>) -> tensor<5x2xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{k is 5, must be 1 to 4, the size of axis 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = ane.topk %x {k = 5} : (tensor<2x3x4xf16>) -> (tensor<2x3x5xf16>, tensor<2x3x5xi32>)
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+2 {{axis 3 is out of range [-3, 2] for rank 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = ane.topk %x {axis = 3} : (tensor<2x3x4xf16>) -> (tensor<2x3x1xf16>, tensor<2x3x1xi32>)
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+1 {{axis 3 is out of range [-3, 2] for rank 3}}
  %0 = ane.argsort %x {axis = 3} : tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf16>) {
  // expected-error @+1 {{axis 3 is out of range [-3, 2] for rank 3}}
  %0 = ane.cumsum %x {axis = 3} : tensor<2x3x4xf16>
  return
}

// -----

func.func @f(%b: tensor<1x9x5xf32>, %s: tensor<1x9x2xf32>) {
  // expected-error @+2 {{boxes have shape [1, 9, 5], expected [B, N, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:4 = ane.non_maximum_suppression %b, %s {iou_threshold = 0.5, max_boxes = 3} : (tensor<1x9x5xf32>, tensor<1x9x2xf32>) -> (tensor<1x3x4xf32>, tensor<1x3x2xf32>, tensor<1x3xi32>, tensor<1xi32>)
  return
}

// -----

func.func @f(%b: tensor<1x9x4xf32>, %s: tensor<1x8x2xf32>) {
  // expected-error @+2 {{scores have shape [1, 8, 2], expected [1, 9, K]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:4 = ane.non_maximum_suppression %b, %s {iou_threshold = 0.5, max_boxes = 3} : (tensor<1x9x4xf32>, tensor<1x8x2xf32>) -> (tensor<1x3x4xf32>, tensor<1x3x2xf32>, tensor<1x3xi32>, tensor<1xi32>)
  return
}

// -----

func.func @f(%b: tensor<1x9x4xf32>, %s: tensor<1x9x2xf32>) {
  // expected-error @+2 {{max_boxes is 0, must be positive and fit int32}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:4 = ane.non_maximum_suppression %b, %s {iou_threshold = 0.5, max_boxes = 0} : (tensor<1x9x4xf32>, tensor<1x9x2xf32>) -> (tensor<1x3x4xf32>, tensor<1x3x2xf32>, tensor<1x3xi32>, tensor<1xi32>)
  return
}
