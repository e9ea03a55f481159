// RUN: ane-opt %s --split-input-file --ane-host-prepare -verify-diagnostics

func.func @clip(%x: tensor<5x2x3xf32>, %h: tensor<2x4xf32>, %w: tensor<16x3xf32>, %r: tensor<16x4xf32>) -> tensor<2x4xf32> {
  // expected-error@+1 {{has no CPU lowering with clip}}
  %y, %h1, %c1 = ane.lstm %x, %h, %h, %w, %r {clip = 3.0 : f64} : (tensor<5x2x3xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>) -> (tensor<1x2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
  return %h1 : tensor<2x4xf32>
}

// -----

// expected-error@+1 {{has control flow; CPU functions are straight-line}}
func.func @branch(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
^bb1:
  return %x : tensor<4xf32>
}
