// RUN: ane-opt %s --ane-assign-blobs | FileCheck %s
// RUN: not ane-opt %S/Inputs/unreadable-constant.mlir --ane-assign-blobs 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: {{.*}}missing.bin

// Ten elements and more get a record; equal expressions share one; a record starts at the next multiple of 64 after the
// descriptor (64 bytes) and the data of the one before: 64 + 64 + 128 = 256.
// CHECK-LABEL: ane.program @p
// CHECK: ane.blob "weights/p.bin" at 64 : tensor<8x8xf16>
// CHECK: ane.cast
// CHECK: ane.yield
// CHECK: ane.blob "weights/p.bin" at 64 : tensor<8x8xf16>
// CHECK: ane.blob "weights/p.bin" at 256 : tensor<10xf16>
// CHECK: ane.const dense<{{.*}}> : tensor<9xf16>
// CHECK: ane.const dense<[2.000000e+00, 4.000000e+00]> : tensor<2xf16>
// CHECK-NOT: ane.reshape
// CHECK: return
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @p {
    func.func @main(%x: tensor<8x8xf16>, %y: tensor<10xf16>, %z: tensor<9xf16>, %u: tensor<2xf16>) -> (tensor<8x8xf16>, tensor<8x8xf16>, tensor<10xf16>, tensor<9xf16>, tensor<2xf16>) {
      %w = ane.const #ane.weight<"m.onnx", 0, 256> : tensor<8x8xf32>
      %a = ane.cast %w {dtype = "fp16"} : (tensor<8x8xf32>) -> tensor<8x8xf16>
      %v = ane.const #ane.weight<"m.onnx", 0, 256> : tensor<8x8xf32>
      %b = ane.cast %v {dtype = "fp16"} : (tensor<8x8xf32>) -> tensor<8x8xf16>
      %c = ane.const dense<1.0> : tensor<10xf16>
      %d = ane.const dense<1.0> : tensor<9xf16>
      %e = ane.const dense<[[1.0], [2.0]]> : tensor<2x1xf16>
      %f = ane.reshape %e {shape = array<i64: 2>} : (tensor<2x1xf16>) -> tensor<2xf16>
      %two = ane.const dense<2.0> : tensor<f16>
      %g = ane.mul %f, %two : tensor<2xf16>, tensor<f16>
      %0 = ane.add %x, %a : tensor<8x8xf16>, tensor<8x8xf16>
      %1 = ane.mul %x, %b : tensor<8x8xf16>, tensor<8x8xf16>
      %2 = ane.add %y, %c : tensor<10xf16>, tensor<10xf16>
      %3 = ane.add %z, %d : tensor<9xf16>, tensor<9xf16>
      %4 = ane.add %u, %g : tensor<2xf16>, tensor<2xf16>
      return %0, %1, %2, %3, %4 : tensor<8x8xf16>, tensor<8x8xf16>, tensor<10xf16>, tensor<9xf16>, tensor<2xf16>
    }
  }

  // Each program has a file of its own; functions outside programs keep their constants.
  // CHECK-LABEL: ane.program @q
  // CHECK: ane.blob "weights/q.bin" at 64
  // CHECK-LABEL: func.func private @host
  // CHECK-NOT: ane.blob
  ane.program @q {
    func.func @main(%y: tensor<10xf16>) -> tensor<10xf16> {
      %c = ane.const dense<1.0> : tensor<10xf16>
      %2 = ane.add %y, %c : tensor<10xf16>, tensor<10xf16>
      return %2 : tensor<10xf16>
    }
  }
  func.func private @host(%y: tensor<10xf16>) -> tensor<10xf16> {
    %c = ane.const dense<1.0> : tensor<10xf16>
    %2 = ane.add %y, %c : tensor<10xf16>, tensor<10xf16>
    return %2 : tensor<10xf16>
  }
}
