// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane.island(ane-begin-engine-body,ane-legalize-rope)))' | FileCheck %s

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  // -b/2 in the place of a, a/2 in the place of b.
  // CHECK-LABEL: func.func @half
  // CHECK: engine {
  // CHECK-DAG: %[[M:.*]] = ane.const dense<{{\[\[}}0.000000e+00, 0.000000e+00, -5.000000e-01, 0.000000e+00], [0.000000e+00, 0.000000e+00, 0.000000e+00, -5.000000e-01], [5.000000e-01, 0.000000e+00, 0.000000e+00, 0.000000e+00], [0.000000e+00, 5.000000e-01, 0.000000e+00, 0.000000e+00]]>
  // CHECK: ane.linear %{{.*}}, %[[M]]
  // CHECK: ane.add
  // CHECK: } twin {
  // CHECK: ane.rope
  func.func @half(%in0: tensor<1x2x3x4xf16>) -> tensor<1x2x3x4xf16> {
    %0 = ane.island(%in0) : (tensor<1x2x3x4xf16>) -> (tensor<1x2x3x4xf16>) engine {
    } twin {
    ^bb0(%x: tensor<1x2x3x4xf16>):
      %c = ane.const dense<0.5> : tensor<3x2xf16>
      %s = ane.const dense<0.25> : tensor<3x2xf16>
      %r = ane.rope %x, %c, %s : tensor<1x2x3x4xf16>, tensor<3x2xf16>, tensor<3x2xf16>
      ane.yield %r : tensor<1x2x3x4xf16>
    }
    return %0 : tensor<1x2x3x4xf16>
  }

  // CHECK-LABEL: func.func @interleaved
  // CHECK: engine {
  // CHECK-DAG: %[[M:.*]] = ane.const dense<{{\[\[}}0.000000e+00, -5.000000e-01], [5.000000e-01, 0.000000e+00]]>
  // CHECK: ane.linear %{{.*}}, %[[M]]
  func.func @interleaved(%in0: tensor<1x2x3x2xf16>) -> tensor<1x2x3x2xf16> {
    %0 = ane.island(%in0) : (tensor<1x2x3x2xf16>) -> (tensor<1x2x3x2xf16>) engine {
    } twin {
    ^bb0(%x: tensor<1x2x3x2xf16>):
      %c = ane.const dense<[[0.5], [1.0], [2.0]]> : tensor<3x1xf16>
      %s = ane.const dense<[[0.5], [1.0], [2.0]]> : tensor<3x1xf16>
      %r = ane.rope %x, %c, %s {layout = "interleaved"} : tensor<1x2x3x2xf16>, tensor<3x1xf16>, tensor<3x1xf16>
      ane.yield %r : tensor<1x2x3x2xf16>
    }
    return %0 : tensor<1x2x3x2xf16>
  }

  // Computed tables are left for the decomposition.
  // CHECK-LABEL: func.func @computed
  // CHECK: engine {
  // CHECK: ane.rope
  // CHECK: } twin {
  func.func @computed(%in0: tensor<1x2x3x4xf16>, %in1: tensor<3x2xf16>) -> tensor<1x2x3x4xf16> {
    %0 = ane.island(%in0, %in1) : (tensor<1x2x3x4xf16>, tensor<3x2xf16>) -> (tensor<1x2x3x4xf16>) engine {
    } twin {
    ^bb0(%x: tensor<1x2x3x4xf16>, %c: tensor<3x2xf16>):
      %r = ane.rope %x, %c, %c : tensor<1x2x3x4xf16>, tensor<3x2xf16>, tensor<3x2xf16>
      ane.yield %r : tensor<1x2x3x4xf16>
    }
    return %0 : tensor<1x2x3x4xf16>
  }

  // Of neighbours, a product doubles computed tables: half of each pair's value in the places of both elements.
  // CHECK-LABEL: func.func @computed_interleaved
  // CHECK: engine {
  // CHECK-DAG: %[[TWICE:.*]] = ane.const dense<{{\[\[}}5.000000e-01, 0.000000e+00], [5.000000e-01, 0.000000e+00], [0.000000e+00, 5.000000e-01], [0.000000e+00, 5.000000e-01]]>
  // CHECK: ane.linear %{{.*}}, %[[TWICE]]
  // CHECK-NOT: ane.rope
  // CHECK: } twin {
  func.func @computed_interleaved(%in0: tensor<1x2x3x4xf16>, %in1: tensor<3x2xf16>) -> tensor<1x2x3x4xf16> {
    %0 = ane.island(%in0, %in1) : (tensor<1x2x3x4xf16>, tensor<3x2xf16>) -> (tensor<1x2x3x4xf16>) engine {
    } twin {
    ^bb0(%x: tensor<1x2x3x4xf16>, %c: tensor<3x2xf16>):
      %r = ane.rope %x, %c, %c {layout = "interleaved"} : tensor<1x2x3x4xf16>, tensor<3x2xf16>, tensor<3x2xf16>
      ane.yield %r : tensor<1x2x3x4xf16>
    }
    return %0 : tensor<1x2x3x4xf16>
  }
}
