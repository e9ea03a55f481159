// Blobs, and the constexpr ops that carry their arguments among the attributes.
// RUN: ane-translate --ane-to-mil %s | FileCheck %s
// RUN: ane-translate --ane-to-mil %s -o %t.1.mil
// RUN: ane-translate --mil-to-ane --mil-weights=nowhere %t.1.mil -o %t.mlir
// RUN: FileCheck --check-prefix=BACK %s < %t.mlir
// RUN: ane-translate --ane-to-mil %t.mlir | cmp - %t.1.mil

ane.program @p attributes {ane.mil_version = "1.3"} {
  func.func @main(%x: tensor<1x32x1x32xf16>) -> tensor<1x64x1x32xf16> attributes {ane.opset = "ios18"} {
    // The offset is the record's, the data of a well-formed file are 64 bytes behind it.
    // CHECK: tensor<fp16, [64, 32, 1, 1]> w = const()[name = string("w"), val = tensor<fp16, [64, 32, 1, 1]>(BLOBFILE(path = string("@model_path/weights/p.bin"), offset = uint64(192)))];
    // BACK: ane.blob "weights/p.bin" at 192 {ane.name = "w"} : tensor<64x32x1x1xf16> {
    // BACK-NEXT: ane.const #ane.weight<"nowhere/weights/p.bin", 256, 4096> : tensor<64x32x1x1xf16>
    %w = ane.blob "weights/p.bin" at 192 {ane.name = "w"} : tensor<64x32x1x1xf16> {
      %0 = ane.const #ane.weight<"model.bin", 0, 4096> : tensor<64x32x1x1xf16>
      ane.yield %0 : tensor<64x32x1x1xf16>
    }
    // CHECK-NEXT: int32 groups_0
    // CHECK-NEXT: string pad_type_0
    // CHECK-NEXT: conv(groups = groups_0, pad_type = pad_type_0, weight = w, x = in_0)
    // BACK: ane.conv
    %y = ane.conv %x, %w : (tensor<1x32x1x32xf16>, tensor<64x32x1x1xf16>) -> tensor<1x64x1x32xf16>
    %q = ane.blob "weights/p.bin" at 4352 {ane.name = "q"} : tensor<64x64x1x1xi8> {
      %0 = ane.const #ane.weight<"model.bin", 4096, 4096> : tensor<64x64x1x1xi8>
      ane.yield %0 : tensor<64x64x1x1xi8>
    }
    %zero = ane.const dense<-3> : tensor<i8>
    %scale = ane.const dense<0.125> : tensor<f16>
    // The constants have no statements of their own.
    // CHECK-NEXT: tensor<fp16, [64, 64, 1, 1]> v = constexpr_affine_dequantize()[name = string("v"), axis = int32(0), quantized_data = tensor<int8, [64, 64, 1, 1]>(BLOBFILE(path = string("@model_path/weights/p.bin"), offset = uint64(4352))), scale = fp16(0x1p-3), zero_point = int8(-3)];
    // BACK-DAG: ane.const dense<-3> : tensor<i8>
    // BACK-DAG: ane.blob "weights/p.bin" at 4352 : tensor<64x64x1x1xi8>
    // BACK: ane.constexpr_affine_dequantize
    %v = ane.constexpr_affine_dequantize %q, %zero, %scale {ane.name = "v", axis = 0 : i64} : (tensor<64x64x1x1xi8>, tensor<i8>, tensor<f16>) -> tensor<64x64x1x1xf16>
    // CHECK-NEXT: conv(groups = groups_0, pad_type = pad_type_0, weight = v, x = conv_0)
    %z = ane.conv %y, %v : (tensor<1x64x1x32xf16>, tensor<64x64x1x1xf16>) -> tensor<1x64x1x32xf16>
    return %z : tensor<1x64x1x32xf16>
  }
}
