// RUN: ane-opt %s --ane-add-adapters='rank=2 alpha=4 targets=q_proj' | FileCheck %s
// RUN: not ane-opt %s --ane-add-adapters='targets=attn_q' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: rm -rf %t && mkdir %t && head -c 64 /dev/zero > %t/w.bin
// RUN: cp %s %t/model.mlir && cd %t && ane-compile model.mlir -o b.anebundle --quiet --lora=rank=2,alpha=4,targets=q_proj
// RUN: FileCheck %s --check-prefix=MANIFEST < %t/b.anebundle/manifest.json
// Layers are called as Hugging Face's model has them, whatever the file says.

// CHECK: ane.adapters = {alpha = 4.000000e+00 : f64, pairs = [
// CHECK-SAME: {a = "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight", b = "base_model.model.model.layers.0.self_attn.q_proj.lora_B.weight", heads = 2 : i64, layer = "model.layers.0.self_attn.q_proj", transposed = false, weight = "blk.0.attn_q.weight"}]
// CHECK-SAME: rank = 2 : i64, targets = ["q_proj"]}
// CHECK: ane.parameter "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight"
// NONE: error: targets=attn_q: no linear layer's weight is called so; one of the weights is that of model.layers.0.self_attn.q_proj

// MANIFEST: "adapters": {
// MANIFEST-NEXT: "rank": 2,
// MANIFEST-NEXT: "alpha": 4.0,
// MANIFEST-NEXT: "targets": ["q_proj"],
// MANIFEST-NEXT: "pairs": [
// MANIFEST-NEXT: {
// MANIFEST-NEXT: "layer": "model.layers.0.self_attn.q_proj",
// MANIFEST-NEXT: "weight": "blk.0.attn_q.weight",
// MANIFEST-NEXT: "a": "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight",
// MANIFEST-NEXT: "b": "base_model.model.model.layers.0.self_attn.q_proj.lora_B.weight",
// MANIFEST-NEXT: "transposed": false,
// MANIFEST-NEXT: "heads": 2
module attributes {ane.weights = {blk.0.attn_q.weight = #ane.weight<"w.bin", 0, 64> : tensor<4x4xf32>},
                   ane.hugging_face = {tensors = {blk.0.attn_q.weight = {name = "model.layers.0.self_attn.q_proj.weight", heads = 2 : i64}}}} {
  func.func @main(%x: tensor<1x5x4xf32>) -> tensor<1x5x4xf32> {
    %q = ane.const #ane.weight<"w.bin", 0, 64> : tensor<4x4xf32>
    %0 = ane.linear %x, %q : (tensor<1x5x4xf32>, tensor<4x4xf32>) -> tensor<1x5x4xf32>
    return %0 : tensor<1x5x4xf32>
  }
}
