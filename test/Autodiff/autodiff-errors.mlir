// RUN: not ane-opt %s --ane-autodiff=wrt=x 2>&1 | FileCheck %s
// RUN: not ane-opt %s --ane-autodiff='function=none wrt=x' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not ane-opt %s --ane-autodiff='wrt=x,w*' 2>&1 | FileCheck %s --check-prefix=PATTERN
// RUN: not ane-opt %s --ane-autodiff='wrt=x frozen=x' 2>&1 | FileCheck %s --check-prefix=FROZEN
// RUN: not ane-opt %s --ane-autodiff 2>&1 | FileCheck %s --check-prefix=WEIGHTS
// RUN: not ane-opt %s --ane-autodiff='wrt=x loss=y' 2>&1 | FileCheck %s --check-prefix=LOSS
// RUN: not ane-opt %s --ane-autodiff='function=two wrt=x' 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not ane-opt %s --ane-autodiff='wrt=x name=two' 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not ane-opt %s --ane-autodiff='function=two loss=a wrt=z' 2>&1 | FileCheck %s --check-prefix=IDLE
// RUN: not ane-opt %s --ane-weights-as-inputs=weights=w 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// CHECK: error: 'ane.topk' op can't be differentiated: it returns no indices, by which gradients would find their way back; remedy: freeze the weights whose gradients pass it (frozen), or differentiate an output that does not depend on it (loss)
// NONE: error: no function is called 'none'; functions: main, two
// PATTERN: error: wrt=w*: nothing is called so; known: x
// FROZEN: error: 'func.func' op has nothing to differentiate for: 'frozen' names all that 'wrt' does
// WEIGHTS: error: 'func.func' op has nothing to differentiate for: no weight of it has a name; name inputs (wrt)
// LOSS: error: 'func.func' op has no output 'y' that is a scalar of floats; outputs: loss (tensor<f32>), y (tensor<2xi32>)
// TWO: error: 'func.func' op has 2 outputs that are a scalar of floats, expected one, or the name of one; outputs: a (tensor<f32>), b (tensor<1x1xf32>)
// NAME: error: name=two: the module has a symbol of that name
// IDLE: error: 'func.func' op has a loss that depends on none of z
// UNKNOWN: error: weights=w: nothing is called so; known: nothing
func.func @main(%x: tensor<4xf32> {ane.io_name = "x"})
    -> (tensor<f32> {ane.io_name = "loss"}, tensor<2xi32> {ane.io_name = "y"}) {
  %0, %1 = ane.topk %x {k = 2 : i64} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  %2 = ane.topk %0 {k = 1 : i64, return_indices = false} : (tensor<2xf32>) -> tensor<1xf32>
  %3 = ane.reduce_sum %2 : (tensor<1xf32>) -> tensor<f32>
  return %3, %1 : tensor<f32>, tensor<2xi32>
}

func.func @two(%x: tensor<f32> {ane.io_name = "x"}, %z: tensor<1x1xf32> {ane.io_name = "z"})
    -> (tensor<f32> {ane.io_name = "a"}, tensor<1x1xf32> {ane.io_name = "b"}) {
  return %x, %z : tensor<f32>, tensor<1x1xf32>
}
