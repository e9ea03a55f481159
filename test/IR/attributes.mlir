// Every attribute that the dialect declares, where it may stand.
// RUN: ane-opt %s | ane-opt | FileCheck %s

// CHECK: module attributes {ane.keep = ["C04"], ane.mil_version = "1.0", ane.phase = "input", ane.prefer = "speed", ane.target = #ane.target<{{.*}}>, ane.trainable = ["w"], ane.weights = {w = 1 : i64}}
module attributes {ane.keep = ["C04"], ane.mil_version = "1.0", ane.phase = "input", ane.prefer = "speed",
                   ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = evidence>,
                   ane.trainable = ["w"], ane.weights = {w = 1 : i64}} {
  // CHECK: ane.state @s : tensor<4xf16> {ane.initial = dense<1.000000e+00> : tensor<4xf16>, ane.io_name = "past"}
  ane.state @s : tensor<4xf16> {ane.initial = dense<1.0> : tensor<4xf16>, ane.io_name = "past"}

  // CHECK: func.func @f(%{{.*}}: tensor<4xi32> {ane.bucket_axes = array<i64: 0>, ane.io_name = "i", ane.range = {max = 3 : i64, min = 0 : i64, reader = "gather"}})
  // CHECK-SAME: -> (tensor<4xf16> {ane.bucket_axes = array<i64>, ane.io_name = "y"})
  // CHECK-SAME: attributes {ane.bucket = {dimension = "s", masks = array<i64>, name = "f", pads = true, size = 4 : i64}, ane.opset = "ios17", ane.role = "plan"}
  func.func @f(%i: tensor<4xi32> {ane.bucket_axes = array<i64: 0>, ane.io_name = "i",
                                  ane.range = {max = 3 : i64, min = 0 : i64, reader = "gather"}})
      -> (tensor<4xf16> {ane.bucket_axes = array<i64>, ane.io_name = "y"})
      attributes {ane.bucket = {dimension = "s", masks = array<i64>, name = "f", pads = true, size = 4 : i64},
                  ane.opset = "ios17", ane.role = "plan"} {
    // CHECK: ane.const {ane.decides} #ane.weight
    %w = ane.const {ane.decides} #ane.weight<"f", 0, 16> : tensor<4xf32>
    // CHECK: ane.const {ane.sources = [#ane.weight<"f", 0, 16> : tensor<4xf32>]} dense
    %c = ane.const {ane.sources = [#ane.weight<"f", 0, 16> : tensor<4xf32>]} dense<1.0> : tensor<4xf16>
    // CHECK: ane.cast {{.*}}ane.overflow = 3.000000e+04 : f64
    %h = ane.cast %w {ane.overflow = 30000.0 : f64, dtype = "fp16"} : (tensor<4xf32>) -> tensor<4xf16>
    // CHECK: ane.add %{{.*}} {ane.declined = #ane.host<"C16", "no">, ane.from = array<i64: 0>, ane.host = #ane.host<"C16", "why">, ane.name = "sum"}
    %s = ane.add %h, %c {ane.declined = #ane.host<"C16", "no">, ane.from = array<i64: 0>, ane.host = #ane.host<"C16", "why">,
                         ane.name = "sum"} : tensor<4xf16>, tensor<4xf16>
    // CHECK: ane.matmul {{.*}}ane.masked = "scores"
    %q = ane.const dense<1.0> : tensor<2x2xf16>
    %m = ane.matmul %q, %q {ane.masked = "scores"} : (tensor<2x2xf16>, tensor<2x2xf16>) -> tensor<2x2xf16>
    // CHECK: ane.split {{.*}}ane.name = ["a", "b"]
    %a, %b = ane.split %s {ane.name = ["a", "b"], axis = 0 : i64, num_splits = 2 : i64} : (tensor<4xf16>) -> (tensor<2xf16>, tensor<2xf16>)
    return %s : tensor<4xf16>
  }

  // CHECK: ane.program @p attributes {ane.mil_version = "1.3"}
  ane.program @p attributes {ane.mil_version = "1.3"} {
    // CHECK: func.func @main(%{{.*}}: tensor<4xf16> {ane.holds = [{low = 7.7{{.*}}}, {exact, high = 8.000000e+00 : f64, low = -8.000000e+00 : f64}], ane.layout = #ane.layout<expand = [4], perm = [0]>, ane.name = "x", ane.surface = #ane.surface<row_stride = 64, bytes = 64>})
    // CHECK-SAME: -> (tensor<4xf16> {ane.layout = #ane.layout<expand = [4], perm = [0]>, ane.name = "y", ane.surface = #ane.surface<row_stride = 64, bytes = 64>})
    func.func @main(%x: tensor<4xf16> {ane.holds = [{low = 7.7e-6 : f64}, {low = -8.0 : f64, high = 8.0 : f64, exact}],
                                       ane.layout = #ane.layout<expand = [4], perm = [0]>, ane.name = "x",
                                       ane.surface = #ane.surface<row_stride = 64, bytes = 64>})
        -> (tensor<4xf16> {ane.layout = #ane.layout<expand = [4], perm = [0]>, ane.name = "y",
                           ane.surface = #ane.surface<row_stride = 64, bytes = 64>}) {
      return %x : tensor<4xf16>
    }
  }
}
