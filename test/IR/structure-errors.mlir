// What the verifiers refuse: constants and containers.
// RUN: ane-opt %s -split-input-file -verify-diagnostics

func.func @f() {
  // expected-error @+1 {{#ane.weight of type 'tensor<2x3xf32>' holds 24 bytes, but names 20}}
  %0 = ane.const #ane.weight<"model.onnx", 0, 20> : tensor<2x3xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{#ane.weight needs a static tensor type}}
  %0 = ane.const #ane.weight<"model.onnx", 0, 20> : tensor<?xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{#ane.weight needs a file name}}
  %0 = ane.const #ane.weight<"", 0, 4> : tensor<1xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{#ane.weight: a sha256 has 64 hex digits, got 4}}
  %0 = ane.const #ane.weight<"model.onnx", 0, 4, "beef"> : tensor<1xf32>
  return
}

// -----

// expected-error @+1 {{#ane.layout: perm is not a permutation of 0..1}}
func.func @f(%x: tensor<2x3xf32> {ane.layout = #ane.layout<expand = [2, 3], perm = [1, 1]>}) {
  return
}

// -----

// expected-error @+1 {{#ane.layout: expand has 2 dimensions, perm 1}}
func.func @f(%x: tensor<2x3xf32> {ane.layout = #ane.layout<expand = [2, 3], perm = [0]>}) {
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{twin region's argument types differ from the island's}}
  %0 = ane.island(%x) : (tensor<4xf32>) -> tensor<4xf32> engine {
  } twin {
  ^bb0(%a: tensor<5xf32>):
    %1 = ane.const dense<0.0> : tensor<4xf32>
    ane.yield %1 : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{twin region's yielded types differ from the island's}}
  %0 = ane.island(%x) : (tensor<4xf32>) -> tensor<5xf32> engine {
  } twin {
  ^bb0(%a: tensor<4xf32>):
    ane.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{regions must end with ane.yield}}
  %0 = ane.island(%x) : (tensor<4xf32>) -> tensor<4xf32> engine {
  } twin {
  ^bb0(%a: tensor<4xf32>):
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{engine region needs one argument and one layout per input, has 1 and 0 for 1}}
  %0 = ane.island(%x) : (tensor<4xf32>) -> tensor<4xf32> engine {
  ^bb0(%a: tensor<4xf16>):
    ane.yield %a : tensor<4xf16>
  } twin {
  ^bb0(%a: tensor<4xf32>):
    ane.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{input 0: layout #ane.layout<expand = [5], perm = [0]> does not relate 'tensor<4xf32>' to 'tensor<4xf16>'}}
  %0 = ane.island(%x) : (tensor<4xf32>) -> tensor<4xf32> attributes {
    input_layouts = [#ane.layout<expand = [5], perm = [0]>], output_layouts = [#ane.layout<expand = [4], perm = [0]>]
  } engine {
  ^bb0(%a: tensor<4xf16>):
    ane.yield %a : tensor<4xf16>
  } twin {
  ^bb0(%a: tensor<4xf32>):
    ane.yield %a : tensor<4xf32>
  }
  return
}

// -----

// expected-error @+1 {{holds no procedure}}
ane.program @main_0 {
}

// -----

ane.program @main_0 {
  func.func @main() {
    return
  }
  // expected-error @+1 {{can't stand in ane.program: only procedures (func.func) and states can}}
  builtin.module @inner {}
}

// -----

func.func private @twin(tensor<4xf32>) -> tensor<4xf32>

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{@twin is not a procedure of an ane.program}}
  %0 = ane.eval @twin twin @twin(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

ane.program @main_0 {
  func.func @main(%x: tensor<4xf16>) -> tensor<4xf16> {
    return %x : tensor<4xf16>
  }
}

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{twin @absent is not a function}}
  %0 = ane.eval @main_0::@main twin @absent(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

ane.program @main_0 {
  func.func @main(%x: tensor<4xf16>) -> tensor<4xf16> {
    return %x : tensor<4xf16>
  }
}

func.func private @other(tensor<4xf32>) -> tensor<5xf32>

func.func @g(%x: tensor<4xf32>) {
  // expected-error @+1 {{twin @other has type '(tensor<4xf32>) -> tensor<5xf32>'}}
  %0 = ane.eval @main_0::@main twin @other(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{moves 4 elements, but 'tensor<2x3xf32>' has 6 and 'tensor<3x2xf32>' has 6}}
  %0 = ane.relayout %x expand [2, 2] perm [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{changes the element type from 'f32' to 'f16'}}
  %0 = ane.relayout %x expand [2, 3] perm [1, 0] : tensor<2x3xf32> -> tensor<3x2xf16>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{offset 96 is no record of a blob file: records start at multiples of 64, the first at 64 (C08)}}
  %0 = ane.blob "weights/w.bin" at 96 : tensor<4xf16> {
    %1 = ane.const dense<1.0> : tensor<4xf16>
    ane.yield %1 : tensor<4xf16>
  }
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{must yield one value of type 'tensor<4xf16>'}}
  %0 = ane.blob "weights/w.bin" at 64 : tensor<4xf16> {
    %1 = ane.const dense<1.0> : tensor<5xf16>
    ane.yield %1 : tensor<5xf16>
  }
  return
}

// -----

// expected-error @+1 {{must yield one value of type 'tensor<4xf32>'}}
ane.parameter "w" : tensor<4xf32> {
  %1 = ane.const dense<1.0> : tensor<4xf16>
  ane.yield %1 : tensor<4xf16>
}

// -----

// What an op of the engine region comes from stands in the twin.
func.func @f(%in: tensor<64xf32>) -> tensor<64xf32> {
  %0 = ane.island(%in) : (tensor<64xf32>) -> tensor<64xf32> attributes {
      input_layouts = [#ane.layout<expand = [64], perm = [0]>], output_layouts = [#ane.layout<expand = [64], perm = [0]>]} engine {
  ^bb0(%a: tensor<64xf16>):
    // expected-error @+1 {{has ane.from = array<i64: 0, 1>: it must name ops of the twin, which has 1}}
    %1 = ane.relu %a {ane.from = array<i64: 0, 1>} : tensor<64xf16>
    ane.yield %1 : tensor<64xf16>
  } twin {
  ^bb0(%a: tensor<64xf32>):
    %1 = ane.relu %a : tensor<64xf32>
    ane.yield %1 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

// -----

func.func @f(%in: tensor<64xf32>) -> tensor<64xf32> {
  %0 = ane.island(%in) : (tensor<64xf32>) -> tensor<64xf32> attributes {
      input_layouts = [#ane.layout<expand = [64], perm = [0]>], output_layouts = [#ane.layout<expand = [64], perm = [0]>]} engine {
  ^bb0(%a: tensor<64xf16>):
    // expected-error @+1 {{has ane.from = 0 : i64: the places in the twin of the ops that the op stands for must be array<i64>}}
    %1 = ane.relu %a {ane.from = 0} : tensor<64xf16>
    ane.yield %1 : tensor<64xf16>
  } twin {
  ^bb0(%a: tensor<64xf32>):
    %1 = ane.relu %a : tensor<64xf32>
    ane.yield %1 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}
