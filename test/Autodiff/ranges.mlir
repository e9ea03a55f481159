// What is known about values holds for gradients, too: records of ranges (C55, C77, C81) see the backward pass as they see the forward pass. Scales of the
// loss are inputs, of which nothing is known; here there is none.
//
// Illegal: as islands that nobody has legalised.
// RUN: not ane-opt %s --split-input-file 2>&1 \
// RUN:   --pass-pipeline="builtin.module(ane-autodiff{wrt=w},func.func(canonicalize,cse,ane-form-islands,ane.island(ane-begin-engine-body)),ane-verify-legal{only=C55,C77,C81 advice=true})" \
// RUN:   | FileCheck %s --check-prefix=ILLEGAL
//
// Legalised: the CPU has what would be infinite, or no engine op is left that would be.
// RUN: ane-opt %s --split-input-file --ane-autodiff=wrt=w --ane-to-legal | FileCheck %s --check-prefix=LEGALISED
// RUN: ane-opt %s --split-input-file --ane-autodiff=wrt=w --ane-to-legal --ane-verify-legal=only=C55,C77 -o /dev/null

// 64 products of 16 and 32 are 32,768, from where on a product is infinite. It is the gradient's; y may be 0.
// ILLEGAL: error: 'ane.matmul' violates C77 accumulator-range on h16 {{.*}}: result: 32768 or beyond, limit 32752
// ILLEGAL-NOT: C77 accumulator-range
// LEGALISED-LABEL: func.func @main_gradients(
// LEGALISED: ane.island
// LEGALISED: ane.matmul
// LEGALISED-NOT: ane.matmul{{.*}}transpose_x
// LEGALISED: } twin {
// LEGALISED: %[[G:.*]] = ane.linear {{.*}} {ane.host = #ane.host<"C77", "result: 32768 or beyond, limit 32752">}
// LEGALISED: return %{{.*}}, %[[G]] :
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x64x64xf32> {ane.io_name = "x"}, %w: tensor<1x64x64xf32> {ane.io_name = "w"}) -> (tensor<f32> {ane.io_name = "loss"}) {
    %c = ane.const dense<32.0> : tensor<f32>
    %a = ane.clip %x {alpha = 16.0, beta = 20.0} : tensor<1x64x64xf32>
    %y = ane.matmul %a, %w {transpose_x = false, transpose_y = false} : (tensor<1x64x64xf32>, tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %z = ane.mul %y, %c : tensor<1x64x64xf32>, tensor<f32>
    %loss = ane.reduce_sum %z : (tensor<1x64x64xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// 64 products of 16 and 31.984375 are the bound, 32,752: legal.
// LEGALISED-LABEL: func.func @main_gradients(
// LEGALISED-NOT: ane.host
// LEGALISED: return
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x64x64xf32> {ane.io_name = "x"}, %w: tensor<1x64x64xf32> {ane.io_name = "w"}) -> (tensor<f32> {ane.io_name = "loss"}) {
    %c = ane.const dense<31.984375> : tensor<f32>
    %a = ane.clip %x {alpha = 16.0, beta = 20.0} : tensor<1x64x64xf32>
    %y = ane.matmul %a, %w {transpose_x = false, transpose_y = false} : (tensor<1x64x64xf32>, tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %z = ane.mul %y, %c : tensor<1x64x64xf32>, tensor<f32>
    %loss = ane.reduce_sum %z : (tensor<1x64x64xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// A loss that is a sum times 100,000: its gradient by each element is beyond 65,504, too, and the CPU computes with it. The slope of tanh stays.
// LEGALISED-LABEL: func.func @main_gradients(
// LEGALISED: %[[SEED:.*]] = ane.const dense<1.000000e+05> : tensor<1x64x64xf32>
// LEGALISED: %[[SLOPE:.*]]:2 = ane.island
// LEGALISED-NOT: dense<6.550400e+04>
// LEGALISED: } twin {
// LEGALISED: %[[A:.*]] = ane.mul %[[SLOPE]]#1, %[[SEED]] {ane.host = #ane.host<"C213"
// LEGALISED: %[[G:.*]] = ane.mul %[[A]], %{{.*}} {ane.host = #ane.host<"C213"
// LEGALISED: return %{{.*}}, %[[G]] :
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x64x64xf32> {ane.io_name = "x"}, %w: tensor<1x64x64xf32> {ane.io_name = "w"}) -> (tensor<f32> {ane.io_name = "loss"}) {
    %c = ane.const dense<100000.0> : tensor<f32>
    %a = ane.mul %x, %w : tensor<1x64x64xf32>, tensor<1x64x64xf32>
    %t = ane.tanh %a : tensor<1x64x64xf32>
    %z = ane.mul %t, %c : tensor<1x64x64xf32>, tensor<f32>
    %loss = ane.reduce_sum %z : (tensor<1x64x64xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}

// -----

// The mean of 65,536 elements: each has a part of the gradient that fp16 holds with few bits. That is accepted, and said.
// ILLEGAL: warning: 'ane.mul' meets C81 small-activations on h16 {{.*}}: result: 3.1E-05 or less, must be more than 6.1E-05
// LEGALISED-LABEL: func.func @main_gradients(
// LEGALISED-NOT: ane.host
// LEGALISED: return
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<1x256x256xf32> {ane.io_name = "x"}, %w: tensor<1x256x256xf32> {ane.io_name = "w"}) -> (tensor<f32> {ane.io_name = "loss"}) {
    %a = ane.mul %x, %w : tensor<1x256x256xf32>, tensor<1x256x256xf32>
    %t = ane.tanh %a : tensor<1x256x256xf32>
    %loss = ane.reduce_mean %t : (tensor<1x256x256xf32>) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
