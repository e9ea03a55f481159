// RUN: ane-opt %s --ane-add-adapters='rank=2 alpha=4 targets=q_proj,c_attn' | FileCheck %s
// RUN: ane-opt %s --ane-add-adapters='rank=2 alpha=4 targets=self.q_proj as=states' | FileCheck %s --check-prefix=STATES
// RUN: not ane-opt %s --ane-add-adapters='targets=proj' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not ane-opt %s --ane-add-adapters='rank=0 targets=q_proj' 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not ane-opt %s --ane-add-adapters 2>&1 | FileCheck %s --check-prefix=EMPTY

// RUN: not ane-opt %s --ane-add-adapters='alpha=0 targets=q_proj' 2>&1 | FileCheck %s --check-prefix=ALPHA

// Only whole words of names count.
// NONE: error: targets=proj: no linear layer's weight is called so; one of the weights is that of layers.0.self.q_proj
// RANK: error: rank=0: an adapter's rank is 1 to 1024
// ALPHA: error: alpha=0.000000e+00: a finite number that is not 0
// EMPTY: error: targets: no layers are named, for instance targets=q_proj,v_proj

// CHECK: ane.adapters = {alpha = 4.000000e+00 : f64, pairs = [{{.*}}layer = "layers.0.c_attn", transposed = true, weight = "layers.0.c_attn.weight"}, {{.*}}layer = "layers.0.self.q_proj", transposed = false,
// CHECK: ane.parameter "base_model.model.layers.0.self.q_proj.lora_A.weight" : tensor<2x4xf32>
// CHECK: ane.parameter "base_model.model.layers.0.self.q_proj.lora_B.weight" : tensor<3x2xf32> {
// CHECK-NEXT: ane.const dense<0.000000e+00>
// CHECK: ane.parameter "base_model.model.layers.0.c_attn.lora_B.weight" : tensor<6x2xf32>
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<1x5x4xf32>, %[[A:.*]]: tensor<2x4xf32> {ane.io_name = "base_model.model.layers.0.self.q_proj.lora_A.weight"}
// CHECK-SAME: %[[B:.*]]: tensor<3x2xf32> {{.*}}, %{{.*}}: tensor<2x4xf32> {{.*}}, %[[CB:.*]]: tensor<6x2xf32> {ane.io_name = "base_model.model.layers.0.c_attn.lora_B.weight"})
// CHECK: %[[Y:.*]] = ane.linear %[[X]], %{{.*}} : (tensor<1x5x4xf32>, tensor<3x4xf32>)
// CHECK: %[[LOW:.*]] = ane.linear %[[X]], %[[A]]
// CHECK: %[[FACTOR:.*]] = ane.const dense<2.000000e+00>
// CHECK: %[[SCALED:.*]] = ane.mul %[[LOW]], %[[FACTOR]]
// CHECK: %[[HIGH:.*]] = ane.linear %[[SCALED]], %[[B]]
// CHECK: ane.add %[[Y]], %[[HIGH]]
// A layer that has a part of the weight has that part of B.
// CHECK: ane.slice_by_size %[[CB]] {begin = array<i64: 3, 0>, size = array<i64: 3, 2>}

// STATES: ane.state @base_model.model.layers.0.self.q_proj.lora_A.weight : tensor<2x4xf32>
// STATES: func.func @main(%{{.*}}: tensor<1x5x4xf32>) ->
// STATES: ane.read_state @base_model.model.layers.0.self.q_proj.lora_
module attributes {ane.weights = {layers.0.self.q_proj.weight = #ane.weight<"w.bin", 0, 48> : tensor<3x4xf32>,
                                  layers.0.c_attn.weight = #ane.weight<"w.bin", 48, 96> : tensor<4x6xf32>}} {
  func.func @main(%x: tensor<1x5x4xf32>) -> (tensor<1x5x3xf32>, tensor<1x5x3xf32>) {
    %q = ane.const #ane.weight<"w.bin", 0, 48> : tensor<3x4xf32>
    %0 = ane.linear %x, %q : (tensor<1x5x4xf32>, tensor<3x4xf32>) -> tensor<1x5x3xf32>
    %c = ane.const #ane.weight<"w.bin", 48, 96> : tensor<4x6xf32>
    %1 = ane.transpose %c {perm = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
    %2 = ane.slice_by_size %1 {begin = array<i64: 3, 0>, size = array<i64: 3, 4>} : (tensor<6x4xf32>) -> tensor<3x4xf32>
    %3 = ane.linear %x, %2 : (tensor<1x5x4xf32>, tensor<3x4xf32>) -> tensor<1x5x3xf32>
    return %0, %3 : tensor<1x5x3xf32>, tensor<1x5x3xf32>
  }
}
