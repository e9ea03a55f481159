// RUN: ane-opt %s --ane-outline-package | FileCheck %s
// RUN: ane-opt %s --ane-outline-package --ane-assign-blobs --ane-assign-names=ports=model | FileCheck %s --check-prefix=NAMES
// RUN: not ane-opt %s --ane-outline-package --ane-assign-names=ports=none 2>&1 | FileCheck %s --check-prefix=WRONG

// All functions of a model are in one program, whose weights lie in weight.bin.
// CHECK: ane.program @weight
// CHECK: func.func @main
// CHECK: func.func @other
// Inputs and outputs are called as the model calls them.
// NAMES: func.func @main(%arg0: tensor<16xf32> {ane.io_name = "a.b", ane.name = "a.b"}) -> (tensor<16xf32> {ane.io_name = "y", ane.name = "y"})
// NAMES: ane.blob "weights/weight.bin" at 64
// NAMES: ane.add {{.*}}ane.name = "y"
// WRONG: ports = none: numbered or model
module attributes {ane.target = #ane.target<chip = "h16", route = coreml, os = 13, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<16xf32> {ane.io_name = "a.b"}) -> (tensor<16xf32> {ane.io_name = "y"}) {
    %w = ane.const dense<[1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0]> : tensor<16xf32>
    %0 = ane.add %x, %w : tensor<16xf32>, tensor<16xf32>
    return %0 : tensor<16xf32>
  }
  func.func @other(%x: tensor<16xf32> {ane.io_name = "x"}) -> (tensor<16xf32> {ane.io_name = "y"}) {
    %0 = ane.relu %x : tensor<16xf32>
    return %0 : tensor<16xf32>
  }
}
