// A program as a package, and back: the same text of MIL.
// RUN: rm -rf %t && mkdir %t
// RUN: ane-opt %s --ane-outline-package --ane-assign-blobs --ane-assign-names=ports=model -o %t/named.mlir
// RUN: ane-translate --ane-to-mlpackage %t/named.mlir -o %t/m.mlpackage
// RUN: ane-translate --mlpackage-to-ane %t/m.mlpackage -o %t/again.mlir
// RUN: ane-translate --ane-to-mil %t/again.mlir | FileCheck %s
// The file of the model in it will do, too.
// RUN: ane-translate --mlpackage-to-ane %t/m.mlpackage/Data/com.apple.CoreML/model.mlmodel | ane-translate --ane-to-mil | FileCheck %s
// A package is a folder.
// RUN: not ane-translate --ane-to-mlpackage %t/named.mlir 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not ane-translate --ane-to-mlpackage %s -o %t/n.mlpackage 2>&1 | FileCheck %s --check-prefix=PROGRAM
// RUN: not ls %t/n.mlpackage

// CHECK: func main<ios16>(tensor<fp32, [16]> x) {
// CHECK: tensor<fp32, [16]> weight_0 = const()[name = tensor<string, []>("weight_0"), val = tensor<fp32, [16]>(BLOBFILE(path = tensor<string, []>("@model_path/weights/weight.bin"), offset = tensor<uint64, []>(64)))];
// CHECK: tensor<fp32, [16]> y = add(x = x, y = weight_0)
// CHECK: } -> (y);
// FOLDER: a package is a folder: give its name, -o NAME.mlpackage
// PROGRAM: a package holds one program
module attributes {ane.target = #ane.target<chip = "h16", route = coreml, os = 13, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<16xf32> {ane.io_name = "x"}) -> (tensor<16xf32> {ane.io_name = "y"}) {
    %w = ane.const dense<[1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0]> : tensor<16xf32>
    %0 = ane.add %x, %w : tensor<16xf32>, tensor<16xf32>
    return %0 : tensor<16xf32>
  }
}
