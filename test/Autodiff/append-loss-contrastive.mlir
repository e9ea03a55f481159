// RUN: ane-opt %s --ane-append-loss='function=two kind=contrastive' | FileCheck %s --check-prefix=TWO
// RUN: ane-opt %s --ane-append-loss='function=two kind=contrastive output=p,a symmetric=true' | FileCheck %s --check-prefix=BOTH
// RUN: ane-opt %s --ane-append-loss='function=one kind=contrastive temperature=0.5' | FileCheck %s --check-prefix=ONE
// RUN: not ane-opt %s --ane-append-loss='function=two kind=contrastive temperature=0' 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not ane-opt %s --ane-append-loss='function=two kind=contrastive output=a,b' 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not ane-opt %s --ane-append-loss='function=two kind=contrastive output=x' 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not ane-opt %s --ane-append-loss='function=single kind=contrastive' 2>&1 | FileCheck %s --check-prefix=SINGLE
// RUN: not ane-opt %s --ane-append-loss='function=other kind=contrastive' 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not ane-opt %s --ane-append-loss='function=shared kind=contrastive' 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: ane-opt %s --ane-append-loss='function=one kind=contrastive' --ane-autodiff='function=one loss=loss wrt=x' | FileCheck %s --check-prefix=GRADIENT

// Cosines over 0.05, each row's own on the diagonal.
// TWO-LABEL: func.func @two(
// TWO-SAME: tensor<f32> {ane.io_name = "loss"})
// TWO-DAG: %[[A:.*]] = ane.cast %arg0
// TWO-DAG: %[[P:.*]] = ane.cast %arg1
// TWO: %[[AN:.*]] = ane.real_div %[[A]],
// TWO: %[[PN:.*]] = ane.real_div %[[P]],
// TWO: %[[COS:.*]] = ane.matmul %[[AN]], %[[PN]] {transpose_y = true}
// TWO: %[[OVER:.*]] = ane.const dense<2.000000e+01>
// TWO: %[[SCORES:.*]] = ane.mul %[[COS]], %[[OVER]]
// TWO: %[[LOG:.*]] = ane.log_softmax %[[SCORES]] {axis = 1
// TWO: ane.band_part %[[LOG]] {lower = 0 : i64, upper = 0 : i64}
// TWO-NOT: ane.log_softmax
// TWO: return

// BOTH-LABEL: func.func @two(
// BOTH: %[[P:.*]] = ane.cast %arg1
// BOTH: %[[A:.*]] = ane.cast %arg0
// BOTH: %[[PN:.*]] = ane.real_div %[[P]],
// BOTH: %[[AN:.*]] = ane.real_div %[[A]],
// BOTH: ane.matmul %[[PN]], %[[AN]]
// BOTH: ane.log_softmax {{.*}} {axis = 1
// BOTH: ane.log_softmax {{.*}} {axis = 0
// BOTH: dense<5.000000e-01>

// Inputs of six rows are three examples of two.
// ONE-LABEL: func.func @one(
// ONE-SAME: %[[X:.*]]: tensor<3x2x4xf32> {ane.io_name = "x"}, %[[M:.*]]: tensor<3x2xi32> {ane.io_name = "mask"})
// ONE-SAME: -> (tensor<6x4xf32> {ane.io_name = "y"}, tensor<f32> {ane.io_name = "loss"})
// ONE: ane.reshape %[[X]]
// ONE: ane.reshape %[[M]]
// ONE: %[[Y:.*]] = ane.tanh
// ONE: %[[ROWS:.*]] = ane.reshape %{{.*}} : (tensor<6x4xf32>) -> tensor<3x8xf32>
// ONE: ane.slice_by_size %[[ROWS]] {begin = array<i64: 0, 0>, size = array<i64: 3, 4>}
// ONE: ane.slice_by_size %[[ROWS]] {begin = array<i64: 0, 4>, size = array<i64: 3, 4>}

// ZERO: error: temperature=0.000000e+00: expected a number above 0
// NAME: error: 'func.func' op has no output 'b' that is a matrix of floats
// RANK: error: 'func.func' op has no output 'x' that is a matrix of floats
// SINGLE: error: kind=contrastive: embeddings are 'tensor<2x4xf32>', expected a row for each text of 2 pairs or more
// OTHER: error: kind=contrastive: embeddings are 'tensor<2x4xf32>' and 'tensor<3x4xf32>', expected two of one shape
// SHARED: error: kind=contrastive: input 'scale' is 'tensor<4xf32>', expected the output's 6 rows, which are taken in pairs

// GRADIENT-LABEL: func.func @one_gradients(
// GRADIENT-SAME: tensor<3x2x4xf32> {ane.io_name = "x"}
// GRADIENT-SAME: tensor<3x2x4xf32> {ane.io_name = "grad.x"})
// GRADIENT: ane.band_part
// GRADIENT: %[[DIAGONAL:.*]] = ane.band_part %{{.*}} {lower = 0 : i64, upper = 0 : i64}
// GRADIENT: ane.exp
// GRADIENT: ane.sub %[[DIAGONAL]]
func.func @two(%a: tensor<3x4xf16> {ane.io_name = "a"}, %p: tensor<3x4xf16> {ane.io_name = "p"}, %x: tensor<3xf16> {ane.io_name = "x"})
    -> (tensor<3x4xf16> {ane.io_name = "a"}, tensor<3x4xf16> {ane.io_name = "p"}, tensor<3xf16> {ane.io_name = "x"}) {
  return %a, %p, %x : tensor<3x4xf16>, tensor<3x4xf16>, tensor<3xf16>
}
func.func @one(%x: tensor<6x4xf32> {ane.io_name = "x"}, %mask: tensor<6xi32> {ane.io_name = "mask"})
    -> (tensor<6x4xf32> {ane.io_name = "y"}) {
  %0 = ane.cast %mask {dtype = "fp32"} : (tensor<6xi32>) -> tensor<6xf32>
  %1 = ane.reshape %0 {shape = array<i64: 6, 1>} : (tensor<6xf32>) -> tensor<6x1xf32>
  %2 = ane.mul %x, %1 : tensor<6x4xf32>, tensor<6x1xf32>
  %3 = ane.tanh %2 : tensor<6x4xf32>
  return %3 : tensor<6x4xf32>
}
func.func @single(%x: tensor<2x4xf32> {ane.io_name = "x"}) -> (tensor<2x4xf32> {ane.io_name = "y"}) {
  return %x : tensor<2x4xf32>
}
func.func @other(%a: tensor<2x4xf32> {ane.io_name = "a"}, %p: tensor<3x4xf32> {ane.io_name = "p"})
    -> (tensor<2x4xf32> {ane.io_name = "a"}, tensor<3x4xf32> {ane.io_name = "p"}) {
  return %a, %p : tensor<2x4xf32>, tensor<3x4xf32>
}
func.func @shared(%x: tensor<6x4xf32> {ane.io_name = "x"}, %s: tensor<4xf32> {ane.io_name = "scale"}) -> (tensor<6x4xf32> {ane.io_name = "y"}) {
  %0 = ane.mul %x, %s : tensor<6x4xf32>, tensor<4xf32>
  return %0 : tensor<6x4xf32>
}
