// Round trip: constants and containers.
// RUN: ane-opt %s --verify-roundtrip | FileCheck %s

// CHECK: module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>}
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {

// CHECK-LABEL: @constants
// CHECK: ane.const #ane.weight<"model.onnx", 4096, 24> : tensor<2x3xf32>
// CHECK: ane.const #ane.weight<"model.onnx", 64, 3, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"> : tensor<3xi1>
// CHECK: ane.const dense<1> : tensor<4xi64>
func.func @constants() -> (tensor<2x3xf32>, tensor<3xi1>, tensor<4xi64>) {
  %0 = ane.const #ane.weight<"model.onnx", 4096, 24> : tensor<2x3xf32>
  %1 = ane.const #ane.weight<"model.onnx", 64, 3, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"> : tensor<3xi1>
  %2 = ane.const dense<1> : tensor<4xi64>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<3xi1>, tensor<4xi64>
}

// CHECK-LABEL: @island
// CHECK: ane.island(%{{.*}}) : (tensor<1x128x64xf32>) -> tensor<1x128x64xf32>
// CHECK-SAME: input_layouts = [#ane.layout<expand = [128, 64], perm = [1, 0]>]
// CHECK-SAME: engine {
// CHECK: ^bb0(%{{.*}}: tensor<1x64x1x128xf16>):
// CHECK: ane.yield %{{.*}} : tensor<1x64x1x128xf16>
// CHECK: } twin {
// CHECK: ane.yield %{{.*}} : tensor<1x128x64xf32>
func.func @island(%x: tensor<1x128x64xf32>) -> tensor<1x128x64xf32> {
  %0 = ane.island(%x) : (tensor<1x128x64xf32>) -> tensor<1x128x64xf32> attributes {
    input_layouts = [#ane.layout<expand = [128, 64], perm = [1, 0]>],
    output_layouts = [#ane.layout<expand = [128, 64], perm = [1, 0]>]
  } engine {
  ^bb0(%a: tensor<1x64x1x128xf16>):
    %1 = ane.relu %a : tensor<1x64x1x128xf16>
    ane.yield %1 : tensor<1x64x1x128xf16>
  } twin {
  ^bb0(%a: tensor<1x128x64xf32>):
    %1 = ane.relu %a : tensor<1x128x64xf32>
    ane.yield %1 : tensor<1x128x64xf32>
  }
  return %0 : tensor<1x128x64xf32>
}

// CHECK: ane.parameter "wte.weight" : tensor<4xf32> {
ane.parameter "wte.weight" : tensor<4xf32> {
  %0 = ane.const #ane.weight<"model.onnx", 4096, 8> : tensor<4xf16>
  %1 = ane.cast %0 {dtype = "fp32"} : (tensor<4xf16>) -> tensor<4xf32>
  ane.yield %1 : tensor<4xf32>
}

// CHECK-LABEL: ane.program @main_0
// CHECK: ane.blob "weights/main_0.bin" at 64 : tensor<4xf16>
// CHECK: ane.relayout %{{.*}} expand [64, 128] perm [1, 0] : tensor<1x64x1x128xf16> -> tensor<1x128x64xf16>
ane.program @main_0 {
  func.func @main(%x: tensor<1x64x1x128xf16> {ane.layout = #ane.layout<expand = [128, 64], perm = [1, 0]>}) -> (tensor<1x128x64xf16>, tensor<4xf16>) {
    %w = ane.blob "weights/main_0.bin" at 64 : tensor<4xf16> {
      %0 = ane.const #ane.weight<"model.onnx", 4096, 16> : tensor<4xf32>
      %1 = ane.cast %0 {dtype = "fp16"} : (tensor<4xf32>) -> tensor<4xf16>
      ane.yield %1 : tensor<4xf16>
    }
    %0 = ane.relayout %x expand [64, 128] perm [1, 0] : tensor<1x64x1x128xf16> -> tensor<1x128x64xf16>
    return %0, %w : tensor<1x128x64xf16>, tensor<4xf16>
  }
}

func.func private @twin(tensor<1x128x64xf32>) -> (tensor<1x128x64xf32>, tensor<4xf32>)

// CHECK-LABEL: @plan
// CHECK: ane.eval @main_0::@main twin @twin(%{{.*}}) : (tensor<1x128x64xf32>) -> (tensor<1x128x64xf32>, tensor<4xf32>)
func.func @plan(%x: tensor<1x128x64xf32>) -> (tensor<1x128x64xf32>, tensor<4xf32>) {
  %0:2 = ane.eval @main_0::@main twin @twin(%x) : (tensor<1x128x64xf32>) -> (tensor<1x128x64xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<1x128x64xf32>, tensor<4xf32>
}

// CHECK: ane.relu %{{.*}} {ane.host = #ane.host<"C21", "rank 5">} : tensor<2xf32>
func.func @mark(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = ane.relu %x {ane.host = #ane.host<"C21", "rank 5">} : tensor<2xf32>
  return %0 : tensor<2xf32>
}

}
