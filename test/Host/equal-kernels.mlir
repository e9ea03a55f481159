// Equal code is one kernel, whatever function calls it: both layers of @first, the layer of @second and its softmax are two.
// RUN: ane-opt %s --ane-host-compile=print-kernels=true -o /dev/null | FileCheck %s
// RUN: rm -rf %t && mkdir %t && ane-opt %s --ane-host-compile=output-dir=%t -o /dev/null && FileCheck %s --check-prefix=COUNT < %t/host.json
// RUN: llvm-nm %t/host.so | FileCheck %s --check-prefix=NAMES

// CHECK-COUNT-2: func.func private
// CHECK-NOT: func.func private
// COUNT: "calls": 4
// COUNT: "kernels": 2
// NAMES: t linear_{{[0-9a-f]+$}}
// NAMES-NOT: t linear_{{[0-9a-f]+$}}
// NAMES: t softmax_{{[0-9a-f]+$}}
// NAMES-NOT: t softmax_{{[0-9a-f]+$}}
func.func @first(%x: tensor<1x192x128xf32>) -> tensor<1x192x128xf32> {
  %a = ane.const dense<0.5> : tensor<128x128xf32>
  %b = ane.const dense<0.25> : tensor<128x128xf32>
  %0 = ane.linear %x, %a : (tensor<1x192x128xf32>, tensor<128x128xf32>) -> tensor<1x192x128xf32>
  %1 = ane.linear %0, %b : (tensor<1x192x128xf32>, tensor<128x128xf32>) -> tensor<1x192x128xf32>
  return %1 : tensor<1x192x128xf32>
}
func.func @second(%x: tensor<1x192x128xf32>) -> tensor<1x192x128xf32> {
  %a = ane.const dense<0.125> : tensor<128x128xf32>
  %0 = ane.linear %x, %a : (tensor<1x192x128xf32>, tensor<128x128xf32>) -> tensor<1x192x128xf32>
  %1 = ane.softmax %0 {axis = -1 : i64} : tensor<1x192x128xf32>
  return %1 : tensor<1x192x128xf32>
}
