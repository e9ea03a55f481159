// What the verifiers refuse: permutations, records, counts of results and surfaces. See also structure-errors.mlir.
// RUN: ane-opt %s -split-input-file -verify-diagnostics

func.func @relayout_ranks(%x: tensor<4x6xf16>) -> tensor<24xf16> {
  // expected-error @+1 {{expand has 2 dimensions, perm 3}}
  %0 = ane.relayout %x expand [4, 6] perm [1, 0, 2] : tensor<4x6xf16> -> tensor<24xf16>
  return %0 : tensor<24xf16>
}

// -----

func.func @relayout_perm(%x: tensor<4x6xf16>) -> tensor<24xf16> {
  // expected-error @+1 {{perm is not a permutation of 0..1}}
  %0 = ane.relayout %x expand [4, 6] perm [1, 1] : tensor<4x6xf16> -> tensor<24xf16>
  return %0 : tensor<24xf16>
}

// -----

// The product of the sizes alone would be right.
func.func @relayout_negative(%x: tensor<2x2xf16>) -> tensor<4xf16> {
  // expected-error @+1 {{expand has a negative size}}
  %0 = ane.relayout %x expand [-2, -2] perm [1, 0] : tensor<2x2xf16> -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

func.func @blob_first() -> tensor<2xf16> {
  // expected-error @+1 {{offset 0 is no record of a blob file}}
  %0 = ane.blob "w.bin" at 0 : tensor<2xf16> {
    %1 = ane.const dense<1.0> : tensor<2xf16>
    ane.yield %1 : tensor<2xf16>
  }
  return %0 : tensor<2xf16>
}

// -----

ane.state @s : tensor<2xf16>
func.func @blob_runtime() -> tensor<2xf16> {
  // expected-error @+1 {{must yield a value computed from constants alone}}
  %0 = ane.blob "w.bin" at 64 : tensor<2xf16> {
    %1 = ane.read_state @s : tensor<2xf16>
    ane.yield %1 : tensor<2xf16>
  }
  return %0 : tensor<2xf16>
}

// -----

func.func @island_results(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{engine region needs one yielded value and one layout per result, has 2 and 1 for 1}}
  %0 = ane.island(%x) : (tensor<4xf32>) -> tensor<4xf32> attributes {
      input_layouts = [#ane.layout<expand = [4], perm = [0]>], output_layouts = [#ane.layout<expand = [4], perm = [0]>]} engine {
  ^bb0(%a: tensor<4xf16>):
    ane.yield %a, %a : tensor<4xf16>, tensor<4xf16>
  } twin {
  ^bb0(%a: tensor<4xf32>):
    ane.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

ane.program @p {
  func.func @main(%x: tensor<4xf16>, %y: tensor<4xf16>) -> tensor<4xf16> {
    return %x : tensor<4xf16>
  }
}
func.func private @twin(tensor<4xf32>) -> tensor<4xf32>
func.func @eval_count(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{@p::@main takes 2 and returns 1 surfaces}}
  %0 = ane.eval @p::@main twin @twin(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
