// RUN: ane-opt %s --ane-form-islands | FileCheck %s
// RUN: sed 's/h16/h15/; s/catalog/evidence/; s/os = 15/os = 26/' %s | ane-opt --ane-form-islands | FileCheck %s --check-prefix=LIFTED

// Surfaces of one size (C18): three small weights beside one of 128 MB would take 384 MB more.
// CHECK-LABEL: func.func @large_beside_small
// CHECK: %[[A:.*]] = ane.island(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: ane.island(%[[A]], %{{.*}})
// CHECK: return

// Where the rule is lifted one program does.
// LIFTED-LABEL: func.func @large_beside_small
// LIFTED: ane.island(
// LIFTED-NOT: ane.island(
// LIFTED: return

// Equal inputs need no padding, however large.
// CHECK-LABEL: func.func @equal
// CHECK: ane.island(
// CHECK-NOT: ane.island(
// CHECK: return
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @large_beside_small(%x: tensor<64x64xf32>, %a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>,
                                %large: tensor<64x1048576xf32>) -> tensor<64x1048576xf32> {
    %0 = ane.matmul %x, %a : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = ane.matmul %0, %b : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %2 = ane.matmul %1, %c : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %3 = ane.matmul %2, %large : (tensor<64x64xf32>, tensor<64x1048576xf32>) -> tensor<64x1048576xf32>
    return %3 : tensor<64x1048576xf32>
  }
  func.func @equal(%a: tensor<64x1048576xf32>, %b: tensor<64x1048576xf32>, %c: tensor<64x1048576xf32>) -> tensor<64x1048576xf32> {
    %0 = ane.add %a, %b : tensor<64x1048576xf32>, tensor<64x1048576xf32>
    %1 = ane.add %0, %c : tensor<64x1048576xf32>, tensor<64x1048576xf32>
    return %1 : tensor<64x1048576xf32>
  }
}
