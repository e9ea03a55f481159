// The compiler writes the flags as names of constants, and the linter has nothing against them.
// RUN: ane-opt %s --ane-to-emittable -o %t.mlir
// RUN: ane-translate %t.mlir --ane-to-mil -o %t.mil
// RUN: FileCheck %s < %t.mil
// RUN: ane-translate --lint %t.mil --target=m4 | FileCheck %s --check-prefix=LINT --allow-empty

// CHECK: tensor<bool, []> [[FLAG:[a-z_0-9]+]] = const()[{{.*}}val = tensor<bool, []>(true)];
// CHECK: matmul({{.*}}transpose_y = [[FLAG]], x =
// LINT-NOT: violates

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x64x64xf32>, %y: tensor<1x64x64xf32>) -> tensor<1x64x64xf32> {
    %0 = ane.matmul %x, %y {transpose_x = false, transpose_y = true} : (tensor<1x64x64xf32>, tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    return %0 : tensor<1x64x64xf32>
  }
}
