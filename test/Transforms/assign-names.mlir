// RUN: ane-opt %s --ane-assign-names | FileCheck %s

// One width for all, so that byte order is declared order (C03, C19). A returned value has its output's name, others
// their mnemonic and number. Functions outside programs have no names.
// CHECK-LABEL: ane.program @p
// CHECK: func.func @main(%{{.*}}: tensor<64xf16> {ane.name = "in00"}, %{{.*}}: tensor<64xf16> {ane.name = "in01"})
// CHECK-SAME: -> (tensor<64xf16> {ane.name = "out00"}, tensor<64xf16> {ane.name = "out01"})
// CHECK: ane.const {ane.name = "const_0"}
// CHECK: ane.blob {{.*}}ane.name = "weight_0"
// CHECK: ane.add {{.*}}ane.name = "add_0"
// CHECK: ane.add {{.*}}ane.name = "add_1"
// CHECK: ane.mul {{.*}}ane.name = "out01"
// CHECK: ane.relu {{.*}}ane.name = "out00"
// CHECK: func.func private @host
// CHECK-NOT: ane.name
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @p {
    func.func @main(%x: tensor<64xf16>, %y: tensor<64xf16>) -> (tensor<64xf16>, tensor<64xf16>) {
      %c = ane.const dense<1.0> : tensor<f16>
      %w = ane.blob "weights/p.bin" at 64 : tensor<64xf16> {
        %5 = ane.const dense<1.0> : tensor<64xf16>
        ane.yield %5 : tensor<64xf16>
      }
      %0 = ane.add %x, %c : tensor<64xf16>, tensor<f16>
      %1 = ane.add %0, %w : tensor<64xf16>, tensor<64xf16>
      %2 = ane.mul %1, %y : tensor<64xf16>, tensor<64xf16>
      %3 = ane.relu %1 : tensor<64xf16>
      return %3, %2 : tensor<64xf16>, tensor<64xf16>
    }
  }
  func.func private @host(%y: tensor<10xf16>) -> tensor<10xf16> {
    %2 = ane.relu %y : tensor<10xf16>
    return %2 : tensor<10xf16>
  }
}
