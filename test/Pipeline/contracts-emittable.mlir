// What the verifier of phase emittable refuses.
// RUN: not ane-opt %s --split-input-file --ane-verify-phase=phase=emittable 2>&1 | FileCheck %s

// CHECK: error: 'ane.relu' op has no ane.name
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @p {
    func.func @main(%x: tensor<1x1x1x64xf16> {ane.layout = #ane.layout<expand = [64], perm = [0]>, ane.name = "in00", ane.surface = #ane.surface<row_stride = 128, bytes = 49152>}) -> (tensor<1x1x1x64xf16> {ane.layout = #ane.layout<expand = [64], perm = [0]>, ane.name = "out00", ane.surface = #ane.surface<row_stride = 128, bytes = 49152>}) {
      %0 = ane.relu %x : tensor<1x1x1x64xf16>
      return %0 : tensor<1x1x1x64xf16>
    }
  }
}

// -----

// CHECK: error: 'ane.sigmoid' op has the name "out00", which is taken
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @p {
    func.func @main(%x: tensor<1x1x1x64xf16> {ane.layout = #ane.layout<expand = [64], perm = [0]>, ane.name = "in00", ane.surface = #ane.surface<row_stride = 128, bytes = 49152>}) -> (tensor<1x1x1x64xf16> {ane.layout = #ane.layout<expand = [64], perm = [0]>, ane.name = "out00", ane.surface = #ane.surface<row_stride = 128, bytes = 49152>}) {
      %0 = ane.relu %x {ane.name = "out00"} : tensor<1x1x1x64xf16>
      %1 = ane.sigmoid %0 {ane.name = "out00"} : tensor<1x1x1x64xf16>
      return %1 : tensor<1x1x1x64xf16>
    }
  }
}

// -----

// CHECK: error: 'ane.relayout' op has no MIL spelling
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @p {
    func.func @main(%x: tensor<1x1x1x64xf16> {ane.layout = #ane.layout<expand = [64], perm = [0]>, ane.name = "in00", ane.surface = #ane.surface<row_stride = 128, bytes = 49152>}) -> (tensor<1x1x1x64xf16> {ane.layout = #ane.layout<expand = [64], perm = [0]>, ane.name = "out00", ane.surface = #ane.surface<row_stride = 128, bytes = 49152>}) {
      %0 = ane.relayout %x expand [64] perm [0] {ane.name = "out00"} : tensor<1x1x1x64xf16> -> tensor<1x1x1x64xf16>
      return %0 : tensor<1x1x1x64xf16>
    }
  }
}

// -----

// The allocation of the input is below the target's minimum.
// CHECK: error: {{.*}}C04
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @p {
    func.func @main(%x: tensor<1x1x1x64xf16> {ane.layout = #ane.layout<expand = [64], perm = [0]>, ane.name = "in00", ane.surface = #ane.surface<row_stride = 128, bytes = 1024>}) -> (tensor<1x1x1x64xf16> {ane.layout = #ane.layout<expand = [64], perm = [0]>, ane.name = "out00", ane.surface = #ane.surface<row_stride = 128, bytes = 1024>}) {
      %0 = ane.relu %x {ane.name = "out00"} : tensor<1x1x1x64xf16>
      return %0 : tensor<1x1x1x64xf16>
    }
  }
}

// -----

// CHECK: error: 'func.func' op has no body
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @p {
    func.func private @main(tensor<1x1x1x64xf16> {ane.layout = #ane.layout<expand = [64], perm = [0]>}) -> (tensor<1x1x1x64xf16> {ane.layout = #ane.layout<expand = [64], perm = [0]>})
  }
}
