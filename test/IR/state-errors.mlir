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

// -----

ane.state @cache : tensor<4x8xf16>

func.func @f(%x: tensor<1x8xf16>, %at: tensor<i64>) {
  // expected-error @+1 {{has type 'tensor<5x8xf16>', but state @cache has type 'tensor<4x8xf16>'}}
  %0 = ane.update_state @cache, %x at %at axis 0 : (tensor<1x8xf16>, tensor<i64>) -> tensor<5x8xf16>
  return
}

// -----

ane.state @cache : tensor<4x8xf16>

func.func @f(%x: tensor<1x8xf16>, %at: tensor<i64>) {
  // expected-error @+1 {{axis is 2, the state has rank 2}}
  %0 = ane.update_state @cache, %x at %at axis 2 : (tensor<1x8xf16>, tensor<i64>) -> tensor<4x8xf16>
  return
}

// -----

ane.state @cache : tensor<4x8xf16>

func.func @f(%x: tensor<1x8xf16>, %at: tensor<2xi64>) {
  // expected-error @+1 {{position has type 'tensor<2xi64>', expected one number, or one for each of the 1 entries}}
  %0 = ane.update_state @cache, %x at %at axis 0 : (tensor<1x8xf16>, tensor<2xi64>) -> tensor<4x8xf16>
  return
}

// -----

ane.state @cache : tensor<4x8xf16>

func.func @f(%x: tensor<1x7xf16>, %at: tensor<i64>) {
  // expected-error @+1 {{window has type 'tensor<1x7xf16>', the state 'tensor<4x8xf16>': they may differ along axis 0 only}}
  %0 = ane.update_state @cache, %x at %at axis 0 : (tensor<1x7xf16>, tensor<i64>) -> tensor<4x8xf16>
  return
}

// -----

ane.state @cache : tensor<4x8xf16>

func.func @f(%x: tensor<2x8xf16>, %at: tensor<i64>) {
  // expected-error @+1 {{skip_outside is for windows of one entry, this one has 2}}
  %0 = ane.update_state @cache, %x at %at axis 0 {skip_outside} : (tensor<2x8xf16>, tensor<i64>) -> tensor<4x8xf16>
  return
}
