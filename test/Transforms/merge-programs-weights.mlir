// Weights of a program have a maximum (C133): two programs of 1.2 GB are two, unless these are the same weights.
// RUN: ane-opt %s --ane-merge-programs=when=always | FileCheck %s
// RUN: sed s/1200000000,/0,/ %s | ane-opt --ane-merge-programs=when=always | FileCheck %s --check-prefix=SAME

// CHECK-COUNT-2: ane.program
// SAME-COUNT-1: ane.program
// SAME-NOT: ane.program
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @a {
    func.func @main(%x: tensor<20000x30000xf16>) -> tensor<20000x30000xf16> {
      %w = ane.const #ane.weight<"m.onnx", 0, 1200000000> : tensor<20000x30000xf16>
      %0 = ane.add %x, %w : tensor<20000x30000xf16>, tensor<20000x30000xf16>
      return %0 : tensor<20000x30000xf16>
    }
  }
  ane.program @b {
    func.func @main(%x: tensor<20000x30000xf16>) -> tensor<20000x30000xf16> {
      %w = ane.const #ane.weight<"m.onnx", 1200000000, 1200000000> : tensor<20000x30000xf16>
      %0 = ane.add %x, %w : tensor<20000x30000xf16>, tensor<20000x30000xf16>
      return %0 : tensor<20000x30000xf16>
    }
  }
}
