// What the verifiers refuse: attention.
// RUN: ane-opt %s -split-input-file -verify-diagnostics

func.func @f(%q: tensor<1x2x5x8xf16>, %k: tensor<1x2x7x8xf32>, %v: tensor<1x2x5x8xf16>) {
  // expected-error @+2 {{query has elements of type 'f16', key of type 'f32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x5x8xf16>, tensor<1x2x7x8xf32>, tensor<1x2x5x8xf16>) -> tensor<1x2x5x8xf16>
  return
}

// -----

func.func @f(%q: tensor<1x2x5x8xf16>, %k: tensor<1x1x5x8xf16>, %v: tensor<1x2x5x8xf16>) {
  // expected-error @+2 {{batch axes of query [1, 2, 5, 8], key [1, 1, 5, 8] and value [1, 2, 5, 8] differ, and those of query are no groups of the others}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x5x8xf16>, tensor<1x1x5x8xf16>, tensor<1x2x5x8xf16>) -> tensor<1x2x5x8xf16>
  return
}

// -----

func.func @f(%q: tensor<5x8xf16>, %k: tensor<5x8xf16>, %v: tensor<5x8xf16>) {
  // expected-error @+2 {{query, key and value have ranks 2, 2 and 2, expected one rank of 3 or more}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.scaled_dot_product_attention %q, %k, %v : (tensor<5x8xf16>, tensor<5x8xf16>, tensor<5x8xf16>) -> tensor<5x8xf16>
  return
}

// -----

func.func @f(%q: tensor<1x2x5x8xf16>, %k: tensor<1x2x5x4xf16>, %v: tensor<1x2x5x8xf16>) {
  // expected-error @+2 {{query has 8 features, key 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x5x8xf16>, tensor<1x2x5x4xf16>, tensor<1x2x5x8xf16>) -> tensor<1x2x5x8xf16>
  return
}

// -----

func.func @f(%q: tensor<1x2x5x8xf16>, %k: tensor<1x2x6x8xf16>, %v: tensor<1x2x5x8xf16>) {
  // expected-error @+2 {{key has 6 positions, value 5}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x5x8xf16>, tensor<1x2x6x8xf16>, tensor<1x2x5x8xf16>) -> tensor<1x2x5x8xf16>
  return
}

// -----

func.func @f(%q: tensor<1x2x5x8xf16>, %k: tensor<1x2x5x8xf16>, %v: tensor<1x2x5x8xf16>, %m: tensor<6xf16>) {
  // expected-error @+2 {{do not broadcast: axis -1 has 6 and 5}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x2x5x8xf16>, tensor<1x2x5x8xf16>, tensor<1x2x5x8xf16>, tensor<6xf16>) -> tensor<1x2x5x8xf16>
  return
}

// -----

func.func @f(%q: tensor<1x2x5x8xf16>, %k: tensor<1x2x5x8xf16>, %v: tensor<1x2x5x8xf16>, %m: tensor<3x1x2x5x5xf16>) {
  // expected-error @+2 {{attn_mask [3, 1, 2, 5, 5] does not broadcast to [1, 2, 5, 5]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x2x5x8xf16>, tensor<1x2x5x8xf16>, tensor<1x2x5x8xf16>, tensor<3x1x2x5x5xf16>) -> tensor<1x2x5x8xf16>
  return
}

// -----

func.func @f(%q: tensor<1x2x5x8xf16>, %k: tensor<1x2x5x8xf16>, %v: tensor<1x2x5x8xf16>, %m: tensor<5x5xf32>) {
  // expected-error @+2 {{query has elements of type 'f16', attn_mask of type 'f32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x2x5x8xf16>, tensor<1x2x5x8xf16>, tensor<1x2x5x8xf16>, tensor<5x5xf32>) -> tensor<1x2x5x8xf16>
  return
}

// -----

func.func @f(%x: tensor<5x7xf16>, %c: tensor<5x3xf16>, %s: tensor<5x3xf16>) {
  // expected-error @+1 {{the last axis of x [5, 7] must have an even size}}
  %0 = ane.rope %x, %c, %s : tensor<5x7xf16>, tensor<5x3xf16>, tensor<5x3xf16>
  return
}

// -----

func.func @f(%x: tensor<5x8xf16>, %c: tensor<5x8xf16>, %s: tensor<5x4xf16>) {
  // expected-error @+1 {{cos [5, 8] does not broadcast to [5, 4], half of x}}
  %0 = ane.rope %x, %c, %s : tensor<5x8xf16>, tensor<5x8xf16>, tensor<5x4xf16>
  return
}

// -----

func.func @f(%x: tensor<5x8xf16>, %c: tensor<5x4xf16>, %s: tensor<5x4xf16>) {
  // expected-error @+1 {{layout is 'gpt', expected half or interleaved}}
  %0 = ane.rope %x, %c, %s {layout = "gpt"} : tensor<5x8xf16>, tensor<5x4xf16>, tensor<5x4xf16>
  return
}

// -----

func.func @f(%i: tensor<5xi32>, %t: tensor<5xf16>) {
  // expected-error @+2 {{table has shape [5], expected [V, D]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = ane.embedding %i, %t : (tensor<5xi32>, tensor<5xf16>) -> tensor<5xf16>
  return
}
