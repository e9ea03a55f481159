// A state whose next value is its old one with entries replaced is updated in place.
// RUN: ane-opt %s --ane-raise-composites --canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @scatter_elements
// CHECK-NOT: ane.read_state
// CHECK: %[[AT:.*]] = ane.slice_by_size
// CHECK: %[[NEW:.*]] = ane.update_state @s, %arg0 at %[[AT]] axis 2 : (tensor<1x2x1x4xf32>, tensor<1x1x1x1xi64>) -> tensor<1x2x8x4xf32>
// CHECK-NOT: ane.write_state
// CHECK: return %[[NEW]]
ane.state @s : tensor<1x2x8x4xf32>
func.func @scatter_elements(%new: tensor<1x2x1x4xf32>, %at: tensor<1x1x1x1xi64>) -> tensor<1x2x8x4xf32> {
  %old = ane.read_state @s : tensor<1x2x8x4xf32>
  %indices = ane.tile %at {reps = array<i64: 1, 2, 1, 4>} : (tensor<1x1x1x1xi64>) -> tensor<1x2x1x4xi64>
  %next = ane.scatter_along_axis %old, %indices, %new {axis = 2 : i64, mode = "update"} : tensor<1x2x8x4xf32>, tensor<1x2x1x4xi64>, tensor<1x2x1x4xf32>
  ane.write_state @s, %next : tensor<1x2x8x4xf32>
  return %next : tensor<1x2x8x4xf32>
}

// -----

// As PyTorch exports `index_copy` and `cache[:, :, position] = new`: the axis first, and transposed back.
// CHECK-LABEL: func.func @transposed
// CHECK: %[[WINDOW:.*]] = ane.transpose %arg0 {perm = array<i64: 1, 2, 0, 3>}
// CHECK: %[[NEW:.*]] = ane.update_state @s, %[[WINDOW]] at %arg1 axis 2
// CHECK-NOT: ane.write_state
// CHECK: return %[[NEW]]
ane.state @s : tensor<1x2x8x4xf32>
func.func @transposed(%new: tensor<1x1x2x4xf32>, %at: tensor<1x1xi64>) -> tensor<1x2x8x4xf32> {
  %old = ane.read_state @s : tensor<1x2x8x4xf32>
  %first = ane.transpose %old {perm = array<i64: 2, 0, 1, 3>} : (tensor<1x2x8x4xf32>) -> tensor<8x1x2x4xf32>
  %turned = ane.scatter_nd %first, %at, %new {mode = "update"} : tensor<8x1x2x4xf32>, tensor<1x1xi64>, tensor<1x1x2x4xf32>
  %next = ane.transpose %turned {perm = array<i64: 1, 2, 0, 3>} : (tensor<8x1x2x4xf32>) -> tensor<1x2x8x4xf32>
  ane.write_state @s, %next : tensor<1x2x8x4xf32>
  return %next : tensor<1x2x8x4xf32>
}

// -----

// Index tuples that name all of the axes before: the last entry is the position.
// CHECK-LABEL: func.func @tuples
// CHECK: %[[AT:.*]] = ane.slice_by_size %{{.*}} {begin = array<i64: 0, 0, 0, 2>, size = array<i64: 1, 1, 1, 1>}
// CHECK: ane.update_state @s, %arg0 at %[[AT]] axis 2
// CHECK-NOT: ane.write_state
ane.state @s : tensor<1x2x8x4xf32>
func.func @tuples(%new: tensor<1x2x1x4xf32>, %at: tensor<1x1x1x1xi64>) {
  %old = ane.read_state @s : tensor<1x2x8x4xf32>
  %axes = ane.const dense<[[[[0, 0]], [[0, 1]]]]> : tensor<1x2x1x2xi64>
  %last = ane.tile %at {reps = array<i64: 1, 2, 1, 1>} : (tensor<1x1x1x1xi64>) -> tensor<1x2x1x1xi64>
  %indices = ane.concat %axes, %last {axis = 3 : i64} : (tensor<1x2x1x2xi64>, tensor<1x2x1x1xi64>) -> tensor<1x2x1x3xi64>
  %next = ane.scatter_nd %old, %indices, %new {mode = "update"} : tensor<1x2x8x4xf32>, tensor<1x2x1x3xi64>, tensor<1x2x1x4xf32>
  ane.write_state @s, %next : tensor<1x2x8x4xf32>
  return
}

// -----

// Several entries, as a prompt has them: each goes to its own position.
// CHECK-LABEL: func.func @prompt
// CHECK: %[[PLACES:.*]] = ane.slice_by_size {{.*}}begin = array<i64: 0, 0, 0, 0>{{.*}}size = array<i64: 1, 1, 3, 1>
// CHECK: ane.update_state @keys, %arg0 at %[[PLACES]] axis 2 : (tensor<1x2x3x4xf32>, tensor<1x1x3x1xi64>) -> tensor<1x2x8x4xf32>
// CHECK: %[[WINDOW:.*]] = ane.transpose %arg3 {perm = array<i64: 1, 2, 0, 3>}
// CHECK: ane.update_state @values, %[[WINDOW]] at %arg2 axis 2 : (tensor<1x2x3x4xf32>, tensor<3x1xi64>)
// CHECK-NOT: ane.write_state
ane.state @keys : tensor<1x2x8x4xf32>
ane.state @values : tensor<1x2x8x4xf32>
func.func @prompt(%new: tensor<1x2x3x4xf32>, %at: tensor<1x3xi64>, %rows: tensor<3x1xi64>, %first: tensor<3x1x2x4xf32>) {
  %old = ane.read_state @keys : tensor<1x2x8x4xf32>
  %place = ane.reshape %at {shape = array<i64: 1, 1, 3, 1>} : (tensor<1x3xi64>) -> tensor<1x1x3x1xi64>
  %indices = ane.tile %place {reps = array<i64: 1, 2, 1, 4>} : (tensor<1x1x3x1xi64>) -> tensor<1x2x3x4xi64>
  %next = ane.scatter_along_axis %old, %indices, %new {axis = 2 : i64, mode = "update"} : tensor<1x2x8x4xf32>, tensor<1x2x3x4xi64>, tensor<1x2x3x4xf32>
  ane.write_state @keys, %next : tensor<1x2x8x4xf32>
  %cache = ane.read_state @values : tensor<1x2x8x4xf32>
  %turned = ane.transpose %cache {perm = array<i64: 2, 0, 1, 3>} : (tensor<1x2x8x4xf32>) -> tensor<8x1x2x4xf32>
  %set = ane.scatter_nd %turned, %rows, %first {mode = "update"} : tensor<8x1x2x4xf32>, tensor<3x1xi64>, tensor<3x1x2x4xf32>
  %back = ane.transpose %set {perm = array<i64: 1, 2, 0, 3>} : (tensor<8x1x2x4xf32>) -> tensor<1x2x8x4xf32>
  ane.write_state @values, %back : tensor<1x2x8x4xf32>
  return
}

// -----

// As MIL's slice_update is read.
// CHECK-LABEL: func.func @vector
// CHECK: ane.update_state @s, %arg0 at %arg1 axis 1 : (tensor<2x3x4xf32>, tensor<3xi32>) -> tensor<2x8x4xf32>
// CHECK-NOT: ane.write_state
ane.state @s : tensor<2x8x4xf32>
func.func @vector(%new: tensor<2x3x4xf32>, %at: tensor<3xi32>) {
  %old = ane.read_state @s : tensor<2x8x4xf32>
  %next = ane.scatter %old, %at, %new {axis = 1 : i64, mode = "update"} : tensor<2x8x4xf32>, tensor<3xi32>, tensor<2x3x4xf32>
  ane.write_state @s, %next : tensor<2x8x4xf32>
  return
}

// -----

// A position that no entry has changes nothing.
// CHECK-LABEL: func.func @selected
// CHECK: ane.update_state @s, %arg0 at %arg1 axis 1 {skip_outside}
ane.state @s : tensor<2x4x3xf32>
func.func @selected(%new: tensor<2x1x3xf32>, %at: tensor<1xi64>) {
  %old = ane.read_state @s : tensor<2x4x3xf32>
  %count = ane.const dense<[0, 1, 2, 3]> : tensor<4xi64>
  %is = ane.equal %count, %at : tensor<4xi64>, tensor<1xi64>
  %mask = ane.expand_dims %is {axes = array<i64: 1>} : (tensor<4xi1>) -> tensor<4x1xi1>
  %next = ane.select %mask, %new, %old : tensor<4x1xi1>, tensor<2x1x3xf32>, tensor<2x4x3xf32>
  ane.write_state @s, %next : tensor<2x4x3xf32>
  return
}

// -----

// What is read elsewhere, changed at other places in each row, added to, or counts another way is written as a whole.
// CHECK-LABEL: func.func @left
// CHECK-NOT: ane.update_state
// CHECK-COUNT-4: ane.write_state
ane.state @read : tensor<4x3xf32>
ane.state @rows : tensor<4x3xf32>
ane.state @added : tensor<4x3xf32>
ane.state @odd : tensor<4x3xf32>
func.func @left(%new: tensor<1x3xf32>, %both: tensor<2x3xf32>, %at: tensor<1x1xi64>, %places: tensor<2x3xi64>) -> tensor<4x3xf32> {
  %0 = ane.read_state @read : tensor<4x3xf32>
  %1 = ane.scatter_nd %0, %at, %new {mode = "update"} : tensor<4x3xf32>, tensor<1x1xi64>, tensor<1x3xf32>
  ane.write_state @read, %1 : tensor<4x3xf32>
  %2 = ane.read_state @rows : tensor<4x3xf32>
  %3 = ane.scatter_along_axis %2, %places, %both {axis = 0 : i64, mode = "update"} : tensor<4x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>
  ane.write_state @rows, %3 : tensor<4x3xf32>
  %4 = ane.read_state @added : tensor<4x3xf32>
  %5 = ane.scatter_nd %4, %at, %new {mode = "add"} : tensor<4x3xf32>, tensor<1x1xi64>, tensor<1x3xf32>
  ane.write_state @added, %5 : tensor<4x3xf32>
  %6 = ane.read_state @odd : tensor<4x3xf32>
  %count = ane.const dense<[[0], [2], [1], [3]]> : tensor<4x1xi64>
  %is = ane.equal %count, %at : tensor<4x1xi64>, tensor<1x1xi64>
  %7 = ane.select %is, %new, %6 : tensor<4x1xi1>, tensor<1x3xf32>, tensor<4x3xf32>
  ane.write_state @odd, %7 : tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
