// What several programs read is stored once, if it is large: a second file for a program has its price.
// RUN: ane-opt %s --ane-assign-blobs | FileCheck %s
// RUN: sed s/h16/h13/ %s | ane-opt --ane-assign-blobs | FileCheck %s --check-prefix=EARLY
// RUN: sed s/@q/@shared/ %s | ane-opt --ane-assign-blobs | FileCheck %s --check-prefix=TAKEN

// CHECK-LABEL: ane.program @p
// CHECK: ane.blob "weights/shared.bin" at 64 : tensor<128x256xf16>
// CHECK: ane.blob "weights/p.bin" at 64 : tensor<256xf16>
// CHECK: ane.blob "weights/p.bin" at 640 : tensor<128x256xf16>
// CHECK-LABEL: ane.program @q
// CHECK: ane.blob "weights/shared.bin" at 64 : tensor<128x256xf16>
// CHECK: ane.blob "weights/q.bin" at 64 : tensor<256xf16>
// CHECK-LABEL: ane.program @r
// CHECK-NOT: weights/shared.bin

// Where files of several records are in doubt, each constant has a file, which all its programs read.
// EARLY-LABEL: ane.program @p
// EARLY: ane.blob "weights/p_0.bin" at 64 : tensor<128x256xf16>
// EARLY: ane.blob "weights/p_1.bin" at 64 : tensor<256xf16>
// EARLY: ane.blob "weights/p_2.bin" at 64 : tensor<128x256xf16>
// EARLY-LABEL: ane.program @q
// EARLY: ane.blob "weights/p_0.bin" at 64 : tensor<128x256xf16>
// EARLY: ane.blob "weights/p_1.bin" at 64 : tensor<256xf16>
// EARLY-LABEL: ane.program @r
// EARLY: ane.blob "weights/r_0.bin" at 64 : tensor<256x128xf16>
// A program may be called so.
// TAKEN-LABEL: ane.program @p
// TAKEN-NOT: weights/shared.bin
// TAKEN-LABEL: ane.program @shared
// TAKEN-COUNT-2: ane.blob "weights/shared.bin"
// TAKEN-LABEL: ane.program @r
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @p {
    func.func @main(%x: tensor<128x256xf16>) -> tensor<128x256xf16> {
      %w = ane.const #ane.weight<"m.onnx", 0, 131072> : tensor<128x256xf32>
      %a = ane.cast %w {dtype = "fp16"} : (tensor<128x256xf32>) -> tensor<128x256xf16>
      %b = ane.const #ane.weight<"m.onnx", 131072, 512> : tensor<256xf16>
      %own = ane.const #ane.weight<"m.onnx", 200000, 65536> : tensor<128x256xf16>
      %0 = ane.add %x, %a : tensor<128x256xf16>, tensor<128x256xf16>
      %1 = ane.add %0, %b : tensor<128x256xf16>, tensor<256xf16>
      %2 = ane.add %1, %own : tensor<128x256xf16>, tensor<128x256xf16>
      return %2 : tensor<128x256xf16>
    }
  }
  ane.program @q {
    func.func @main(%x: tensor<128x256xf16>) -> tensor<128x256xf16> {
      %w = ane.const #ane.weight<"m.onnx", 0, 131072> : tensor<128x256xf32>
      %a = ane.cast %w {dtype = "fp16"} : (tensor<128x256xf32>) -> tensor<128x256xf16>
      %b = ane.const #ane.weight<"m.onnx", 131072, 512> : tensor<256xf16>
      %0 = ane.mul %x, %a : tensor<128x256xf16>, tensor<128x256xf16>
      %1 = ane.add %0, %b : tensor<128x256xf16>, tensor<256xf16>
      return %1 : tensor<128x256xf16>
    }
  }
  // The same bytes in another order are another constant.
  ane.program @r {
    func.func @main(%x: tensor<256x128xf16>) -> tensor<256x128xf16> {
      %w = ane.const #ane.weight<"m.onnx", 0, 131072> : tensor<128x256xf32>
      %a = ane.cast %w {dtype = "fp16"} : (tensor<128x256xf32>) -> tensor<128x256xf16>
      %t = ane.transpose %a {perm = array<i64: 1, 0>} : (tensor<128x256xf16>) -> tensor<256x128xf16>
      %0 = ane.mul %x, %t : tensor<256x128xf16>, tensor<256x128xf16>
      return %0 : tensor<256x128xf16>
    }
  }
}
