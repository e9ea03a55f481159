// RUN: ane-translate --ane-to-mil --split-input-file --verify-diagnostics %s

func.func @main(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  // expected-error @+1 {{'ane.rms_norm' op has no spelling in MIL; it must be decomposed or run on the host}}
  %0 = ane.rms_norm %x : (tensor<4x8xf16>) -> tensor<4x8xf16>
  return %0 : tensor<4x8xf16>
}

// -----

// expected-error @+1 {{argument 0: MIL has no tensors of 'i64', found 'tensor<4xi64>'; such values stay on the host}}
func.func @main(%x: tensor<4xi64>) -> tensor<4xi64> {
  %0 = ane.add %x, %x : tensor<4xi64>, tensor<4xi64>
  return %0 : tensor<4xi64>
}

// -----

func.func @main(%x: tensor<4xf16>) -> tensor<4xbf16> {
  // expected-error @+1 {{'ane.cast' op MIL has no tensors of 'bf16', found 'tensor<4xbf16>'}}
  %0 = ane.cast %x {dtype = "bf16"} : (tensor<4xf16>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// -----

func.func @main(%x: tensor<4x2x8xf16>) -> tensor<4x2x8xf16> {
  // expected-error @+1 {{'ane.scaled_dot_product_attention' op needs opset ios18, the program is written for ios16; set a target with a later opset}}
  %0 = ane.scaled_dot_product_attention %x, %x, %x : (tensor<4x2x8xf16>, tensor<4x2x8xf16>, tensor<4x2x8xf16>) -> tensor<4x2x8xf16>
  return %0 : tensor<4x2x8xf16>
}

// -----

func.func @main(%x: tensor<4xf16>) -> tensor<i16> {
  // expected-error @+1 {{'ane.reduce_argmax' op argument 'output_dtype' needs opset ios17, the program is written for ios16}}
  %0 = ane.reduce_argmax %x {output_dtype = "int16"} : (tensor<4xf16>) -> tensor<i16>
  return %0 : tensor<i16>
}

// -----

func.func @main(%x: tensor<4xf16>) -> tensor<1xf16> {
  // expected-error @+1 {{'ane.slice_by_index' op argument 'stride': 4294967296 is out of range of MIL's int32}}
  %0 = ane.slice_by_index %x {begin = array<i64: 0>, end = array<i64: 4>, stride = array<i64: 4294967296>} : (tensor<4xf16>) -> tensor<1xf16>
  return %0 : tensor<1xf16>
}

// -----

func.func @main(%x: tensor<512xf16>) -> tensor<512xf16> {
  // expected-error @+1 {{'ane.const' op names bytes of the model, not a record of a weight file; run --ane-assign-blobs first}}
  %0 = ane.const #ane.weight<"model.onnx", 128, 1024> : tensor<512xf16>
  %1 = ane.add %x, %0 : tensor<512xf16>, tensor<512xf16>
  return %1 : tensor<512xf16>
}

// -----

// expected-error @+1 {{unknown opset 'ios99' in ane.opset}}
func.func @main(%x: tensor<4xf16>) -> tensor<4xf16> attributes {ane.opset = "ios99"} {
  return %x : tensor<4xf16>
}

// -----

// expected-error @+1 {{'a-b' is no name of a MIL function}}
func.func @"a-b"(%x: tensor<4xf16>) -> tensor<4xf16> {
  return %x : tensor<4xf16>
}

// -----

// expected-error @+1 {{no function to write as MIL}}
module {
}

// -----

// expected-error @+1 {{one MIL text holds one program, the module has 2}}
module {
  // expected-note @+1 {{program 'a'}}
  ane.program @a {
    func.func @main(%x: tensor<4xf16>) -> tensor<4xf16> {
      return %x : tensor<4xf16>
    }
  }
  // expected-note @+1 {{program 'b'}}
  ane.program @b {
    func.func @main(%x: tensor<4xf16>) -> tensor<4xf16> {
      return %x : tensor<4xf16>
    }
  }
}

// -----

// expected-error @+1 {{unknown MIL version '2.0' in ane.mil_version; 1.0 and 1.3 are known}}
ane.program @a attributes {ane.mil_version = "2.0"} {
  func.func @main(%x: tensor<4xf16>) -> tensor<4xf16> {
    return %x : tensor<4xf16>
  }
}
