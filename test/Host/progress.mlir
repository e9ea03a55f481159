// Every tenth kernel is told: six products with tiles of their own for each of two levels are twelve.
// RUN: rm -rf %t.anebundle %t.quiet.anebundle
// RUN: ane-compile %s -o %t.anebundle --host=x86_64-unknown-linux-gnu 2>&1 | FileCheck %s
// RUN: ane-compile %s -o %t.anebundle --host=x86_64-unknown-linux-gnu --diagnostics=json 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: ane-compile %s -o %t.quiet.anebundle --host=x86_64-unknown-linux-gnu --quiet 2>&1 | count 0

// CHECK: ane-compile: compiling CPU code
// CHECK-NEXT: ane-compile: compiling CPU code: kernel 10 of 12
// CHECK-NOT: kernel
// JSON: "message":"compiling CPU code: kernel 10 of 12","severity":"progress"
func.func @main(%x: tensor<1x192x64xf32>) -> tensor<1x192x256xf32> {
  %a = ane.const dense<0.5> : tensor<80x64xf32>
  %b = ane.const dense<0.5> : tensor<96x80xf32>
  %c = ane.const dense<0.5> : tensor<112x96xf32>
  %d = ane.const dense<0.5> : tensor<128x112xf32>
  %e = ane.const dense<0.5> : tensor<144x128xf32>
  %f = ane.const dense<0.5> : tensor<256x144xf32>
  %0 = ane.linear %x, %a : (tensor<1x192x64xf32>, tensor<80x64xf32>) -> tensor<1x192x80xf32>
  %1 = ane.linear %0, %b : (tensor<1x192x80xf32>, tensor<96x80xf32>) -> tensor<1x192x96xf32>
  %2 = ane.linear %1, %c : (tensor<1x192x96xf32>, tensor<112x96xf32>) -> tensor<1x192x112xf32>
  %3 = ane.linear %2, %d : (tensor<1x192x112xf32>, tensor<128x112xf32>) -> tensor<1x192x128xf32>
  %4 = ane.linear %3, %e : (tensor<1x192x128xf32>, tensor<144x128xf32>) -> tensor<1x192x144xf32>
  %5 = ane.linear %4, %f : (tensor<1x192x144xf32>, tensor<256x144xf32>) -> tensor<1x192x256xf32>
  return %5 : tensor<1x192x256xf32>
}
