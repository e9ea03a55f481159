// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane.island(ane-begin-engine-body,ane-legalize-dtype)))' | FileCheck %s

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  // Weights stay references under a cast; constants are rounded. What fp16 does not hold was narrowed before.
  // CHECK-LABEL: func.func @narrow
  // CHECK: ^bb0(%[[X:.*]]: tensor<4x64xf16>)
  // CHECK: %[[W:.*]] = ane.const #ane.weight<"m.onnx", 0, 16384> : tensor<64x64xf32>
  // CHECK: %[[H:.*]] = ane.cast %[[W]] {{.*}}ane.overflow = 0x7FF0000000000000 : f64, dtype = "fp16"} : (tensor<64x64xf32>) -> tensor<64x64xf16>
  // CHECK: ane.const dense<{{\[\[}}-1.000000e+04], [6.550400e+04], [0.000000e+00], [9.997550e-02]]> : tensor<4x1xf16>
  // CHECK: ane.linear %[[X]], %[[H]]
  // CHECK: ane.yield %{{.*}} : tensor<4x64xf16>
  // CHECK: } twin {
  // CHECK: ^bb0(%{{.*}}: tensor<4x64xf32>)
  // CHECK: 9.99999971E-10
  func.func @narrow(%in0: tensor<4x64xf32>) -> (tensor<4x64xf32>) {
    %0 = ane.island(%in0) : (tensor<4x64xf32>) -> (tensor<4x64xf32>) engine {
    } twin {
    ^bb0(%x: tensor<4x64xf32>):
      %w = ane.const #ane.weight<"m.onnx", 0, 16384> : tensor<64x64xf32>
      %m = ane.const dense<[[-10001.0], [65510.0], [1.0e-9], [0.1]]> : tensor<4x1xf32>
      %1 = ane.linear %x, %w : (tensor<4x64xf32>, tensor<64x64xf32>) -> tensor<4x64xf32>
      %2 = ane.add %1, %m : tensor<4x64xf32>, tensor<4x1xf32>
      ane.yield %2 : tensor<4x64xf32>
    }
    return %0 : tensor<4x64xf32>
  }

  // Truth values keep their type; a cast to fp32 becomes one to fp16.
  // CHECK-LABEL: func.func @bools_and_casts
  // CHECK: engine {
  // CHECK: %[[B:.*]] = ane.greater %{{.*}} : tensor<4x64xf16>, tensor<4x64xf16>
  // CHECK: ane.cast %[[B]] {{.*}}dtype = "fp16"} : (tensor<4x64xi1>) -> tensor<4x64xf16>
  // CHECK: } twin {
  func.func @bools_and_casts(%in0: tensor<4x64xf32>, %in1: tensor<4x64xf32>) -> (tensor<4x64xf32>) {
    %0 = ane.island(%in0, %in1) : (tensor<4x64xf32>, tensor<4x64xf32>) -> (tensor<4x64xf32>) engine {
    } twin {
    ^bb0(%x: tensor<4x64xf32>, %y: tensor<4x64xf32>):
      %1 = ane.greater %x, %y : tensor<4x64xf32>, tensor<4x64xf32>
      %2 = ane.cast %1 {dtype = "fp32"} : (tensor<4x64xi1>) -> tensor<4x64xf32>
      ane.yield %2 : tensor<4x64xf32>
    }
    return %0 : tensor<4x64xf32>
  }

  // A large constant condition becomes factors of 1 and 0, and what is selected of the constant is added.
  // CHECK-LABEL: func.func @constant_condition
  // CHECK: engine {
  // CHECK-NOT: ane.select {{.*}}tensor<4x64xf16>, tensor<4x64xf16>
  // CHECK: %[[PRODUCT:.*]] = ane.mul %{{.*}}, %{{.*}} {{.*}}: tensor<4x64xf16>, tensor<64xf16>
  // CHECK: ane.add %[[PRODUCT]], %{{.*}} {{.*}}: tensor<4x64xf16>, tensor<64xf16>
  // CHECK: } twin {
  func.func @constant_condition(%in0: tensor<4x64xf32>) -> (tensor<4x64xf32>) {
    %0 = ane.island(%in0) : (tensor<4x64xf32>) -> (tensor<4x64xf32>) engine {
    } twin {
    ^bb0(%x: tensor<4x64xf32>):
      %c = ane.const dense<"0x00010100010001000001010001000100000101000100010000010100010001000001010001000100000101000100010000010100010001000001010001000100"> : tensor<64xi8>
      %b = ane.cast %c {dtype = "bool"} : (tensor<64xi8>) -> tensor<64xi1>
      %z = ane.const dense<-1.0> : tensor<f32>
      %1 = ane.select %b, %x, %z : tensor<64xi1>, tensor<4x64xf32>, tensor<f32>
      ane.yield %1 : tensor<4x64xf32>
    }
    return %0 : tensor<4x64xf32>
  }
}
