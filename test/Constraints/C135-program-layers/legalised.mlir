// RUN: ane-opt %s --ane-to-legal --ane-verify-legal | FileCheck %s

// CHECK-COUNT-2: ane.island

module attributes {ane.target = #ane.target<chip = "h16", route = e5rt, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %first = ane.relu %x : tensor<64x64xf32>
    %0 = ane.softmax %first {axis = -1 : i64} : tensor<64x64xf32>
    %1 = ane.softmax %0 {axis = -1 : i64} : tensor<64x64xf32>
    %2 = ane.softmax %1 {axis = -1 : i64} : tensor<64x64xf32>
    %3 = ane.softmax %2 {axis = -1 : i64} : tensor<64x64xf32>
    %4 = ane.softmax %3 {axis = -1 : i64} : tensor<64x64xf32>
    %5 = ane.softmax %4 {axis = -1 : i64} : tensor<64x64xf32>
    %6 = ane.softmax %5 {axis = -1 : i64} : tensor<64x64xf32>
    %7 = ane.softmax %6 {axis = -1 : i64} : tensor<64x64xf32>
    %8 = ane.softmax %7 {axis = -1 : i64} : tensor<64x64xf32>
    %9 = ane.softmax %8 {axis = -1 : i64} : tensor<64x64xf32>
    %10 = ane.softmax %9 {axis = -1 : i64} : tensor<64x64xf32>
    %11 = ane.softmax %10 {axis = -1 : i64} : tensor<64x64xf32>
    %12 = ane.softmax %11 {axis = -1 : i64} : tensor<64x64xf32>
    %13 = ane.softmax %12 {axis = -1 : i64} : tensor<64x64xf32>
    %14 = ane.softmax %13 {axis = -1 : i64} : tensor<64x64xf32>
    %15 = ane.softmax %14 {axis = -1 : i64} : tensor<64x64xf32>
    %16 = ane.softmax %15 {axis = -1 : i64} : tensor<64x64xf32>
    %17 = ane.softmax %16 {axis = -1 : i64} : tensor<64x64xf32>
    %18 = ane.softmax %17 {axis = -1 : i64} : tensor<64x64xf32>
    %19 = ane.softmax %18 {axis = -1 : i64} : tensor<64x64xf32>
    %20 = ane.softmax %19 {axis = -1 : i64} : tensor<64x64xf32>
    %21 = ane.softmax %20 {axis = -1 : i64} : tensor<64x64xf32>
    %22 = ane.softmax %21 {axis = -1 : i64} : tensor<64x64xf32>
    %23 = ane.softmax %22 {axis = -1 : i64} : tensor<64x64xf32>
    %24 = ane.softmax %23 {axis = -1 : i64} : tensor<64x64xf32>
    %25 = ane.softmax %24 {axis = -1 : i64} : tensor<64x64xf32>
    %26 = ane.softmax %25 {axis = -1 : i64} : tensor<64x64xf32>
    %27 = ane.softmax %26 {axis = -1 : i64} : tensor<64x64xf32>
    %28 = ane.softmax %27 {axis = -1 : i64} : tensor<64x64xf32>
    %29 = ane.softmax %28 {axis = -1 : i64} : tensor<64x64xf32>
    %30 = ane.softmax %29 {axis = -1 : i64} : tensor<64x64xf32>
    return %30 : tensor<64x64xf32>
  }
}
