// Gradients of element-wise arithmetic of one operand: for each op, what is built of the loss's gradient (G) by its result.
// RUN: ane-opt %s --ane-autodiff='wrt=*' --split-input-file | FileCheck %s

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.sign %[[X]]
// CHECK-NEXT: %[[B:.*]] = ane.mul %[[G]], %[[A]]
// CHECK-NEXT: return %{{.*}}, %[[B]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.abs %x : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.mul %[[X]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.mul %[[G]], %[[B]]
// CHECK-NEXT: return %{{.*}}, %[[C]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.square %x : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[Y:.*]] = ane.exp2
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<0.693147182> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.mul %[[Y]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.mul %[[G]], %[[B]]
// CHECK-NEXT: return %{{.*}}, %[[C]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.exp2 %x : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.sub %[[A]], %[[X]]
// CHECK-NEXT: %[[C:.*]] = ane.const dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[D:.*]] = ane.add %[[X]], %[[C]]
// CHECK-NEXT: %[[E:.*]] = ane.mul %[[B]], %[[D]]
// CHECK-NEXT: %[[H:.*]] = ane.sqrt %[[E]]
// CHECK-NEXT: %[[I:.*]] = ane.neg %[[H]]
// CHECK-NEXT: %[[J:.*]] = ane.real_div %[[G]], %[[I]]
// CHECK-NEXT: return %{{.*}}, %[[J]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.acos %x : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.sub %[[A]], %[[X]]
// CHECK-NEXT: %[[C:.*]] = ane.const dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[D:.*]] = ane.add %[[X]], %[[C]]
// CHECK-NEXT: %[[E:.*]] = ane.mul %[[B]], %[[D]]
// CHECK-NEXT: %[[H:.*]] = ane.sqrt %[[E]]
// CHECK-NEXT: %[[I:.*]] = ane.real_div %[[G]], %[[H]]
// CHECK-NEXT: return %{{.*}}, %[[I]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.asin %x : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.mul %[[X]], %[[X]]
// CHECK-NEXT: %[[B:.*]] = ane.const dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[C:.*]] = ane.add %[[A]], %[[B]]
// CHECK-NEXT: %[[D:.*]] = ane.real_div %[[G]], %[[C]]
// CHECK-NEXT: return %{{.*}}, %[[D]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.atan %x : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.sub %[[A]], %[[X]]
// CHECK-NEXT: %[[C:.*]] = ane.const dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[D:.*]] = ane.add %[[X]], %[[C]]
// CHECK-NEXT: %[[E:.*]] = ane.mul %[[B]], %[[D]]
// CHECK-NEXT: %[[H:.*]] = ane.real_div %[[G]], %[[E]]
// CHECK-NEXT: return %{{.*}}, %[[H]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.atanh %x : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.sin %[[X]]
// CHECK-NEXT: %[[B:.*]] = ane.neg %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.mul %[[G]], %[[B]]
// CHECK-NEXT: return %{{.*}}, %[[C]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.cos %x : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.sinh %[[X]]
// CHECK-NEXT: %[[B:.*]] = ane.mul %[[G]], %[[A]]
// CHECK-NEXT: return %{{.*}}, %[[B]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.cosh %x : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.mul %[[X]], %[[X]]
// CHECK-NEXT: %[[B:.*]] = ane.neg %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.exp %[[B]]
// CHECK-NEXT: %[[D:.*]] = ane.const dense<1.12837923> : tensor<f32>
// CHECK-NEXT: %[[E:.*]] = ane.mul %[[C]], %[[D]]
// CHECK-NEXT: %[[H:.*]] = ane.mul %[[G]], %[[E]]
// CHECK-NEXT: return %{{.*}}, %[[H]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.erf %x : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[Y:.*]] = ane.exp
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.mul %[[G]], %[[Y]]
// CHECK-NEXT: return %{{.*}}, %[[A]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.exp %x : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.cos %[[X]]
// CHECK-NEXT: %[[B:.*]] = ane.mul %[[G]], %[[A]]
// CHECK-NEXT: return %{{.*}}, %[[B]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.sin %x : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.cosh %[[X]]
// CHECK-NEXT: %[[B:.*]] = ane.mul %[[G]], %[[A]]
// CHECK-NEXT: return %{{.*}}, %[[B]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.sinh %x : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[Y:.*]] = ane.sqrt
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.mul %[[Y]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.real_div %[[G]], %[[B]]
// CHECK-NEXT: return %{{.*}}, %[[C]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.sqrt %x : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[Y:.*]] = ane.tan
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.mul %[[Y]], %[[Y]]
// CHECK-NEXT: %[[B:.*]] = ane.const dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[C:.*]] = ane.add %[[A]], %[[B]]
// CHECK-NEXT: %[[D:.*]] = ane.mul %[[G]], %[[C]]
// CHECK-NEXT: return %{{.*}}, %[[D]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.tan %x : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[Y:.*]] = ane.tanh
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.mul %[[Y]], %[[Y]]
// CHECK-NEXT: %[[B:.*]] = ane.const dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[C:.*]] = ane.sub %[[B]], %[[A]]
// CHECK-NEXT: %[[D:.*]] = ane.mul %[[G]], %[[C]]
// CHECK-NEXT: return %{{.*}}, %[[D]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.tanh %x : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[Y:.*]] = ane.inverse
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.mul %[[Y]], %[[Y]]
// CHECK-NEXT: %[[B:.*]] = ane.neg %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.mul %[[G]], %[[B]]
// CHECK-NEXT: return %{{.*}}, %[[C]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.inverse %x {epsilon = 0.25 : f64} : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[Y:.*]] = ane.rsqrt
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.mul %[[Y]], %[[Y]]
// CHECK-NEXT: %[[B:.*]] = ane.mul %[[A]], %[[Y]]
// CHECK-NEXT: %[[C:.*]] = ane.const dense<-5.000000e-01> : tensor<f32>
// CHECK-NEXT: %[[D:.*]] = ane.mul %[[B]], %[[C]]
// CHECK-NEXT: %[[E:.*]] = ane.mul %[[G]], %[[D]]
// CHECK-NEXT: return %{{.*}}, %[[E]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.rsqrt %x {epsilon = 0.25 : f64} : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<2.500000e-01> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.add %[[X]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.real_div %[[G]], %[[B]]
// CHECK-NEXT: return %{{.*}}, %[[C]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.log %x {epsilon = 0.25 : f64} : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<-5.100000e-01> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.greater_equal %[[X]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.const dense<1.030000e+00> : tensor<f32>
// CHECK-NEXT: %[[D:.*]] = ane.less_equal %[[X]], %[[C]]
// CHECK-NEXT: %[[E:.*]] = ane.logical_and %[[B]], %[[D]]
// CHECK-NEXT: %[[H:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[I:.*]] = ane.select %[[E]], %[[G]], %[[H]]
// CHECK-NEXT: return %{{.*}}, %[[I]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.clip %x {alpha = -0.51 : f64, beta = 1.03 : f64} : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.const dense<3.000000e-01> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = ane.greater_equal %[[X]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[D:.*]] = ane.select %[[B]], %[[G]], %[[C]]
// CHECK-NEXT: return %{{.*}}, %[[D]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.threshold %x {alpha = 0.3 : f64} : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: return %{{.*}}, %[[G]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.identity %x : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.neg %[[G]]
// CHECK-NEXT: return %{{.*}}, %[[A]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.neg %x : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[Y:.*]] = ane.reciprocal
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.mul %[[Y]], %[[Y]]
// CHECK-NEXT: %[[B:.*]] = ane.neg %[[A]]
// CHECK-NEXT: %[[C:.*]] = ane.mul %[[G]], %[[B]]
// CHECK-NEXT: return %{{.*}}, %[[C]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.reciprocal %x : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[Y:.*]] = ane.acosh
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.sinh %[[Y]]
// CHECK-NEXT: %[[B:.*]] = ane.real_div %[[G]], %[[A]]
// CHECK-NEXT: return %{{.*}}, %[[B]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.acosh %x : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK: %[[Y:.*]] = ane.asinh
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.cosh %[[Y]]
// CHECK-NEXT: %[[B:.*]] = ane.real_div %[[G]], %[[A]]
// CHECK-NEXT: return %{{.*}}, %[[B]]
func.func @main(%x: tensor<2x3x5xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %y = ane.asinh %x : tensor<2x3x5xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// CHECK-LABEL: @main_gradients(
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}"x"
// CHECK: %[[G:.*]] = ane.tile
// CHECK-NEXT: %[[A:.*]] = ane.mul %[[G]], %[[X]]
// CHECK-NEXT: %[[B:.*]] = ane.mul %[[G]], %[[X]]
// CHECK-NEXT: %[[C:.*]] = ane.add %[[A]], %[[B]]
// CHECK-NEXT: %[[D:.*]] = ane.add %[[C]], %[[G]]
// CHECK-NEXT: %[[E:.*]] = ane.neg %[[G]]
// CHECK-NEXT: %[[H:.*]] = ane.add %[[D]], %[[E]]
// CHECK-NEXT: return %{{.*}}, %[[H]]
func.func @main(%x: tensor<2x3xf32> {ane.io_name = "x"}) -> tensor<f32> {
  %z = ane.cast %x {dtype = "fp32"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %k = ane.cast %z {dtype = "fp32"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %d = ane.sub %x, %k : tensor<2x3xf32>, tensor<2x3xf32>
  %f = ane.mul %x, %x : tensor<2x3xf32>, tensor<2x3xf32>
  %y = ane.add %f, %d : tensor<2x3xf32>, tensor<2x3xf32>
  %loss = ane.reduce_sum %y : (tensor<2x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
