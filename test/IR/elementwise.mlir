// Round trip: element-wise arithmetic.
// RUN: ane-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @abs(
// CHECK: ane.abs %{{.*}} : tensor<2x3x4xf16>
func.func @abs(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.abs %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @sign(
// CHECK: ane.sign %{{.*}} : tensor<2x3x4xf16>
func.func @sign(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.sign %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @square(
// CHECK: ane.square %{{.*}} : tensor<2x3x4xf16>
func.func @square(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.square %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @exp2(
// CHECK: ane.exp2 %{{.*}} : tensor<2x3x4xf16>
func.func @exp2(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.exp2 %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @acos(
// CHECK: ane.acos %{{.*}} : tensor<2x3x4xf16>
func.func @acos(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.acos %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @asin(
// CHECK: ane.asin %{{.*}} : tensor<2x3x4xf16>
func.func @asin(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.asin %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @atan(
// CHECK: ane.atan %{{.*}} : tensor<2x3x4xf16>
func.func @atan(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.atan %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @atanh(
// CHECK: ane.atanh %{{.*}} : tensor<2x3x4xf16>
func.func @atanh(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.atanh %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @ceil(
// CHECK: ane.ceil %{{.*}} : tensor<2x3x4xf16>
func.func @ceil(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.ceil %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @cos(
// CHECK: ane.cos %{{.*}} : tensor<2x3x4xf16>
func.func @cos(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.cos %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @cosh(
// CHECK: ane.cosh %{{.*}} : tensor<2x3x4xf16>
func.func @cosh(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.cosh %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @erf(
// CHECK: ane.erf %{{.*}} : tensor<2x3x4xf16>
func.func @erf(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.erf %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @exp(
// CHECK: ane.exp %{{.*}} : tensor<2x3x4xf16>
func.func @exp(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.exp %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @floor(
// CHECK: ane.floor %{{.*}} : tensor<2x3x4xf16>
func.func @floor(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.floor %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @round(
// CHECK: ane.round %{{.*}} : tensor<2x3x4xf16>
func.func @round(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.round %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @sin(
// CHECK: ane.sin %{{.*}} : tensor<2x3x4xf16>
func.func @sin(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.sin %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @sinh(
// CHECK: ane.sinh %{{.*}} : tensor<2x3x4xf16>
func.func @sinh(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.sinh %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @sqrt(
// CHECK: ane.sqrt %{{.*}} : tensor<2x3x4xf16>
func.func @sqrt(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.sqrt %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @tan(
// CHECK: ane.tan %{{.*}} : tensor<2x3x4xf16>
func.func @tan(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.tan %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @tanh(
// CHECK: ane.tanh %{{.*}} : tensor<2x3x4xf16>
func.func @tanh(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.tanh %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @identity(
// CHECK: ane.identity %{{.*}} : tensor<2x3x4xf16>
func.func @identity(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.identity %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @neg(
// CHECK: ane.neg %{{.*}} : tensor<2x3x4xf16>
func.func @neg(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.neg %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @reciprocal(
// CHECK: ane.reciprocal %{{.*}} : tensor<2x3x4xf16>
func.func @reciprocal(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.reciprocal %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @inverse(
// CHECK: ane.inverse %{{.*}} : tensor<2x3x4xf16>
func.func @inverse(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.inverse %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @rsqrt(
// CHECK: ane.rsqrt %{{.*}} : tensor<2x3x4xf16>
func.func @rsqrt(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.rsqrt %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @log(
// CHECK: ane.log %{{.*}} : tensor<2x3x4xf16>
func.func @log(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.log %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @logical_not(
// CHECK: ane.logical_not %{{.*}} : tensor<4xi1>
func.func @logical_not(%x: tensor<4xi1>) -> tensor<4xi1> {
  %0 = ane.logical_not %x : tensor<4xi1>
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: @abs_int(
// CHECK: ane.abs %{{.*}} : tensor<4xi64>
func.func @abs_int(%x: tensor<4xi64>) -> tensor<4xi64> {
  %0 = ane.abs %x : tensor<4xi64>
  return %0 : tensor<4xi64>
}

// CHECK-LABEL: @inverse_epsilon(
// CHECK: ane.inverse %{{.*}} {epsilon = 1.000000e-03 : f64} : tensor<2x3x4xf16>
func.func @inverse_epsilon(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.inverse %x {epsilon = 1.000000e-03} : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @clip(
// CHECK: ane.clip %{{.*}} {alpha = -1.000000e+00 : f64, beta = 2.500000e+00 : f64} : tensor<2x3x4xf16>
func.func @clip(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.clip %x {alpha = -1.000000e+00, beta = 2.500000e+00} : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @threshold(
// CHECK: ane.threshold %{{.*}} {alpha = 5.000000e-01 : f64} : tensor<2x3x4xf16>
func.func @threshold(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.threshold %x {alpha = 5.000000e-01} : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @add(
// CHECK: ane.add %{{.*}}, %{{.*}} : tensor<2x1x4xf32>, tensor<3x4xf32>
func.func @add(%x: tensor<2x1x4xf32>, %y: tensor<3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = ane.add %x, %y : tensor<2x1x4xf32>, tensor<3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// CHECK-LABEL: @sub(
// CHECK: ane.sub %{{.*}}, %{{.*}} : tensor<2x1x4xf32>, tensor<3x4xf32>
func.func @sub(%x: tensor<2x1x4xf32>, %y: tensor<3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = ane.sub %x, %y : tensor<2x1x4xf32>, tensor<3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// CHECK-LABEL: @mul(
// CHECK: ane.mul %{{.*}}, %{{.*}} : tensor<2x1x4xf32>, tensor<3x4xf32>
func.func @mul(%x: tensor<2x1x4xf32>, %y: tensor<3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = ane.mul %x, %y : tensor<2x1x4xf32>, tensor<3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// CHECK-LABEL: @real_div(
// CHECK: ane.real_div %{{.*}}, %{{.*}} : tensor<2x1x4xf32>, tensor<3x4xf32>
func.func @real_div(%x: tensor<2x1x4xf32>, %y: tensor<3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = ane.real_div %x, %y : tensor<2x1x4xf32>, tensor<3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// CHECK-LABEL: @floor_div(
// CHECK: ane.floor_div %{{.*}}, %{{.*}} : tensor<2x1x4xf32>, tensor<3x4xf32>
func.func @floor_div(%x: tensor<2x1x4xf32>, %y: tensor<3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = ane.floor_div %x, %y : tensor<2x1x4xf32>, tensor<3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// CHECK-LABEL: @mod(
// CHECK: ane.mod %{{.*}}, %{{.*}} : tensor<2x1x4xf32>, tensor<3x4xf32>
func.func @mod(%x: tensor<2x1x4xf32>, %y: tensor<3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = ane.mod %x, %y : tensor<2x1x4xf32>, tensor<3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// CHECK-LABEL: @pow(
// CHECK: ane.pow %{{.*}}, %{{.*}} : tensor<2x1x4xf32>, tensor<3x4xf32>
func.func @pow(%x: tensor<2x1x4xf32>, %y: tensor<3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = ane.pow %x, %y : tensor<2x1x4xf32>, tensor<3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// CHECK-LABEL: @maximum(
// CHECK: ane.maximum %{{.*}}, %{{.*}} : tensor<2x1x4xf32>, tensor<3x4xf32>
func.func @maximum(%x: tensor<2x1x4xf32>, %y: tensor<3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = ane.maximum %x, %y : tensor<2x1x4xf32>, tensor<3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// CHECK-LABEL: @minimum(
// CHECK: ane.minimum %{{.*}}, %{{.*}} : tensor<2x1x4xf32>, tensor<3x4xf32>
func.func @minimum(%x: tensor<2x1x4xf32>, %y: tensor<3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = ane.minimum %x, %y : tensor<2x1x4xf32>, tensor<3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// CHECK-LABEL: @equal(
// CHECK: ane.equal %{{.*}}, %{{.*}} : tensor<2x1xi64>, tensor<4xi64>
func.func @equal(%x: tensor<2x1xi64>, %y: tensor<4xi64>) -> tensor<2x4xi1> {
  %0 = ane.equal %x, %y : tensor<2x1xi64>, tensor<4xi64>
  return %0 : tensor<2x4xi1>
}

// CHECK-LABEL: @not_equal(
// CHECK: ane.not_equal %{{.*}}, %{{.*}} : tensor<2x1xi64>, tensor<4xi64>
func.func @not_equal(%x: tensor<2x1xi64>, %y: tensor<4xi64>) -> tensor<2x4xi1> {
  %0 = ane.not_equal %x, %y : tensor<2x1xi64>, tensor<4xi64>
  return %0 : tensor<2x4xi1>
}

// CHECK-LABEL: @greater(
// CHECK: ane.greater %{{.*}}, %{{.*}} : tensor<2x1xi64>, tensor<4xi64>
func.func @greater(%x: tensor<2x1xi64>, %y: tensor<4xi64>) -> tensor<2x4xi1> {
  %0 = ane.greater %x, %y : tensor<2x1xi64>, tensor<4xi64>
  return %0 : tensor<2x4xi1>
}

// CHECK-LABEL: @greater_equal(
// CHECK: ane.greater_equal %{{.*}}, %{{.*}} : tensor<2x1xi64>, tensor<4xi64>
func.func @greater_equal(%x: tensor<2x1xi64>, %y: tensor<4xi64>) -> tensor<2x4xi1> {
  %0 = ane.greater_equal %x, %y : tensor<2x1xi64>, tensor<4xi64>
  return %0 : tensor<2x4xi1>
}

// CHECK-LABEL: @less(
// CHECK: ane.less %{{.*}}, %{{.*}} : tensor<2x1xi64>, tensor<4xi64>
func.func @less(%x: tensor<2x1xi64>, %y: tensor<4xi64>) -> tensor<2x4xi1> {
  %0 = ane.less %x, %y : tensor<2x1xi64>, tensor<4xi64>
  return %0 : tensor<2x4xi1>
}

// CHECK-LABEL: @less_equal(
// CHECK: ane.less_equal %{{.*}}, %{{.*}} : tensor<2x1xi64>, tensor<4xi64>
func.func @less_equal(%x: tensor<2x1xi64>, %y: tensor<4xi64>) -> tensor<2x4xi1> {
  %0 = ane.less_equal %x, %y : tensor<2x1xi64>, tensor<4xi64>
  return %0 : tensor<2x4xi1>
}

// CHECK-LABEL: @logical_and(
// CHECK: ane.logical_and %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<i1>
func.func @logical_and(%x: tensor<4xi1>, %y: tensor<i1>) -> tensor<4xi1> {
  %0 = ane.logical_and %x, %y : tensor<4xi1>, tensor<i1>
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: @logical_or(
// CHECK: ane.logical_or %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<i1>
func.func @logical_or(%x: tensor<4xi1>, %y: tensor<i1>) -> tensor<4xi1> {
  %0 = ane.logical_or %x, %y : tensor<4xi1>, tensor<i1>
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: @logical_xor(
// CHECK: ane.logical_xor %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<i1>
func.func @logical_xor(%x: tensor<4xi1>, %y: tensor<i1>) -> tensor<4xi1> {
  %0 = ane.logical_xor %x, %y : tensor<4xi1>, tensor<i1>
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: @select(
// CHECK: ane.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<3x1xi1>, tensor<4xf32>, tensor<f32>
func.func @select(%c: tensor<3x1xi1>, %a: tensor<4xf32>, %b: tensor<f32>) -> tensor<3x4xf32> {
  %0 = ane.select %c, %a, %b : tensor<3x1xi1>, tensor<4xf32>, tensor<f32>
  return %0 : tensor<3x4xf32>
}

// CHECK-LABEL: @acosh(
// CHECK: ane.acosh %{{.*}} : tensor<2x3x4xf16>
func.func @acosh(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.acosh %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @asinh(
// CHECK: ane.asinh %{{.*}} : tensor<2x3x4xf16>
func.func @asinh(%x: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %0 = ane.asinh %x : tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// CHECK-LABEL: @bitwise_not(
// CHECK: ane.bitwise_not %{{.*}} : tensor<2x3xui8>
func.func @bitwise_not(%x: tensor<2x3xui8>) -> tensor<2x3xui8> {
  %0 = ane.bitwise_not %x : tensor<2x3xui8>
  return %0 : tensor<2x3xui8>
}

// CHECK-LABEL: @bitwise_and(
// CHECK: ane.bitwise_and %{{.*}}, %{{.*}} : tensor<2x3xi32>, tensor<3xi32>
func.func @bitwise_and(%x: tensor<2x3xi32>, %y: tensor<3xi32>) -> tensor<2x3xi32> {
  %0 = ane.bitwise_and %x, %y : tensor<2x3xi32>, tensor<3xi32>
  return %0 : tensor<2x3xi32>
}

// CHECK-LABEL: @bitwise_or(
// CHECK: ane.bitwise_or %{{.*}}, %{{.*}} : tensor<2x3xi32>, tensor<3xi32>
func.func @bitwise_or(%x: tensor<2x3xi32>, %y: tensor<3xi32>) -> tensor<2x3xi32> {
  %0 = ane.bitwise_or %x, %y : tensor<2x3xi32>, tensor<3xi32>
  return %0 : tensor<2x3xi32>
}

// CHECK-LABEL: @bitwise_xor(
// CHECK: ane.bitwise_xor %{{.*}}, %{{.*}} : tensor<2x3xi32>, tensor<3xi32>
func.func @bitwise_xor(%x: tensor<2x3xi32>, %y: tensor<3xi32>) -> tensor<2x3xi32> {
  %0 = ane.bitwise_xor %x, %y : tensor<2x3xi32>, tensor<3xi32>
  return %0 : tensor<2x3xi32>
}

// CHECK-LABEL: @shift_left(
// CHECK: ane.shift_left %{{.*}}, %{{.*}} : tensor<2x3xi32>, tensor<3xi32>
func.func @shift_left(%x: tensor<2x3xi32>, %y: tensor<3xi32>) -> tensor<2x3xi32> {
  %0 = ane.shift_left %x, %y : tensor<2x3xi32>, tensor<3xi32>
  return %0 : tensor<2x3xi32>
}

// CHECK-LABEL: @shift_right(
// CHECK: ane.shift_right %{{.*}}, %{{.*}} : tensor<2x3xi32>, tensor<3xi32>
func.func @shift_right(%x: tensor<2x3xi32>, %y: tensor<3xi32>) -> tensor<2x3xi32> {
  %0 = ane.shift_right %x, %y : tensor<2x3xi32>, tensor<3xi32>
  return %0 : tensor<2x3xi32>
}
