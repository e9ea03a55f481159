// Nothing constant is computed at run time: a weight of int8 with a scale for each block, one that is scaled, a compressed
// constant and a plain one are read by one and the same kernel; what is small stands in it.
// RUN: ane-opt %s --ane-host-compile=print-kernels=true -o /dev/null | FileCheck %s
// RUN: ane-opt %s --ane-host-constants | FileCheck %s --check-prefix=OP
// RUN: rm -rf %t && mkdir %t && ane-opt %s --ane-host-compile=output-dir=%t -o /dev/null && FileCheck %s --check-prefix=COUNT < %t/host.json

// CHECK: func.func private @linear_{{[0-9a-f]+}}(
// CHECK-NOT: func.func private
// COUNT: "calls": 5
// COUNT: "kernels": 1
func.func @plain(%x: tensor<8x64xf32>) -> tensor<8x48xf32> {
  %w = ane.const dense<0.5> : tensor<48x64xf32>
  %y = ane.linear %x, %w : (tensor<8x64xf32>, tensor<48x64xf32>) -> tensor<8x48xf32>
  return %y : tensor<8x48xf32>
}
// The expression is evaluated when the weight's bytes are written; views stay where they are.
// OP-LABEL: @blocks
// OP: %[[W:.*]] = ane.blob "" at 64 : tensor<48x2x32xf32> {
// OP: ane.cast
// OP: ane.mul
// OP: ane.yield
// OP: %[[V:.*]] = ane.reshape %[[W]]
// OP-NEXT: ane.linear %{{.*}}, %[[V]]
func.func @blocks(%x: tensor<8x64xf32>) -> tensor<8x48xf32> {
  %q = ane.const dense<3> : tensor<48x2x32xi8>
  %s = ane.const dense<0.25> : tensor<48x2x1xf32>
  %f = ane.cast %q {dtype = "fp32"} : (tensor<48x2x32xi8>) -> tensor<48x2x32xf32>
  %m = ane.mul %f, %s : tensor<48x2x32xf32>, tensor<48x2x1xf32>
  %w = ane.reshape %m {shape = array<i64: 48, 64>} : (tensor<48x2x32xf32>) -> tensor<48x64xf32>
  %y = ane.linear %x, %w : (tensor<8x64xf32>, tensor<48x64xf32>) -> tensor<8x48xf32>
  return %y : tensor<8x48xf32>
}
func.func @scaled(%x: tensor<8x64xf32>) -> tensor<8x48xf32> {
  %a = ane.const dense<3.0> : tensor<48x64xf32>
  %s = ane.const dense<0.125> : tensor<f32>
  %w = ane.mul %a, %s : tensor<48x64xf32>, tensor<f32>
  %y = ane.linear %x, %w : (tensor<8x64xf32>, tensor<48x64xf32>) -> tensor<8x48xf32>
  return %y : tensor<8x48xf32>
}
func.func @compressed(%x: tensor<8x64xf32>) -> tensor<8x48xf32> {
  %q = ane.const dense<3> : tensor<48x64xi8>
  %s = ane.const dense<0.25> : tensor<48x2xf32>
  %w = ane.constexpr_blockwise_shift_scale %q, %s : (tensor<48x64xi8>, tensor<48x2xf32>) -> tensor<48x64xf32>
  %y = ane.linear %x, %w : (tensor<8x64xf32>, tensor<48x64xf32>) -> tensor<8x48xf32>
  return %y : tensor<8x48xf32>
}
// Levels beyond those that are walked at a time.
func.func @deep(%x: tensor<8x64xf32>) -> tensor<8x48xf32> {
  %0 = ane.const dense<3.0> : tensor<48x64xf32>
  %1 = ane.add %0, %0 : tensor<48x64xf32>, tensor<48x64xf32>
  %2 = ane.add %1, %1 : tensor<48x64xf32>, tensor<48x64xf32>
  %3 = ane.add %2, %2 : tensor<48x64xf32>, tensor<48x64xf32>
  %4 = ane.add %3, %3 : tensor<48x64xf32>, tensor<48x64xf32>
  %5 = ane.add %4, %4 : tensor<48x64xf32>, tensor<48x64xf32>
  %6 = ane.add %5, %5 : tensor<48x64xf32>, tensor<48x64xf32>
  %7 = ane.add %6, %6 : tensor<48x64xf32>, tensor<48x64xf32>
  %8 = ane.add %7, %7 : tensor<48x64xf32>, tensor<48x64xf32>
  %9 = ane.add %8, %8 : tensor<48x64xf32>, tensor<48x64xf32>
  %10 = ane.add %9, %9 : tensor<48x64xf32>, tensor<48x64xf32>
  %11 = ane.add %10, %10 : tensor<48x64xf32>, tensor<48x64xf32>
  %12 = ane.add %11, %11 : tensor<48x64xf32>, tensor<48x64xf32>
  %13 = ane.add %12, %12 : tensor<48x64xf32>, tensor<48x64xf32>
  %14 = ane.add %13, %13 : tensor<48x64xf32>, tensor<48x64xf32>
  %15 = ane.add %14, %14 : tensor<48x64xf32>, tensor<48x64xf32>
  %16 = ane.add %15, %15 : tensor<48x64xf32>, tensor<48x64xf32>
  %17 = ane.add %16, %16 : tensor<48x64xf32>, tensor<48x64xf32>
  %18 = ane.add %17, %17 : tensor<48x64xf32>, tensor<48x64xf32>
  %19 = ane.add %18, %18 : tensor<48x64xf32>, tensor<48x64xf32>
  %20 = ane.add %19, %19 : tensor<48x64xf32>, tensor<48x64xf32>
  %21 = ane.add %20, %20 : tensor<48x64xf32>, tensor<48x64xf32>
  %22 = ane.add %21, %21 : tensor<48x64xf32>, tensor<48x64xf32>
  %23 = ane.add %22, %22 : tensor<48x64xf32>, tensor<48x64xf32>
  %24 = ane.add %23, %23 : tensor<48x64xf32>, tensor<48x64xf32>
  %25 = ane.add %24, %24 : tensor<48x64xf32>, tensor<48x64xf32>
  %26 = ane.add %25, %25 : tensor<48x64xf32>, tensor<48x64xf32>
  %27 = ane.add %26, %26 : tensor<48x64xf32>, tensor<48x64xf32>
  %28 = ane.add %27, %27 : tensor<48x64xf32>, tensor<48x64xf32>
  %29 = ane.add %28, %28 : tensor<48x64xf32>, tensor<48x64xf32>
  %30 = ane.add %29, %29 : tensor<48x64xf32>, tensor<48x64xf32>
  %31 = ane.add %30, %30 : tensor<48x64xf32>, tensor<48x64xf32>
  %32 = ane.add %31, %31 : tensor<48x64xf32>, tensor<48x64xf32>
  %33 = ane.add %32, %32 : tensor<48x64xf32>, tensor<48x64xf32>
  %34 = ane.add %33, %33 : tensor<48x64xf32>, tensor<48x64xf32>
  %35 = ane.add %34, %34 : tensor<48x64xf32>, tensor<48x64xf32>
  %36 = ane.add %35, %35 : tensor<48x64xf32>, tensor<48x64xf32>
  %37 = ane.add %36, %36 : tensor<48x64xf32>, tensor<48x64xf32>
  %38 = ane.add %37, %37 : tensor<48x64xf32>, tensor<48x64xf32>
  %39 = ane.add %38, %38 : tensor<48x64xf32>, tensor<48x64xf32>
  %40 = ane.add %39, %39 : tensor<48x64xf32>, tensor<48x64xf32>
  %y = ane.linear %x, %40 : (tensor<8x64xf32>, tensor<48x64xf32>) -> tensor<8x48xf32>
  return %y : tensor<8x48xf32>
}
