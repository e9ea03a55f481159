// What the verifiers refuse: recurrent networks.
// RUN: ane-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<5x3xf16>, %h: tensor<2x4xf16>, %wi: tensor<4x3xf16>, %wh: tensor<4x4xf16>) {
  // expected-error @+2 {{x has rank 2, expected 3: [S, B, I]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = ane.rnn %x, %h, %wi, %wh : (tensor<5x3xf16>, tensor<2x4xf16>, tensor<4x3xf16>, tensor<4x4xf16>) -> (tensor<1x2x4xf16>, tensor<2x4xf16>)
  return
}

// -----

func.func @f(%x: tensor<5x2x3xf16>, %h: tensor<2x4xf16>, %wi: tensor<4x3xf16>, %wh: tensor<4x3xf16>) {
  // expected-error @+2 {{weight_hh has shape [4, 3], expected [1 H, H]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = ane.rnn %x, %h, %wi, %wh : (tensor<5x2x3xf16>, tensor<2x4xf16>, tensor<4x3xf16>, tensor<4x3xf16>) -> (tensor<1x2x4xf16>, tensor<2x4xf16>)
  return
}

// -----

func.func @f(%x: tensor<5x2x3xf16>, %h: tensor<2x4xf16>, %wi: tensor<4x4xf16>, %wh: tensor<4x4xf16>) {
  // expected-error @+2 {{weight_ih has shape [4, 4], expected [4, 3]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = ane.rnn %x, %h, %wi, %wh : (tensor<5x2x3xf16>, tensor<2x4xf16>, tensor<4x4xf16>, tensor<4x4xf16>) -> (tensor<1x2x4xf16>, tensor<2x4xf16>)
  return
}

// -----

func.func @f(%x: tensor<5x2x3xf16>, %h: tensor<2x5xf16>, %wi: tensor<4x3xf16>, %wh: tensor<4x4xf16>) {
  // expected-error @+2 {{initial_h has shape [2, 5], expected [2, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = ane.rnn %x, %h, %wi, %wh : (tensor<5x2x3xf16>, tensor<2x5xf16>, tensor<4x3xf16>, tensor<4x4xf16>) -> (tensor<1x2x4xf16>, tensor<2x4xf16>)
  return
}

// -----

func.func @f(%x: tensor<5x2x3xf16>, %h: tensor<2x4xf32>, %wi: tensor<4x3xf16>, %wh: tensor<4x4xf16>) {
  // expected-error @+2 {{x has elements of type 'f16', initial_h of type 'f32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = ane.rnn %x, %h, %wi, %wh : (tensor<5x2x3xf16>, tensor<2x4xf32>, tensor<4x3xf16>, tensor<4x4xf16>) -> (tensor<1x2x4xf16>, tensor<2x4xf16>)
  return
}

// -----

func.func @f(%x: tensor<5x2x3xf16>, %h: tensor<2x4xf16>, %wi: tensor<4x3xf16>, %wh: tensor<4x4xf16>) {
  // expected-error @+2 {{direction is 'bidirectional', expected forward or reverse}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = ane.rnn %x, %h, %wi, %wh {direction = "bidirectional"} : (tensor<5x2x3xf16>, tensor<2x4xf16>, tensor<4x3xf16>, tensor<4x4xf16>) -> (tensor<1x2x4xf16>, tensor<2x4xf16>)
  return
}

// -----

func.func @f(%x: tensor<5x2x3xf16>, %h: tensor<2x4xf16>, %wi: tensor<12x3xf16>, %wh: tensor<12x4xf16>, %c: tensor<4xf16>) {
  // expected-error @+2 {{input_bias has shape [4], expected [12]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = ane.gru %x, %h, %wi, %wh input_bias %c : (tensor<5x2x3xf16>, tensor<2x4xf16>, tensor<12x3xf16>, tensor<12x4xf16>, tensor<4xf16>) -> (tensor<1x2x4xf16>, tensor<2x4xf16>)
  return
}

// -----

func.func @f(%x: tensor<5x2x3xf16>, %h: tensor<2x4xf16>, %c: tensor<2x5xf16>, %wi: tensor<16x3xf16>, %wh: tensor<16x4xf16>) {
  // expected-error @+2 {{initial_c has shape [2, 5], expected [2, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = ane.lstm %x, %h, %c, %wi, %wh : (tensor<5x2x3xf16>, tensor<2x4xf16>, tensor<2x5xf16>, tensor<16x3xf16>, tensor<16x4xf16>) -> (tensor<1x2x4xf16>, tensor<2x4xf16>, tensor<2x4xf16>)
  return
}

// -----

func.func @f(%x: tensor<5x2x3xf16>, %h: tensor<2x4xf16>, %c: tensor<2x4xf16>, %wi: tensor<16x3xf16>, %wh: tensor<16x4xf16>) {
  // expected-error @+2 {{direction is 'up', expected forward, reverse or bidirectional}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = ane.lstm %x, %h, %c, %wi, %wh {direction = "up"} : (tensor<5x2x3xf16>, tensor<2x4xf16>, tensor<2x4xf16>, tensor<16x3xf16>, tensor<16x4xf16>) -> (tensor<1x2x4xf16>, tensor<2x4xf16>, tensor<2x4xf16>)
  return
}

// -----

func.func @f(%x: tensor<5x2x3xf16>, %h: tensor<2x8xf16>, %c: tensor<2x8xf16>, %wi: tensor<16x3xf16>, %wh: tensor<16x4xf16>) {
  // expected-error @+2 {{weight_ih_back and weight_hh_back belong to direction bidirectional, which is 'bidirectional'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = ane.lstm %x, %h, %c, %wi, %wh {direction = "bidirectional"} : (tensor<5x2x3xf16>, tensor<2x8xf16>, tensor<2x8xf16>, tensor<16x3xf16>, tensor<16x4xf16>) -> (tensor<1x2x8xf16>, tensor<2x8xf16>, tensor<2x8xf16>)
  return
}

// -----

func.func @f(%x: tensor<5x2x3xf16>, %h: tensor<2x4xf16>, %c: tensor<2x4xf16>, %wi: tensor<16x3xf16>, %wh: tensor<16x4xf16>, %b: tensor<16xf16>) {
  // expected-error @+2 {{bias_back and peephole_back belong to direction bidirectional, which is 'forward'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:3 = ane.lstm %x, %h, %c, %wi, %wh bias_back %b : (tensor<5x2x3xf16>, tensor<2x4xf16>, tensor<2x4xf16>, tensor<16x3xf16>, tensor<16x4xf16>, tensor<16xf16>) -> (tensor<1x2x4xf16>, tensor<2x4xf16>, tensor<2x4xf16>)
  return
}
