// Each phase from the driver, and the same from ane-opt's pipelines.
// RUN: ane-compile %s --quiet --compile-to=input | FileCheck %s --check-prefix=INPUT
// RUN: ane-compile %s --quiet --compile-to=canonical | FileCheck %s --check-prefix=CANONICAL
// RUN: ane-compile %s --quiet --compile-to=legal | FileCheck %s --check-prefix=LEGAL
// RUN: ane-compile %s --quiet --compile-to=partitioned | FileCheck %s --check-prefix=PARTITIONED
// RUN: ane-compile %s --quiet --compile-to=emittable | FileCheck %s --check-prefix=EMITTABLE
// RUN: ane-opt %s --ane-set-target --ane-to-canonical | FileCheck %s --check-prefix=CANONICAL
// RUN: ane-opt %s --ane-set-target --ane-to-legal | FileCheck %s --check-prefix=LEGAL
// RUN: ane-opt %s --ane-set-target --ane-to-partitioned | FileCheck %s --check-prefix=PARTITIONED
// RUN: ane-opt %s --ane-set-target --ane-to-emittable | FileCheck %s --check-prefix=EMITTABLE

// INPUT: ane.target = #ane.target<chip = "h16"
// INPUT: ane.sigmoid
// INPUT: ane.mul
// CANONICAL: func.func @main
// CANONICAL-NOT: ane.sigmoid
// CANONICAL: ane.silu
// CANONICAL-NOT: ane.island
// LEGAL: ane.add {{.*}}ane.host
// LEGAL: ane.island
// LEGAL: engine {
// LEGAL: tensor<1x1x1x64xf16>
// LEGAL: } twin {
// LEGAL: ane.silu
// PARTITIONED: func.func @main
// PARTITIONED-DAG: call @main_host_0
// PARTITIONED-DAG: ane.eval @main_0::@main twin @main_0_twin
// PARTITIONED-NOT: ane.name
// PARTITIONED: return
// EMITTABLE: ane.program @main_0
// EMITTABLE: ane.name = "in00"{{.*}}ane.surface = #ane.surface<row_stride = 128, bytes = 49152>
func.func @main(%x: tensor<1x64xf32>, %i: tensor<1x64xi64>) -> (tensor<1x64xf32>, tensor<1x64xi64>) {
  %1 = ane.add %i, %i : tensor<1x64xi64>, tensor<1x64xi64>
  %2 = ane.sigmoid %x : tensor<1x64xf32>
  %3 = ane.mul %2, %x : tensor<1x64xf32>, tensor<1x64xf32>
  return %3, %1 : tensor<1x64xf32>, tensor<1x64xi64>
}
