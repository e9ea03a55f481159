// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane-narrow-constants,ane-form-islands,ane.island(ane-begin-engine-body,ane-legalize-narrowing)))' | FileCheck %s

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  // A constant is rescaled where its product is known to fit; a bound that no number of fp16 exceeds goes; what keeps a divisor from 0 is
  // the smallest number.
  // CHECK-LABEL: func.func @constants
  // CHECK: engine {
  // CHECK: %[[C:.*]] = ane.clip
  // CHECK: %[[P:.*]] = ane.mul %[[C]], %
  // CHECK: %[[POWER:.*]] = ane.const dense<3.276800e+04> : tensor<f32>
  // CHECK: ane.mul %[[P]], %[[POWER]]
  // CHECK-NOT: ane.minimum
  // CHECK: %[[LEAST:.*]] = ane.const dense<5.96046448E-8> : tensor<f32>
  // CHECK: %[[GUARD:.*]] = ane.maximum %{{.*}}, %[[LEAST]]
  // CHECK: %[[D:.*]] = ane.add %{{.*}}, %[[GUARD]]
  // CHECK: ane.real_div %{{.*}}, %[[D]]
  // CHECK: } twin {
  // CHECK: ane.narrow %{{.*}} {because = "rescaled"}
  // CHECK: ane.narrow %{{.*}} {because = "bound"}
  // CHECK: ane.narrow %{{.*}} {because = "guard"}
  func.func @constants(%x: tensor<4x64xf32>) -> (tensor<4x64xf32>, tensor<4x64xf32>) {
    %large = ane.const dense<1.0e+05> : tensor<f32>
    %eps = ane.const dense<1.0e-12> : tensor<f32>
    %c = ane.clip %x {alpha = 0.0, beta = 0.5} : tensor<4x64xf32>
    %0 = ane.mul %c, %large : tensor<4x64xf32>, tensor<f32>
    %1 = ane.minimum %0, %large : tensor<4x64xf32>, tensor<f32>
    %2 = ane.add %x, %eps : tensor<4x64xf32>, tensor<f32>
    %3 = ane.real_div %x, %2 : tensor<4x64xf32>, tensor<4x64xf32>
    return %1, %3 : tensor<4x64xf32>, tensor<4x64xf32>
  }

  // The bias of a product is added unscaled.
  // CHECK-LABEL: func.func @product
  // CHECK: engine {
  // CHECK: %[[P:.*]] = ane.linear %{{.*}}, %{{[a-z0-9]+}} {{.*}}: (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  // CHECK: %[[S:.*]] = ane.mul %[[P]], %
  // CHECK: ane.add %[[S]], %
  // CHECK: } twin {
  func.func @product(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
    %w = ane.const dense<[[100000.0, 1.0], [1.0, 2.0]]> : tensor<2x2xf32>
    %b = ane.const dense<[1.0, 2.0]> : tensor<2xf32>
    %c = ane.clip %x {alpha = 0.0, beta = 0.25} : tensor<4x2xf32>
    %0 = ane.linear %c, %w bias %b : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
    return %0 : tensor<4x2xf32>
  }

  // What the CPU narrows on its way in is the argument; rows that are hidden are multiplied by 0.
  // CHECK-LABEL: func.func @masks
  // CHECK: engine {
  // CHECK: ^bb0(%[[S:.*]]: tensor<4x4xf32>, %[[R:.*]]: tensor<4x1xf32>, %[[M:.*]]: tensor<4x4xf32>)
  // CHECK: %[[P:.*]] = ane.mul %[[S]], %[[R]]
  // CHECK: ane.add %[[P]], %[[M]]
  // CHECK: } twin {
  func.func @masks(%s: tensor<4x4xf32>, %r: tensor<4x1xf32>, %m: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = ane.narrow %s, %r {because = "masked_rows"} : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
    %1 = ane.narrow %m {axis = 1 : i64, because = "mask"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = ane.add %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
    return %2 : tensor<4x4xf32>
  }

  // x * x * c is x * c * x, which overflows where the result does; a factor that makes numbers larger stays behind.
  // CHECK-LABEL: func.func @square
  // CHECK: engine {
  // CHECK: ^bb0(%[[X:.*]]: tensor<4x64xf32>)
  // CHECK: %[[SCALED:.*]] = ane.mul %[[X]], %{{.*}} {{.*}}: tensor<4x64xf32>, tensor<f32>
  // CHECK-NEXT: ane.mul %[[SCALED]], %[[X]]
  // CHECK: %[[SQUARE:.*]] = ane.mul %[[X]], %[[X]]
  // CHECK: ane.mul %[[SQUARE]], %
  // CHECK: } twin {
  func.func @square(%x: tensor<4x64xf32>) -> (tensor<4x64xf32>, tensor<4x64xf32>) {
    %small = ane.const dense<-0.001> : tensor<f32>
    %large = ane.const dense<3.0> : tensor<f32>
    %0 = ane.mul %x, %x : tensor<4x64xf32>, tensor<4x64xf32>
    %1 = ane.mul %0, %small : tensor<4x64xf32>, tensor<f32>
    %2 = ane.mul %x, %x : tensor<4x64xf32>, tensor<4x64xf32>
    %3 = ane.mul %2, %large : tensor<4x64xf32>, tensor<f32>
    return %1, %3 : tensor<4x64xf32>, tensor<4x64xf32>
  }

  // The same where the factor is rescaled.
  // CHECK-LABEL: func.func @rescaled_square
  // CHECK: engine {
  // CHECK: ^bb0(%[[X:.*]]: tensor<4x64xf32>)
  // CHECK: %[[REST:.*]] = ane.mul %[[X]], %
  // CHECK: %[[POWER:.*]] = ane.const dense<6.10351563E-5> : tensor<f32>
  // CHECK: %[[SCALED:.*]] = ane.mul %[[REST]], %[[POWER]]
  // CHECK: ane.mul %[[SCALED]], %[[X]]
  // CHECK: } twin {
  // CHECK: ane.narrow %{{.*}} {because = "rescaled"}
  func.func @rescaled_square(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
    %small = ane.const dense<4.5e-06> : tensor<f32>
    %0 = ane.mul %x, %x : tensor<4x64xf32>, tensor<4x64xf32>
    %1 = ane.mul %0, %small : tensor<4x64xf32>, tensor<f32>
    return %1 : tensor<4x64xf32>
  }
}
