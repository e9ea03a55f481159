// RUN: ane-opt %s --ane-partition --split-input-file | FileCheck %s
// RUN: not ane-opt %S/Inputs/no-engine-body.mlir --ane-partition 2>&1 | FileCheck %s --check-prefix=BODY

// BODY: error: 'ane.island' op has no engine body: run ane-legalize-islands first

// The plan only calls; constants that only an outlined function reads leave it; layouts go to the procedure.
// CHECK-LABEL: func.func @plan
// CHECK-SAME: (%[[X:.*]]: tensor<1x64xf32>) -> tensor<1x64xf32> attributes {ane.role = "plan"}
// CHECK-NEXT: %[[A:.*]] = call @plan_host_0(%[[X]])
// CHECK-NEXT: %[[B:.*]] = ane.eval @plan_0::@main twin @plan_0_twin(%[[A]])
// CHECK-NEXT: %[[C:.*]] = call @plan_host_1(%[[B]], %[[A]])
// CHECK-NEXT: return %[[C]]
// CHECK: func.func private @plan_host_0(%[[H:.*]]: tensor<1x64xf32>) -> tensor<1x64xf32> attributes {ane.role = "host"}
// CHECK-DAG: %[[K:.*]] = ane.const dense<2.0
// CHECK-DAG: %[[E:.*]] = ane.erf %[[H]]
// CHECK: %[[P:.*]] = ane.mul %[[E]], %[[K]]
// CHECK: return %[[P]]
// CHECK: ane.program @plan_0 {
// CHECK: func.func @main(%{{.*}}: tensor<1x1x1x64xf16> {ane.layout = #ane.layout<expand = [64], perm = [0]>}) -> (tensor<1x1x1x64xf16> {ane.layout = #ane.layout<expand = [64], perm = [0]>})
// CHECK: ane.relu
// CHECK: return
// CHECK: func.func private @plan_0_twin(%{{.*}}: tensor<1x64xf32>) -> tensor<1x64xf32> attributes {ane.role = "twin"}
// CHECK: func.func private @plan_host_1(%{{.*}}: tensor<1x64xf32>, %{{.*}}: tensor<1x64xf32>) -> tensor<1x64xf32>
func.func @plan(%x: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %c = ane.const dense<2.0> : tensor<f32>
  %1 = ane.erf %x {ane.host = #ane.host<"C99", "a test">} : tensor<1x64xf32>
  %2 = ane.mul %1, %c {ane.host = #ane.host<"C99", "a test">} : tensor<1x64xf32>, tensor<f32>
  %3 = ane.island(%2) : (tensor<1x64xf32>) -> tensor<1x64xf32> attributes {
      input_layouts = [#ane.layout<expand = [64], perm = [0]>], output_layouts = [#ane.layout<expand = [64], perm = [0]>]} engine {
  ^bb0(%a: tensor<1x1x1x64xf16>):
    %4 = ane.relu %a : tensor<1x1x1x64xf16>
    ane.yield %4 : tensor<1x1x1x64xf16>
  } twin {
  ^bb0(%a: tensor<1x64xf32>):
    %4 = ane.relu %a : tensor<1x64xf32>
    ane.yield %4 : tensor<1x64xf32>
  }
  %5 = ane.add %3, %2 {ane.host = #ane.host<"C99", "a test">} : tensor<1x64xf32>, tensor<1x64xf32>
  return %5 : tensor<1x64xf32>
}

// -----

// A returned constant is computed by a CPU function, the same constant once, though the function reads it too.
// CHECK-LABEL: func.func @plan
// CHECK-NEXT: %[[R:.*]]:2 = call @plan_host_0(%{{.*}})
// CHECK-NEXT: return %[[R]]#{{[01]}}, %[[R]]#{{[01]}}
// CHECK: func.func private @plan_host_0
// CHECK: ane.const
// CHECK-NOT: ane.const
// CHECK: return
func.func @plan(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c = ane.const dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %1 = ane.mul %x, %c {ane.host = #ane.host<"C99", "a test">} : tensor<4xf32>, tensor<4xf32>
  return %1, %c : tensor<4xf32>, tensor<4xf32>
}

// -----

// The call stands behind what its other ops read, wherever a returned constant stood.
// CHECK-LABEL: func.func @plan
// CHECK: %[[A:.*]] = ane.eval @plan_0::@main
// CHECK: %[[R:.*]]:2 = call @plan_host_0(%[[A]])
// CHECK: return
func.func @plan(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %c = ane.const dense<1.0> : tensor<64xf32>
  %1 = ane.island(%x) : (tensor<64xf32>) -> tensor<64xf32> attributes {
      input_layouts = [#ane.layout<expand = [64], perm = [0]>], output_layouts = [#ane.layout<expand = [64], perm = [0]>]} engine {
  ^bb0(%a: tensor<1x1x1x64xf16>):
    %2 = ane.relu %a : tensor<1x1x1x64xf16>
    ane.yield %2 : tensor<1x1x1x64xf16>
  } twin {
  ^bb0(%a: tensor<64xf32>):
    %2 = ane.relu %a : tensor<64xf32>
    ane.yield %2 : tensor<64xf32>
  }
  %3 = ane.erf %1 {ane.host = #ane.host<"C99", "a test">} : tensor<64xf32>
  return %3, %c : tensor<64xf32>, tensor<64xf32>
}

// -----

// States stay in the plan: read where they were, written last. A constant that is written comes from a CPU function.
// CHECK: func.func @plan
// CHECK-NEXT: %[[OLD:.*]] = ane.read_state @cache
// CHECK-NEXT: %[[R:.*]]:3 = call @plan_host_0(%[[OLD]], %arg0)
// CHECK-NEXT: ane.write_state @cache, %[[R]]#1
// CHECK-NEXT: ane.write_state @fixed, %[[R]]#0
// CHECK-NEXT: return %[[R]]#2
// CHECK: func.func private @plan_host_0
// CHECK-NOT: _state
ane.state @cache : tensor<4xf16>
ane.state @fixed : tensor<4xf16>
func.func @plan(%x: tensor<4xf16>) -> tensor<4xf16> {
  %c = ane.const dense<2.0> : tensor<4xf16>
  %0 = ane.read_state @cache : tensor<4xf16>
  %1 = ane.add %0, %x {ane.host = #ane.host<"C30", "a test">} : tensor<4xf16>, tensor<4xf16>
  ane.write_state @cache, %1 : tensor<4xf16>
  ane.write_state @fixed, %c : tensor<4xf16>
  %2 = ane.relu %1 {ane.host = #ane.host<"C30", "a test">} : tensor<4xf16>
  return %2 : tensor<4xf16>
}

// -----

// A constant that is returned, and that another returned one is computed from.
// CHECK: func.func @constants
// CHECK-NEXT: %[[C:.*]]:2 = call @constants_host_0()
// CHECK-NEXT: return %[[C]]#1, %[[C]]#0
// CHECK: func.func private @constants_host_0
// CHECK: ane.sigmoid
// CHECK: ane.softplus
func.func @constants(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = ane.const dense<0.5> : tensor<4xf32>
  %1 = ane.sigmoid %0 : tensor<4xf32>
  %2 = ane.softplus %1 : tensor<4xf32>
  return %2, %0 : tensor<4xf32>, tensor<4xf32>
}

// -----

// CPU ops before and behind an update are functions of their own; a constant that it reads comes from one.
// CHECK-LABEL: func.func @updating
// CHECK-NEXT: %[[W:.*]]:2 = call @updating_host_0(%{{.*}})
// CHECK-NEXT: %[[NEW:.*]] = ane.update_state @s, %[[W]]#0 at %[[W]]#1 axis 0
// CHECK-NEXT: %[[Y:.*]] = call @updating_host_1(%[[NEW]])
// CHECK-NEXT: return %[[Y]]
ane.state @s : tensor<4x8xf32>
func.func @updating(%x: tensor<1x8xf32>) -> tensor<4x8xf32> {
  %at = ane.const dense<2> : tensor<i64>
  %window = ane.erf %x {ane.host = #ane.host<"C99", "a test">} : tensor<1x8xf32>
  %new = ane.update_state @s, %window at %at axis 0 : (tensor<1x8xf32>, tensor<i64>) -> tensor<4x8xf32>
  %y = ane.erf %new {ane.host = #ane.host<"C99", "a test">} : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
