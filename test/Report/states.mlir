// Whether a state is updated in place or written as a whole.
// RUN: rm -rf %t && mkdir %t
// RUN: ane-compile %s --quiet --host=none -o %t/a.anebundle --report | FileCheck %s
// RUN: ane-compile %s --quiet --host=none -o %t/b.anebundle --json --report=%t/r.json
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t/r.json

// CHECK: evaluation{{s?}} per inference, 1 state updated in place, 2 states written as a whole
// JSON: "states_updated": 1
// JSON-NEXT: "states_written": 2
ane.state @cache : tensor<1x64x8x16xf32>
ane.state @sum : tensor<1x64x1x16xf32>
ane.state @last : tensor<1x64x1x16xf32>
func.func @main(%x: tensor<1x64x1x16xf32>, %at: tensor<1x1x1x1xi64>) -> tensor<1x64x8x16xf32> {
  %sum = ane.read_state @sum : tensor<1x64x1x16xf32>
  %new = ane.add %sum, %x : tensor<1x64x1x16xf32>, tensor<1x64x1x16xf32>
  %cache = ane.update_state @cache, %new at %at axis 2 : (tensor<1x64x1x16xf32>, tensor<1x1x1x1xi64>) -> tensor<1x64x8x16xf32>
  %y = ane.sigmoid %cache : tensor<1x64x8x16xf32>
  ane.write_state @sum, %new : tensor<1x64x1x16xf32>
  ane.write_state @last, %x : tensor<1x64x1x16xf32>
  return %y : tensor<1x64x8x16xf32>
}
