// What the verifiers refuse: states.
// RUN: ane-opt %s -split-input-file -verify-diagnostics

func.func @f() {
  // expected-error @+1 {{@cache is not an ane.state}}
  %0 = ane.read_state @cache : tensor<4xf16>
  return
}

// -----

ane.state @cache : tensor<4xf16>

func.func @f(%x: tensor<5xf16>) {
  // expected-error @+1 {{has type 'tensor<5xf16>', but state @cache has type 'tensor<4xf16>'}}
  ane.write_state @cache, %x : tensor<5xf16>
  return
}
