// RUN: not ane-opt %s --split-input-file --ane-verify-legal 2>&1 | FileCheck %s

// CHECK: error: procedure '@main_0::@main' violates C135 program-layers on h16 (e5rt, macOS 15): softmaxes: 31, limit 30
// CHECK: note: remedy: --ane-form-islands; the program is cut where the least data crosses
// CHECK: note: see 'ane-compile --explain=C135'

module attributes {ane.target = #ane.target<chip = "h16", route = e5rt, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x: tensor<1x64x64xf16>) -> tensor<1x64x64xf16> {
      %0 = ane.softmax %x {axis = -1 : i64} : tensor<1x64x64xf16>
      %1 = ane.softmax %0 {axis = -1 : i64} : tensor<1x64x64xf16>
      %2 = ane.softmax %1 {axis = -1 : i64} : tensor<1x64x64xf16>
      %3 = ane.softmax %2 {axis = -1 : i64} : tensor<1x64x64xf16>
      %4 = ane.softmax %3 {axis = -1 : i64} : tensor<1x64x64xf16>
      %5 = ane.softmax %4 {axis = -1 : i64} : tensor<1x64x64xf16>
      %6 = ane.softmax %5 {axis = -1 : i64} : tensor<1x64x64xf16>
      %7 = ane.softmax %6 {axis = -1 : i64} : tensor<1x64x64xf16>
      %8 = ane.softmax %7 {axis = -1 : i64} : tensor<1x64x64xf16>
      %9 = ane.softmax %8 {axis = -1 : i64} : tensor<1x64x64xf16>
      %10 = ane.softmax %9 {axis = -1 : i64} : tensor<1x64x64xf16>
      %11 = ane.softmax %10 {axis = -1 : i64} : tensor<1x64x64xf16>
      %12 = ane.softmax %11 {axis = -1 : i64} : tensor<1x64x64xf16>
      %13 = ane.softmax %12 {axis = -1 : i64} : tensor<1x64x64xf16>
      %14 = ane.softmax %13 {axis = -1 : i64} : tensor<1x64x64xf16>
      %15 = ane.softmax %14 {axis = -1 : i64} : tensor<1x64x64xf16>
      %16 = ane.softmax %15 {axis = -1 : i64} : tensor<1x64x64xf16>
      %17 = ane.softmax %16 {axis = -1 : i64} : tensor<1x64x64xf16>
      %18 = ane.softmax %17 {axis = -1 : i64} : tensor<1x64x64xf16>
      %19 = ane.softmax %18 {axis = -1 : i64} : tensor<1x64x64xf16>
      %20 = ane.softmax %19 {axis = -1 : i64} : tensor<1x64x64xf16>
      %21 = ane.softmax %20 {axis = -1 : i64} : tensor<1x64x64xf16>
      %22 = ane.softmax %21 {axis = -1 : i64} : tensor<1x64x64xf16>
      %23 = ane.softmax %22 {axis = -1 : i64} : tensor<1x64x64xf16>
      %24 = ane.softmax %23 {axis = -1 : i64} : tensor<1x64x64xf16>
      %25 = ane.softmax %24 {axis = -1 : i64} : tensor<1x64x64xf16>
      %26 = ane.softmax %25 {axis = -1 : i64} : tensor<1x64x64xf16>
      %27 = ane.softmax %26 {axis = -1 : i64} : tensor<1x64x64xf16>
      %28 = ane.softmax %27 {axis = -1 : i64} : tensor<1x64x64xf16>
      %29 = ane.softmax %28 {axis = -1 : i64} : tensor<1x64x64xf16>
      %30 = ane.softmax %29 {axis = -1 : i64} : tensor<1x64x64xf16>
      return %30 : tensor<1x64x64xf16>
    }
  }
}
