// RUN: ane-opt %s --split-input-file -verify-diagnostics

func.func @kind(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'vector' is no kind of kernel}}
  %0 = host.kernel vector(%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    host.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @count(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{1 arguments, types of 2}}
  %0 = host.kernel copy(%a = %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    host.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @result(%x: tensor<4xf32>) -> tensor<5xf32> {
  // expected-error@+1 {{has results of other types than the region yields}}
  %0 = host.kernel copy(%a = %x) : (tensor<4xf32>) -> tensor<5xf32> {
    host.yield %a : tensor<4xf32>
  }
  return %0 : tensor<5xf32>
}

// -----

func.func @elementwise(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{of kind 'elementwise' must hold element-wise ops and gathers}}
  %0 = host.kernel elementwise(%a = %x) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
    %1 = ane.softmax %a {axis = -1 : i64} : tensor<4x4xf32>
    host.yield %1 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

func.func @product(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{of kind 'product' must hold a product of that kind, and element-wise ops}}
  %0 = host.kernel product(%a = %x) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
    %1 = ane.relu %a : tensor<4x4xf32>
    host.yield %1 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

func.func @loops(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{of kind 'move' must hold one op with loops of that kind}}
  %0 = host.kernel move(%a = %x) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
    %1 = ane.cumsum %a {axis = 0 : i64} : tensor<4x4xf32>
    host.yield %1 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

func.func @captured(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note@+1 {{required by region isolation constraints}}
  %0 = host.kernel elementwise() : () -> tensor<4xf32> {
    // expected-error@+1 {{using value defined outside the region}}
    %1 = ane.relu %x : tensor<4xf32>
    host.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @order(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // expected-error@+1 {{host.order is array<i64: 0, 0>, must name each of the 2 dimensions of the result once}}
  %0 = ane.relu %x {host.order = array<i64: 0, 0>} : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

func.func @copy(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{host.copy is for ane.identity, without a value}}
  %0 = ane.relu %x {host.copy} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @widen(%x: tensor<4xf16>) -> tensor<4xf16> {
  // expected-error@+1 {{host.widen is for ane.cast of fp16 or bf16 to fp32, without a value}}
  %0 = ane.relu %x {host.widen} : tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

func.func @narrow(%x: tensor<4xf32>) -> tensor<4xf16> {
  // expected-error@+1 {{host.widen is for ane.cast of fp16 or bf16 to fp32, without a value}}
  %0 = ane.cast %x {dtype = "fp16", host.widen} : (tensor<4xf32>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

func.func @unknown(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{has unknown attribute 'host.fast' of the host dialect}}
  %0 = ane.relu %x {host.fast} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @gates(%x: tensor<5x2x12xf32>, %h: tensor<2x4xf32>, %w: tensor<4x12xf32>) -> tensor<2x4xf32> {
  // expected-error@+1 {{has inputs 'tensor<5x2x12xf32>', states 'tensor<2x4xf32>' and weight 'tensor<4x12xf32>', must have [S, B, G H], [B, H] and [H, G H]}}
  %y, %l = host.recurrence rnn %x initial %h weight %w {recurrent_activation = "sigmoid", cell_activation = "tanh", activation = "tanh"} : (tensor<5x2x12xf32>, tensor<2x4xf32>, tensor<4x12xf32>) -> (tensor<1x2x4xf32>, tensor<2x4xf32>)
  return %l : tensor<2x4xf32>
}

// -----

func.func @in_place(%x: tensor<8x4xf32>, %i: tensor<2xi32>, %u: tensor<2x4xf32>) -> tensor<8x4xf32> {
  // expected-error@+1 {{is in place, but no scatter of what another kernel writes for it alone}}
  %0 = host.kernel scatter(%a = %x, %b = %i, %c = %u) attributes {in_place} : (tensor<8x4xf32>, tensor<2xi32>, tensor<2x4xf32>) -> tensor<8x4xf32> {
    %1 = ane.scatter %a, %b, %c {axis = 0 : i64, mode = "add"} : tensor<8x4xf32>, tensor<2xi32>, tensor<2x4xf32>
    host.yield %1 : tensor<8x4xf32>
  }
  return %0 : tensor<8x4xf32>
}
