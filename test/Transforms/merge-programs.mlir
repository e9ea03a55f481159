// Programs that share half of the smaller one's weights are one program, with the procedures' names and layouts; what runs
// them names the procedure. Nothing exceeds what the target's records allow.
// RUN: ane-opt %s --ane-merge-programs | FileCheck %s
// RUN: ane-opt %s --ane-merge-programs=when=never | FileCheck %s --check-prefix=NEVER
// RUN: ane-opt %s --ane-merge-programs=when=always | FileCheck %s --check-prefix=ALWAYS
// RUN: sed 's/"h16"/"h13"/' %s | ane-opt --ane-merge-programs=when=always | FileCheck %s --check-prefix=NEVER
// RUN: sed s/in_memory/e5rt/ %s | ane-opt --ane-merge-programs=when=always | FileCheck %s --check-prefix=NEVER
// RUN: not ane-opt %s --ane-merge-programs=when=often 2>&1 | FileCheck %s --check-prefix=OFTEN
// RUN: ane-opt %s --ane-merge-programs --ane-assign-blobs | FileCheck %s --check-prefix=BLOBS

// CHECK: ane.eval @bank_0::@prefill_0 twin @twin
// CHECK: ane.eval @bank_0::@decode_0 twin @twin
// CHECK: ane.eval @decode_1::@main twin @twin
// CHECK: ane.eval @other_0::@main twin @twin
// CHECK: ane.eval @bank_0::@half_0 twin @twin
// CHECK: ane.program @bank_0
// CHECK-NEXT: func.func @prefill_0(%{{.*}}: tensor<128x256xf16> {ane.layout = #ane.layout<expand = [128, 256], perm = [0, 1]>}) -> (tensor<128x256xf16> {ane.layout =
// CHECK: func.func @decode_0
// CHECK: func.func @half_0(%{{.*}}: tensor<128x256xf16> {ane.holds = [{exact}], ane.layout =
// CHECK: ane.program @decode_1 {
// CHECK-NEXT: func.func @main
// CHECK: ane.program @other_0 {

// NEVER-COUNT-5: ane.eval @{{.*}}::@main
// NEVER-COUNT-5: ane.program

// ALWAYS-COUNT-5: ane.eval @bank_0::
// ALWAYS: ane.program @bank_0
// ALWAYS-COUNT-5: func.func @
// ALWAYS-NOT: ane.program

// OFTEN: error: no answer 'often' to when programs are merged: auto, never or always

// A weight that several procedures read has one record in the program's file; one that other programs read, too, is shared.
// BLOBS-LABEL: ane.program @bank_0
// BLOBS-COUNT-2: "weights/bank_0.bin"
// BLOBS: "weights/shared.bin"
// BLOBS: func.func @decode_0
// BLOBS: ane.blob "weights/bank_0.bin" at 64 :
// BLOBS: func.func @half_0
// BLOBS: ane.blob "weights/bank_0.bin" at 64 :
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<128x256xf16>) -> tensor<128x256xf16> {
    %0 = ane.eval @prefill_0::@main twin @twin(%x) : (tensor<128x256xf16>) -> tensor<128x256xf16>
    %1 = ane.eval @decode_0::@main twin @twin(%0) : (tensor<128x256xf16>) -> tensor<128x256xf16>
    %2 = ane.eval @decode_1::@main twin @twin(%1) : (tensor<128x256xf16>) -> tensor<128x256xf16>
    %3 = ane.eval @other_0::@main twin @twin(%2) : (tensor<128x256xf16>) -> tensor<128x256xf16>
    %4 = ane.eval @half_0::@main twin @twin(%3) : (tensor<128x256xf16>) -> tensor<128x256xf16>
    return %4 : tensor<128x256xf16>
  }
  func.func private @twin(tensor<128x256xf16>) -> tensor<128x256xf16>
  ane.program @prefill_0 {
    func.func @main(%x: tensor<128x256xf16> {ane.layout = #ane.layout<expand = [128, 256], perm = [0, 1]>}) -> (tensor<128x256xf16> {ane.layout = #ane.layout<expand = [128, 256], perm = [0, 1]>}) {
      %w0 = ane.const #ane.weight<"m.onnx", 0, 65536> : tensor<128x256xf16>
      %0 = ane.add %x, %w0 : tensor<128x256xf16>, tensor<128x256xf16>
      %w1 = ane.const #ane.weight<"m.onnx", 65536, 65536> : tensor<128x256xf16>
      %1 = ane.add %0, %w1 : tensor<128x256xf16>, tensor<128x256xf16>
      %w2 = ane.const #ane.weight<"m.onnx", 131072, 65536> : tensor<128x256xf16>
      %2 = ane.add %1, %w2 : tensor<128x256xf16>, tensor<128x256xf16>
      return %2 : tensor<128x256xf16>
    }
  }
  ane.program @decode_0 {
    func.func @main(%x: tensor<128x256xf16> {ane.layout = #ane.layout<expand = [128, 256], perm = [0, 1]>}) -> (tensor<128x256xf16> {ane.layout = #ane.layout<expand = [128, 256], perm = [0, 1]>}) {
      %w0 = ane.const #ane.weight<"m.onnx", 0, 65536> : tensor<128x256xf16>
      %0 = ane.add %x, %w0 : tensor<128x256xf16>, tensor<128x256xf16>
      %w1 = ane.const #ane.weight<"m.onnx", 65536, 65536> : tensor<128x256xf16>
      %1 = ane.add %0, %w1 : tensor<128x256xf16>, tensor<128x256xf16>
      %w2 = ane.const #ane.weight<"m.onnx", 131072, 65536> : tensor<128x256xf16>
      %2 = ane.add %1, %w2 : tensor<128x256xf16>, tensor<128x256xf16>
      return %2 : tensor<128x256xf16>
    }
  }
  ane.program @decode_1 {
    func.func @main(%x: tensor<128x256xf16> {ane.layout = #ane.layout<expand = [128, 256], perm = [0, 1]>}) -> (tensor<128x256xf16> {ane.layout = #ane.layout<expand = [128, 256], perm = [0, 1]>}) {
      %w0 = ane.const #ane.weight<"m.onnx", 131072, 65536> : tensor<128x256xf16>
      %0 = ane.add %x, %w0 : tensor<128x256xf16>, tensor<128x256xf16>
      %w1 = ane.const #ane.weight<"m.onnx", 196608, 65536> : tensor<128x256xf16>
      %1 = ane.add %0, %w1 : tensor<128x256xf16>, tensor<128x256xf16>
      %w2 = ane.const #ane.weight<"m.onnx", 262144, 65536> : tensor<128x256xf16>
      %2 = ane.add %1, %w2 : tensor<128x256xf16>, tensor<128x256xf16>
      %w3 = ane.const #ane.weight<"m.onnx", 327680, 65536> : tensor<128x256xf16>
      %3 = ane.add %2, %w3 : tensor<128x256xf16>, tensor<128x256xf16>
      return %3 : tensor<128x256xf16>
    }
  }
  ane.program @other_0 {
    func.func @main(%x: tensor<128x256xf16> {ane.layout = #ane.layout<expand = [128, 256], perm = [0, 1]>}) -> (tensor<128x256xf16> {ane.layout = #ane.layout<expand = [128, 256], perm = [0, 1]>}) {
      %w0 = ane.const #ane.weight<"m.onnx", 393216, 65536> : tensor<128x256xf16>
      %0 = ane.add %x, %w0 : tensor<128x256xf16>, tensor<128x256xf16>
      return %0 : tensor<128x256xf16>
    }
  }
  ane.program @half_0 {
    func.func @main(%x: tensor<128x256xf16> {ane.holds = [{exact}], ane.layout = #ane.layout<expand = [128, 256], perm = [0, 1]>}) -> (tensor<128x256xf16> {ane.layout = #ane.layout<expand = [128, 256], perm = [0, 1]>}) {
      %w0 = ane.const #ane.weight<"m.onnx", 0, 65536> : tensor<128x256xf16>
      %0 = ane.add %x, %w0 : tensor<128x256xf16>, tensor<128x256xf16>
      %w1 = ane.const #ane.weight<"m.onnx", 458752, 65536> : tensor<128x256xf16>
      %1 = ane.add %0, %w1 : tensor<128x256xf16>, tensor<128x256xf16>
      return %1 : tensor<128x256xf16>
    }
  }
}
