// RUN: ane-opt %s --ane-place | FileCheck %s

module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  // What the engine has no path for is marked with the constraint; the rest is not, and a mark that is there stays.
  // CHECK-LABEL: func.func @marks
  // CHECK: ane.relu %{{.*}} : tensor<1x64xf32>
  // CHECK: ane.add %{{.*}} {ane.host = #ane.host<"C{{[0-9]+}}", "{{.+}}">} : tensor<1x64xi64>
  // CHECK: ane.tanh %{{.*}} {ane.host = #ane.host<"C99", "asked for">}
  func.func @marks(%x: tensor<1x64xf32>, %i: tensor<1x64xi64>) -> (tensor<1x64xf32>, tensor<1x64xi64>, tensor<1x64xf32>) {
    %0 = ane.relu %x : tensor<1x64xf32>
    %1 = ane.add %i, %i : tensor<1x64xi64>, tensor<1x64xi64>
    %2 = ane.tanh %x {ane.host = #ane.host<"C99", "asked for">} : tensor<1x64xf32>
    return %0, %1, %2 : tensor<1x64xf32>, tensor<1x64xi64>, tensor<1x64xf32>
  }

  // Truth values stay inside a program.
  // CHECK-LABEL: func.func @bool_inside
  // CHECK-NOT: ane.host
  // CHECK: return
  func.func @bool_inside(%x: tensor<1x64xf32>, %y: tensor<1x64xf32>) -> tensor<1x64xf32> {
    %0 = ane.greater %x, %y : tensor<1x64xf32>, tensor<1x64xf32>
    %1 = ane.select %0, %x, %y : tensor<1x64xi1>, tensor<1x64xf32>, tensor<1x64xf32>
    return %1 : tensor<1x64xf32>
  }

  // CHECK-LABEL: func.func @bool_border
  // CHECK: ane.greater {{.*}}#ane.host<"C22", "gives a bool to the CPU">
  // CHECK: %[[N:.*]] = ane.cast %arg1 {ane.host = #ane.host<"C22", "a truth value for the engine becomes a number">, dtype = "fp32"}
  // CHECK: %[[B:.*]] = ane.not_equal %[[N]], %{{.*}} : tensor<1x64xf32>, tensor<f32>
  // CHECK: ane.select %[[B]], %arg0, %arg0 : tensor<1x64xi1>
  // CHECK: ane.relu %{{.*}} : tensor<1x64xf32>
  // CHECK: ane.reshape %arg1 {ane.host = #ane.host<"C22", "reads a bool that is computed on the CPU">
  func.func @bool_border(%x: tensor<1x64xf32>, %m: tensor<1x64xi1>) -> (tensor<1x64xi1>, tensor<1x64xf32>, tensor<64xi1>) {
    %0 = ane.greater %x, %x : tensor<1x64xf32>, tensor<1x64xf32>
    %1 = ane.select %m, %x, %x : tensor<1x64xi1>, tensor<1x64xf32>, tensor<1x64xf32>
    %2 = ane.relu %1 : tensor<1x64xf32>
    %3 = ane.reshape %m {shape = array<i64: 64>} : (tensor<1x64xi1>) -> tensor<64xi1>
    return %0, %2, %3 : tensor<1x64xi1>, tensor<1x64xf32>, tensor<64xi1>
  }

  // A weight file holds no bool; a constant condition of floats is spelled as bounds later.
  // CHECK-LABEL: func.func @bool_constant
  // CHECK: ane.select {{.*}}#ane.host<"C22", "reads a bool constant, which a weight file can't hold">
  // CHECK: ane.select %{{[^{]*}} : tensor<1x64xi1>, tensor<1x64xf32>, tensor<1x64xf32>
  func.func @bool_constant(%x: tensor<1x64xf32>, %y: tensor<1x64xf32>) -> (tensor<1x64xi1>, tensor<1x64xf32>) {
    %c = ane.const dense<true> : tensor<1x64xi1>
    %0 = ane.greater %x, %y : tensor<1x64xf32>, tensor<1x64xf32>
    %1 = ane.select %c, %0, %c : tensor<1x64xi1>, tensor<1x64xi1>, tensor<1x64xi1>
    %2 = ane.select %c, %x, %y : tensor<1x64xi1>, tensor<1x64xf32>, tensor<1x64xf32>
    return %1, %2 : tensor<1x64xi1>, tensor<1x64xf32>
  }

  // What an op makes of constants alone is no result of a program; compilation folds most of them before.
  // CHECK-LABEL: func.func @constants_alone
  // CHECK: ane.reduce_log_sum_exp {{.*}}ane.host = #ane.host<"C51", "reads constants alone">
  // CHECK: ane.relu
  // CHECK-NOT: ane.host
  func.func @constants_alone(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<1xf32>) {
    %c = ane.const dense<[1.0, 9.0]> : tensor<2xf32>
    %0 = ane.reduce_log_sum_exp %c {axes = array<i64: 0>, keep_dims = true} : (tensor<2xf32>) -> tensor<1xf32>
    %1 = ane.relu %x : tensor<64x64xf32>
    return %1, %0 : tensor<64x64xf32>, tensor<1xf32>
  }

  // The engine makes an infinity of a NaN, and nothing of 0 * NaN (C55).
  // CHECK-LABEL: func.func @nan
  // CHECK: ane.mul {{.*}}ane.host = #ane.host<"C55", "reads a constant that is NaN">
  // CHECK: ane.relu
  // CHECK-NOT: ane.host
  func.func @nan(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
    %c = ane.const dense<[[1.0, 0x7FC00000]]> : tensor<1x2xf32>
    %0 = ane.mul %x, %c : tensor<1x2xf32>, tensor<1x2xf32>
    %1 = ane.relu %0 : tensor<1x2xf32>
    return %1 : tensor<1x2xf32>
  }

  // fp16 is no answer to a model that asks for f64.
  // CHECK-LABEL: func.func @double
  // CHECK: ane.cast {{.*}}ane.host = #ane.host<"C22", "computes in f64">
  // CHECK: ane.floor {{.*}}ane.host = #ane.host<"C211", "operand 'x': computed from inputs, must be of more bits than fp16 has">
  // CHECK: ane.cast {{.*}}ane.host = #ane.host<"C22", "computes in f64">
  // CHECK: ane.relu
  // CHECK-NOT: ane.host
  func.func @double(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = ane.cast %x {dtype = "fp64"} : (tensor<64x64xf32>) -> tensor<64x64xf64>
    %1 = ane.floor %0 : tensor<64x64xf64>
    %2 = ane.cast %1 {dtype = "fp32"} : (tensor<64x64xf64>) -> tensor<64x64xf32>
    %3 = ane.relu %2 : tensor<64x64xf32>
    return %3 : tensor<64x64xf32>
  }

  // What is left of a number less its floor is lost in fp16; a layer stays.
  // CHECK-LABEL: func.func @fraction
  // CHECK: ane.mul %{{.*}} {ane.host = #ane.host<"C211"
  // CHECK: ane.floor %{{.*}} {ane.host = #ane.host<"C211"
  // CHECK: ane.sub %{{.*}} {ane.host = #ane.host<"C211", "computes with what the CPU made of inputs">}
  // CHECK: ane.gelu %{{[^{]*}} : tensor
  func.func @fraction(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %c = ane.const dense<0.1> : tensor<f32>
    %0 = ane.mul %x, %c : tensor<64x64xf32>, tensor<f32>
    %1 = ane.floor %0 : tensor<64x64xf32>
    %2 = ane.sub %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
    %3 = ane.gelu %2 : tensor<64x64xf32>
    return %3 : tensor<64x64xf32>
  }

  // A logarithm on the CPU reads what is computed there: of 1 - p fp16 has nothing left where p is near 1. The product stays.
  // CHECK-LABEL: func.func @logit
  // CHECK: ane.matmul %{{[^{]*}} : (tensor
  // CHECK: ane.sigmoid %{{.*}} {ane.host = #ane.host<"C212", "computes what a logarithm reads on the CPU">}
  // CHECK: ane.sub %{{.*}} {ane.host = #ane.host<"C212", "computes what a logarithm reads on the CPU">}
  // CHECK: ane.log %{{.*}}ane.host = #ane.host<"C212"
  func.func @logit(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %one = ane.const dense<1.0> : tensor<f32>
    %0 = ane.matmul %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = ane.sigmoid %0 : tensor<64x64xf32>
    %2 = ane.sub %one, %1 : tensor<f32>, tensor<64x64xf32>
    %3 = ane.log %2 {epsilon = 0.0} : tensor<64x64xf32>
    return %3 : tensor<64x64xf32>
  }

  // fp16 rounds an input of 10,000 by 4, and e^4 is much. What a product computed has been rounded anyway.
  // CHECK-LABEL: func.func @exponentiated
  // CHECK: ane.softmax %{{.*}} {ane.host = #ane.host<"C22", "raises e to what is computed from inputs, which fp16 rounds by too much">, axis = 1 : i64}
  // CHECK: ane.softmax %{{.*}} {axis = 1 : i64}
  // CHECK: ane.softmax %{{.*}} {axis = 1 : i64}
  func.func @exponentiated(%x: tensor<8x64xf32>, %h: tensor<1x64xf16>) -> (tensor<1x512xf32>, tensor<8x8xf32>, tensor<1x64xf16>) {
    %0 = ane.reshape %x {shape = array<i64: 1, 512>} : (tensor<8x64xf32>) -> tensor<1x512xf32>
    %1 = ane.softmax %0 {axis = 1 : i64} : tensor<1x512xf32>
    %2 = ane.matmul %x, %x {transpose_y = true} : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x8xf32>
    %3 = ane.softmax %2 {axis = 1 : i64} : tensor<8x8xf32>
    %4 = ane.softmax %h {axis = 1 : i64} : tensor<1x64xf16>
    return %1, %3, %4 : tensor<1x512xf32>, tensor<8x8xf32>, tensor<1x64xf16>
  }

  // An infinity that is no mask (ane-narrow-masks) is computed with on the CPU, as far as an exponential.
  // CHECK-LABEL: func.func @infinite
  // CHECK: ane.matmul %{{[^{]*}} : (tensor
  // CHECK: ane.add %{{.*}} {ane.host = #ane.host<"C213", "operand 'y': inf, must be held by fp16">}
  // CHECK: ane.mul %{{.*}} {ane.host = #ane.host<"C213", "reads what is computed with a constant that fp16 does not hold">}
  // CHECK: ane.softmax %{{.*}} {ane.host = #ane.host<"C213"
  // CHECK: ane.abs %{{.*}} : tensor
  func.func @infinite(%x: tensor<1x64xf32>, %w: tensor<64x2xf32>, %y: tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>) {
    %m = ane.const dense<[[0.0, 0xFF800000]]> : tensor<1x2xf32>
    %0 = ane.matmul %x, %w : (tensor<1x64xf32>, tensor<64x2xf32>) -> tensor<1x2xf32>
    %1 = ane.add %0, %m : tensor<1x2xf32>, tensor<1x2xf32>
    %2 = ane.mul %1, %y : tensor<1x2xf32>, tensor<1x2xf32>
    %3 = ane.softmax %2 {axis = 1 : i64} : tensor<1x2xf32>
    %4 = ane.abs %3 : tensor<1x2xf32>
    return %2, %4 : tensor<1x2xf32>, tensor<1x2xf32>
  }

  // A sum of inputs that others are divided by may be infinite in fp16, and the quotient 0.
  // CHECK-LABEL: func.func @divisor
  // CHECK: ane.reduce_sum %{{.*}} {ane.host = #ane.host<"C22", "makes of inputs what others are divided by, which may be infinite in fp16">
  // CHECK: ane.real_div %{{[^{]*}} : tensor
  // CHECK: ane.reduce_sum %{{[^{]*}} {axes
  func.func @divisor(%x: tensor<1x64xf32>, %y: tensor<1x64xf32>) -> (tensor<1x64xf32>, tensor<1x1xf32>) {
    %0 = ane.reduce_sum %x {axes = array<i64: 1>, keep_dims = true} : (tensor<1x64xf32>) -> tensor<1x1xf32>
    %1 = ane.real_div %y, %0 : tensor<1x64xf32>, tensor<1x1xf32>
    %2 = ane.reduce_sum %y {axes = array<i64: 1>, keep_dims = true} : (tensor<1x64xf32>) -> tensor<1x1xf32>
    return %1, %2 : tensor<1x64xf32>, tensor<1x1xf32>
  }

  // Angles and what a step makes a jump of are computed from inputs in the model's type; what is only moved is looked at in each run.
  // CHECK-LABEL: func.func @angles
  // CHECK: ane.cast {{.*}}ane.host
  // CHECK: ane.mul %{{.*}} {ane.host = #ane.host<"C211", "makes of inputs what the CPU needs in the model's type">}
  // CHECK: ane.sin %{{.*}} {ane.host = #ane.host<"C210", "operand 'x': computed from inputs, of any size, must be within 8">}
  // CHECK: ane.sin %{{[^{]*}} : tensor
  // CHECK: ane.mul %{{.*}} {ane.host = #ane.host<"C211"
  // CHECK: ane.floor %{{.*}} {ane.host = #ane.host<"C211", "operand 'x': computed from inputs, must be of more bits than fp16 has">}
  // CHECK: ane.sigmoid %{{[^{]*}} : tensor
  // CHECK: ane.mul %{{[^{]*}} : tensor
  // CHECK: ane.sin %{{[^{]*}} : tensor
  func.func @angles(%i: tensor<1x64xi64>, %x: tensor<1x64xf32>) -> (tensor<1x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>) {
    %c = ane.const dense<7.0> : tensor<f32>
    %p = ane.cast %i {dtype = "fp32"} : (tensor<1x64xi64>) -> tensor<1x64xf32>
    %0 = ane.mul %p, %c : tensor<1x64xf32>, tensor<f32>
    %1 = ane.sin %0 : tensor<1x64xf32>
    %2 = ane.sin %x : tensor<1x64xf32>
    %3 = ane.mul %x, %c : tensor<1x64xf32>, tensor<f32>
    %4 = ane.floor %3 : tensor<1x64xf32>
    %5 = ane.sigmoid %x : tensor<1x64xf32>
    %6 = ane.mul %5, %c : tensor<1x64xf32>, tensor<f32>
    %7 = ane.sin %6 : tensor<1x64xf32>
    return %1, %2, %4, %7 : tensor<1x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>
  }

  // A logarithm of what fp16 may not hold.
  // CHECK-LABEL: func.func @logarithms
  // CHECK: ane.log %{{.*}} {epsilon = 0.000000e+00 : f64} : tensor
  // CHECK: ane.square %{{.*}} {ane.host = #ane.host<"C211"
  // CHECK: ane.log %{{.*}} {ane.host = #ane.host<"C212", "operand 'x': may be as small as 0, must be at least 7.7e-06">
  // CHECK: ane.add %{{[^{]*}} : tensor
  // CHECK: ane.log %{{.*}} {epsilon = 0.000000e+00 : f64} : tensor
  func.func @logarithms(%x: tensor<1x64xf32>) -> (tensor<1x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>) {
    %one = ane.const dense<1.0> : tensor<f32>
    %0 = ane.log %x {epsilon = 0.0} : tensor<1x64xf32>
    %1 = ane.square %x : tensor<1x64xf32>
    %2 = ane.log %1 {epsilon = 0.0} : tensor<1x64xf32>
    %s = ane.sigmoid %x : tensor<1x64xf32>
    %3 = ane.add %s, %one : tensor<1x64xf32>, tensor<f32>
    %4 = ane.log %3 {epsilon = 0.0} : tensor<1x64xf32>
    return %0, %2, %4 : tensor<1x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>
  }

  // A state is an input of the next run: what makes it of inputs is in the model's type.
  // CHECK-LABEL: func.func @counter
  // CHECK: ane.add %{{.*}} {ane.host = #ane.host<"C211", "makes of inputs what the CPU needs in the model's type">}
  // CHECK: ane.sin %{{.*}} {ane.host = #ane.host<"C210"
  // CHECK: ane.mul %{{[^{]*}} : tensor
  func.func @counter(%d: tensor<1x64xf32>) -> (tensor<1x64xf32>, tensor<1x64xf32>) {
    %c = ane.const dense<0.5> : tensor<f32>
    %0 = ane.read_state @positions : tensor<1x64xf32>
    %1 = ane.add %0, %d : tensor<1x64xf32>, tensor<1x64xf32>
    ane.write_state @positions, %1 : tensor<1x64xf32>
    %2 = ane.sin %1 : tensor<1x64xf32>
    %3 = ane.mul %d, %c : tensor<1x64xf32>, tensor<f32>
    return %2, %3 : tensor<1x64xf32>, tensor<1x64xf32>
  }

  // The sign of an input below fp16's numbers would be 0, that of what a program computed is what it is.
  // CHECK-LABEL: func.func @signs
  // CHECK: ane.sign %{{.*}} {ane.host = #ane.host<"C211", "operand 'x': an input, whose sign is asked for
  // CHECK: ane.greater %{{.*}} {ane.host = #ane.host<"C211", "operand 'x': an input, whose sign is asked for
  // CHECK: ane.sign %{{[^{]*}} : tensor
  func.func @signs(%x: tensor<1x64xf32>) -> (tensor<1x64xf32>, tensor<1x64xi1>, tensor<1x64xf32>) {
    %zero = ane.const dense<0.0> : tensor<f32>
    %0 = ane.sign %x : tensor<1x64xf32>
    %1 = ane.greater %x, %zero : tensor<1x64xf32>, tensor<f32>
    %2 = ane.layer_norm %x {axes = array<i64: 1>, epsilon = 1.0e-5 : f64} : (tensor<1x64xf32>) -> tensor<1x64xf32>
    %3 = ane.sign %2 : tensor<1x64xf32>
    return %0, %1, %3 : tensor<1x64xf32>, tensor<1x64xi1>, tensor<1x64xf32>
  }

  // Years less 2,000 are wrong once fp16 has rounded the years; pixels less their mean are not.
  // CHECK-LABEL: func.func @differences
  // CHECK: ane.slice_by_size %{{.*}} {ane.host = #ane.host<"C211"
  // CHECK: ane.slice_by_size %{{.*}} {ane.host = #ane.host<"C211"
  // CHECK: ane.sub %{{.*}} {ane.host = #ane.host<"C22", "takes a difference of inputs, which fp16 would round before">}
  // CHECK: ane.sub %{{.*}} {ane.host = #ane.host<"C22", "takes a difference of inputs, which fp16 would round before">}
  // CHECK: ane.sub %{{[^{]*}} : tensor
  func.func @differences(%x: tensor<1x65xf32>) -> (tensor<1x64xf32>, tensor<1x65xf32>, tensor<1x65xf32>) {
    %year = ane.const dense<2.0e3> : tensor<f32>
    %mean = ane.const dense<123.675> : tensor<f32>
    %a = ane.slice_by_size %x {begin = array<i64: 0, 1>, size = array<i64: 1, 64>} : (tensor<1x65xf32>) -> tensor<1x64xf32>
    %b = ane.slice_by_size %x {begin = array<i64: 0, 0>, size = array<i64: 1, 64>} : (tensor<1x65xf32>) -> tensor<1x64xf32>
    %0 = ane.sub %a, %b : tensor<1x64xf32>, tensor<1x64xf32>
    %1 = ane.sub %x, %year : tensor<1x65xf32>, tensor<f32>
    %2 = ane.sub %x, %mean : tensor<1x65xf32>, tensor<f32>
    return %0, %1, %2 : tensor<1x64xf32>, tensor<1x65xf32>, tensor<1x65xf32>
  }

  // A difference that is enlarged counts as large as it becomes; what a norm with constants takes away is told by these.
  // The CPU moves what it reads.
  // CHECK-LABEL: func.func @columns
  // CHECK: ane.sub %{{.*}} {ane.host = #ane.host<"C22", "takes a difference of inputs, which fp16 would round before">}
  // CHECK: ane.sub %{{.*}} {ane.host = #ane.host<"C22", "takes a difference of inputs, which fp16 would round before">}
  // CHECK: %[[E:.*]] = ane.reshape %{{[^{]*}} {shape
  // CHECK: %[[H:.*]] = ane.reshape %{{.*}} {ane.host = #ane.host<"C211"
  // CHECK: ane.batch_norm %[[H]], %{{.*}} {ane.host = #ane.host<"C22"
  // CHECK: ane.batch_norm %[[E]], %{{[^{]*}} :
  func.func @columns(%x: tensor<4x64xf32>) -> (tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64x1xf32>, tensor<4x64x1xf32>) {
    %latitude = ane.const dense<48.85> : tensor<f32>
    %many = ane.const dense<1.0e3> : tensor<f32>
    %pixel = ane.const dense<0.485> : tensor<64xf32>
    %one = ane.const dense<1.0> : tensor<64xf32>
    %year = ane.const dense<2.0e3> : tensor<64xf32>
    %0 = ane.sub %x, %latitude : tensor<4x64xf32>, tensor<f32>
    %1 = ane.mul %0, %many : tensor<4x64xf32>, tensor<f32>
    %2 = ane.reduce_mean %x {axes = array<i64: 1>, keep_dims = true} : (tensor<4x64xf32>) -> tensor<4x1xf32>
    %3 = ane.sub %x, %2 : tensor<4x64xf32>, tensor<4x1xf32>
    %4 = ane.reshape %x {shape = array<i64: 4, 64, 1>} : (tensor<4x64xf32>) -> tensor<4x64x1xf32>
    %5 = ane.batch_norm %4, %year, %one : (tensor<4x64x1xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<4x64x1xf32>
    %6 = ane.batch_norm %4, %pixel, %one : (tensor<4x64x1xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<4x64x1xf32>
    return %1, %3, %5, %6 : tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64x1xf32>, tensor<4x64x1xf32>
  }

  // A quiet spectrum: its squares and their bands are the logarithm's, the layer in front is the engine's.
  // CHECK-LABEL: func.func @spectrum
  // CHECK: ane.linear %{{[^{]*}} : (tensor
  // CHECK: ane.mul %{{.*}} {ane.host = #ane.host<"C212"
  // CHECK: ane.linear %{{.*}} {ane.host = #ane.host<"C212"
  // CHECK: ane.log %{{.*}} {ane.host = #ane.host<"C212"
  func.func @spectrum(%x: tensor<1x64xf32>) -> tensor<1x16xf32> {
    %w = ane.const dense<0.5> : tensor<32x64xf32>
    %bands = ane.const dense<0.25> : tensor<16x32xf32>
    %0 = ane.linear %x, %w : (tensor<1x64xf32>, tensor<32x64xf32>) -> tensor<1x32xf32>
    %1 = ane.mul %0, %0 : tensor<1x32xf32>, tensor<1x32xf32>
    %2 = ane.linear %1, %bands : (tensor<1x32xf32>, tensor<16x32xf32>) -> tensor<1x16xf32>
    %3 = ane.log %2 {epsilon = 0.0} : tensor<1x16xf32>
    return %3 : tensor<1x16xf32>
  }
  ane.state @positions : tensor<1x64xf32>
}
