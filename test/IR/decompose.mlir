// What composites mean in simpler ops. (The pass works on the engine region of islands; linear and relayout have passes
// of their own.)
// RUN: ane-opt %s --pass-pipeline='builtin.module(func.func(ane.island(ane-begin-engine-body,ane-decompose-composites)))' -split-input-file | FileCheck %s

// CHECK-LABEL: @neg
// CHECK: engine {
// CHECK: ^bb0(%[[X:[a-z0-9]+]]: tensor<2x3x4xf16>)
// CHECK: %[[C:.*]] = ane.const dense<-1.000000e+00> : tensor<f16>
// CHECK: ane.mul %[[X]], %[[C]]
// CHECK: } twin {
func.func @neg(%fx: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %r = ane.island(%fx) : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16> engine {
  } twin {
  ^bb0(%x: tensor<2x3x4xf16>):
    %0 = ane.neg %x : tensor<2x3x4xf16>
    ane.yield %0 : tensor<2x3x4xf16>
  }
  return %r : tensor<2x3x4xf16>
}

// -----

// CHECK-LABEL: @reciprocal
// CHECK: engine {
// CHECK: ^bb0(%[[X:[a-z0-9]+]]: tensor<2x3x4xf16>)
// CHECK: %[[C:.*]] = ane.const dense<1.000000e+00> : tensor<f16>
// CHECK: ane.real_div %[[C]], %[[X]]
// CHECK: } twin {
func.func @reciprocal(%fx: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %r = ane.island(%fx) : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16> engine {
  } twin {
  ^bb0(%x: tensor<2x3x4xf16>):
    %0 = ane.reciprocal %x : tensor<2x3x4xf16>
    ane.yield %0 : tensor<2x3x4xf16>
  }
  return %r : tensor<2x3x4xf16>
}

// -----

// CHECK-LABEL: @silu
// CHECK: engine {
// CHECK: ^bb0(%[[X:[a-z0-9]+]]: tensor<2x3x4xf16>)
// CHECK: %[[S:.*]] = ane.sigmoid %[[X]]
// CHECK: ane.mul %[[X]], %[[S]]
// CHECK: } twin {
func.func @silu(%fx: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %r = ane.island(%fx) : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16> engine {
  } twin {
  ^bb0(%x: tensor<2x3x4xf16>):
    %0 = ane.silu %x : tensor<2x3x4xf16>
    ane.yield %0 : tensor<2x3x4xf16>
  }
  return %r : tensor<2x3x4xf16>
}

// -----

// CHECK-LABEL: @gelu
// CHECK: engine {
// CHECK: ^bb0(%[[X:[a-z0-9]+]]: tensor<2x3x4xf16>)
// CHECK: ane.mul %[[X]], %{{.*}}
// CHECK: ane.erf
// CHECK: ane.mul %[[X]], %{{.*}}
// CHECK: ane.add
// CHECK: ane.mul
// CHECK: } twin {
func.func @gelu(%fx: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %r = ane.island(%fx) : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16> engine {
  } twin {
  ^bb0(%x: tensor<2x3x4xf16>):
    %0 = ane.gelu %x : tensor<2x3x4xf16>
    ane.yield %0 : tensor<2x3x4xf16>
  }
  return %r : tensor<2x3x4xf16>
}

// -----

// CHECK-LABEL: @gelu_sigmoid
// CHECK: engine {
// CHECK: ^bb0(%[[X:[a-z0-9]+]]: tensor<2x3x4xf16>)
// CHECK: dense<1.702150e+00>
// CHECK: ane.mul %[[X]]
// CHECK: %[[S:.*]] = ane.sigmoid
// CHECK: ane.mul %[[X]], %[[S]]
// CHECK: } twin {
func.func @gelu_sigmoid(%fx: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %r = ane.island(%fx) : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16> engine {
  } twin {
  ^bb0(%x: tensor<2x3x4xf16>):
    %0 = ane.gelu %x {mode = "SIGMOID_APPROXIMATION"} : tensor<2x3x4xf16>
    ane.yield %0 : tensor<2x3x4xf16>
  }
  return %r : tensor<2x3x4xf16>
}

// -----

// CHECK-LABEL: @log_softmax
// CHECK: engine {
// CHECK: ^bb0(%[[X:[a-z0-9]+]]: tensor<2x3x4xf16>)
// CHECK: %[[M:.*]] = ane.reduce_max %[[X]] {{.*}}axes = array<i64: 1>, keep_dims = true}
// CHECK: %[[D:.*]] = ane.sub %[[X]], %[[M]]
// CHECK: %[[E:.*]] = ane.exp %[[D]]
// CHECK: %[[S:.*]] = ane.reduce_sum %[[E]] {{.*}}axes = array<i64: 1>, keep_dims = true}
// CHECK: %[[B:.*]] = ane.maximum %[[S]], %{{.*}}
// CHECK: %[[L:.*]] = ane.log %[[B]]
// CHECK: ane.sub %[[D]], %[[L]]
// CHECK: } twin {
func.func @log_softmax(%fx: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %r = ane.island(%fx) : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16> engine {
  } twin {
  ^bb0(%x: tensor<2x3x4xf16>):
    %0 = ane.log_softmax %x {axis = 1} : tensor<2x3x4xf16>
    ane.yield %0 : tensor<2x3x4xf16>
  }
  return %r : tensor<2x3x4xf16>
}

// -----

// CHECK-LABEL: @hard_swish
// CHECK: engine {
// CHECK: ^bb0(%[[X:[a-z0-9]+]]: tensor<2x3x4xf16>)
// CHECK: %[[S:.*]] = ane.sigmoid_hard %[[X]] {{.*}}alpha = 0.1666{{.*}}, {{.*}}beta = 5.000000e-01
// CHECK: ane.mul %[[X]], %[[S]]
// CHECK: } twin {
func.func @hard_swish(%fx: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %r = ane.island(%fx) : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16> engine {
  } twin {
  ^bb0(%x: tensor<2x3x4xf16>):
    %0 = ane.hard_swish %x : tensor<2x3x4xf16>
    ane.yield %0 : tensor<2x3x4xf16>
  }
  return %r : tensor<2x3x4xf16>
}

// -----

// CHECK-LABEL: @mish
// CHECK: engine {
// CHECK: ^bb0(%[[X:[a-z0-9]+]]: tensor<2x3x4xf16>)
// CHECK: ane.softplus %[[X]]
// CHECK: %[[S:.*]] = ane.tanh
// CHECK: ane.mul %[[X]], %[[S]]
// CHECK: } twin {
func.func @mish(%fx: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %r = ane.island(%fx) : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16> engine {
  } twin {
  ^bb0(%x: tensor<2x3x4xf16>):
    %0 = ane.mish %x : tensor<2x3x4xf16>
    ane.yield %0 : tensor<2x3x4xf16>
  }
  return %r : tensor<2x3x4xf16>
}

// -----

// CHECK-LABEL: @batch_norm
// CHECK: engine {
// CHECK: ^bb0(%[[X:[a-z0-9]+]]: tensor<2x3x4xf16>,
// CHECK: ane.sqrt
// CHECK: ane.reshape %{{.*}}shape = array<i64: 3, 1>}
// CHECK: ane.sub %[[X]]
// CHECK: ane.real_div
// CHECK: ane.mul
// CHECK: ane.add
// CHECK: } twin {
func.func @batch_norm(%fx: tensor<2x3x4xf16>, %fm: tensor<3xf16>, %fv: tensor<3xf16>, %fg: tensor<3xf16>, %fb: tensor<3xf16>) -> tensor<2x3x4xf16> {
  %r = ane.island(%fx, %fm, %fv, %fg, %fb) : (tensor<2x3x4xf16>, tensor<3xf16>, tensor<3xf16>, tensor<3xf16>, tensor<3xf16>) -> tensor<2x3x4xf16> engine {
  } twin {
  ^bb0(%x: tensor<2x3x4xf16>, %m: tensor<3xf16>, %v: tensor<3xf16>, %g: tensor<3xf16>, %b: tensor<3xf16>):
    %0 = ane.batch_norm %x, %m, %v gamma %g beta %b : (tensor<2x3x4xf16>, tensor<3xf16>, tensor<3xf16>, tensor<3xf16>, tensor<3xf16>) -> tensor<2x3x4xf16>
    ane.yield %0 : tensor<2x3x4xf16>
  }
  return %r : tensor<2x3x4xf16>
}

// -----

// CHECK-LABEL: @instance_norm
// CHECK: engine {
// CHECK: ^bb0(%[[X:[a-z0-9]+]]: tensor<2x3x4xf16>)
// CHECK: ane.reduce_mean %[[X]] {{.*}}axes = array<i64: 2>, keep_dims = true}
// CHECK: %[[D:.*]] = ane.sub %[[X]]
// CHECK: ane.mul %[[D]], %[[D]]
// CHECK: ane.reduce_mean
// CHECK: ane.sqrt
// CHECK: ane.real_div %[[D]]
// CHECK: } twin {
func.func @instance_norm(%fx: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %r = ane.island(%fx) : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16> engine {
  } twin {
  ^bb0(%x: tensor<2x3x4xf16>):
    %0 = ane.instance_norm %x : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16>
    ane.yield %0 : tensor<2x3x4xf16>
  }
  return %r : tensor<2x3x4xf16>
}

// -----

// CHECK-LABEL: @group_norm
// CHECK: engine {
// CHECK: ^bb0(%[[X:[a-z0-9]+]]: tensor<2x6x4xf16>)
// CHECK: %[[G:.*]] = ane.reshape %[[X]] {{.*}}shape = array<i64: 2, 3, 8>}
// CHECK: ane.reduce_mean %[[G]] {{.*}}axes = array<i64: 2>, keep_dims = true}
// CHECK: ane.real_div
// CHECK: ane.reshape %{{.*}}shape = array<i64: 2, 6, 4>}
// CHECK: } twin {
func.func @group_norm(%fx: tensor<2x6x4xf16>) -> tensor<2x6x4xf16> {
  %r = ane.island(%fx) : (tensor<2x6x4xf16>) -> tensor<2x6x4xf16> engine {
  } twin {
  ^bb0(%x: tensor<2x6x4xf16>):
    %0 = ane.group_norm %x {num_groups = 3} : (tensor<2x6x4xf16>) -> tensor<2x6x4xf16>
    ane.yield %0 : tensor<2x6x4xf16>
  }
  return %r : tensor<2x6x4xf16>
}

// -----

// CHECK-LABEL: @l2_norm
// CHECK: engine {
// CHECK: ^bb0(%[[X:[a-z0-9]+]]: tensor<2x3x4xf16>)
// CHECK: ane.mul %[[X]], %[[X]]
// CHECK: ane.reduce_sum %{{.*}}axes = array<i64: -3, -2, -1>, keep_dims = true}
// CHECK: ane.add
// CHECK: ane.sqrt
// CHECK: ane.real_div %[[X]]
// CHECK: } twin {
func.func @l2_norm(%fx: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %r = ane.island(%fx) : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16> engine {
  } twin {
  ^bb0(%x: tensor<2x3x4xf16>):
    %0 = ane.l2_norm %x : tensor<2x3x4xf16>
    ane.yield %0 : tensor<2x3x4xf16>
  }
  return %r : tensor<2x3x4xf16>
}

// -----

// CHECK-LABEL: @layer_norm
// CHECK: engine {
// CHECK: ^bb0(%[[X:[a-z0-9]+]]: tensor<2x3x4xf16>,
// CHECK: ane.reduce_mean %[[X]] {{.*}}axes = array<i64: 2>, keep_dims = true}
// CHECK: ane.sub
// CHECK: ane.mul
// CHECK: ane.reduce_mean
// CHECK: ane.add
// CHECK: ane.sqrt
// CHECK: ane.real_div
// CHECK: ane.reshape %{{.*}}shape = array<i64: 1, 1, 4>}
// CHECK: ane.mul
// CHECK: ane.add
// CHECK: } twin {
func.func @layer_norm(%fx: tensor<2x3x4xf16>, %fg: tensor<4xf16>, %fb: tensor<4xf16>) -> tensor<2x3x4xf16> {
  %r = ane.island(%fx, %fg, %fb) : (tensor<2x3x4xf16>, tensor<4xf16>, tensor<4xf16>) -> tensor<2x3x4xf16> engine {
  } twin {
  ^bb0(%x: tensor<2x3x4xf16>, %g: tensor<4xf16>, %b: tensor<4xf16>):
    %0 = ane.layer_norm %x gamma %g beta %b {axes = array<i64: -1>} : (tensor<2x3x4xf16>, tensor<4xf16>, tensor<4xf16>) -> tensor<2x3x4xf16>
    ane.yield %0 : tensor<2x3x4xf16>
  }
  return %r : tensor<2x3x4xf16>
}

// -----

// CHECK-LABEL: @rms_norm
// CHECK: engine {
// CHECK: ^bb0(%[[X:[a-z0-9]+]]: tensor<2x3x4xf16>,
// CHECK: ane.mul %[[X]], %[[X]]
// CHECK: ane.reduce_mean %{{.*}}axes = array<i64: 2>, keep_dims = true}
// CHECK: ane.sqrt
// CHECK: ane.real_div %[[X]]
// CHECK: ane.add %{{.*}}, %{{.*}} : tensor<4xf16>, tensor<f16>
// CHECK: ane.mul
// CHECK: } twin {
func.func @rms_norm(%fx: tensor<2x3x4xf16>, %fg: tensor<4xf16>) -> tensor<2x3x4xf16> {
  %r = ane.island(%fx, %fg) : (tensor<2x3x4xf16>, tensor<4xf16>) -> tensor<2x3x4xf16> engine {
  } twin {
  ^bb0(%x: tensor<2x3x4xf16>, %g: tensor<4xf16>):
    %0 = ane.rms_norm %x gamma %g {zero_centered = true} : (tensor<2x3x4xf16>, tensor<4xf16>) -> tensor<2x3x4xf16>
    ane.yield %0 : tensor<2x3x4xf16>
  }
  return %r : tensor<2x3x4xf16>
}

// -----

// CHECK-LABEL: @attention
// CHECK: engine {
// CHECK: ^bb0(%[[X:[a-z0-9]+]]: tensor<2x5x8xf16>,
// CHECK: %[[Q:.*]] = ane.mul %[[X]], %{{.*}} : tensor<2x5x8xf16>, tensor<f16>
// CHECK: %[[S:.*]] = ane.matmul %[[Q]], %{{.*}}transpose_y = true}
// CHECK: %[[M:.*]] = ane.add %[[S]], %{{.*}} : tensor<2x5x5xf16>, tensor<5x5xf16>
// CHECK: %[[P:.*]] = ane.softmax %[[M]]
// CHECK: ane.matmul %[[P]]
// CHECK: } twin {
func.func @attention(%fq: tensor<2x5x8xf16>, %fk: tensor<2x5x8xf16>, %fv: tensor<2x5x8xf16>, %fm: tensor<5x5xf16>) -> tensor<2x5x8xf16> {
  %r = ane.island(%fq, %fk, %fv, %fm) : (tensor<2x5x8xf16>, tensor<2x5x8xf16>, tensor<2x5x8xf16>, tensor<5x5xf16>) -> tensor<2x5x8xf16> engine {
  } twin {
  ^bb0(%q: tensor<2x5x8xf16>, %k: tensor<2x5x8xf16>, %v: tensor<2x5x8xf16>, %m: tensor<5x5xf16>):
    %0 = ane.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<2x5x8xf16>, tensor<2x5x8xf16>, tensor<2x5x8xf16>, tensor<5x5xf16>) -> tensor<2x5x8xf16>
    ane.yield %0 : tensor<2x5x8xf16>
  }
  return %r : tensor<2x5x8xf16>
}

// -----

// Queries that share a key are more rows of one product.
// CHECK-LABEL: @attention_groups
// CHECK: engine {
// CHECK: %[[Q:.*]] = ane.reshape %{{.*}}shape = array<i64: 2, 15, 8>} : (tensor<6x5x8xf16>)
// CHECK: %[[S:.*]] = ane.matmul %[[Q]], %{{.*}}transpose_y = true} : (tensor<2x15x8xf16>, tensor<2x7x8xf16>)
// CHECK: %[[P:.*]] = ane.reshape %{{.*}}shape = array<i64: 2, 15, 7>}
// CHECK: ane.matmul %[[P]], %{{.*}} : (tensor<2x15x7xf16>, tensor<2x7x4xf16>)
// CHECK: ane.reshape %{{.*}}shape = array<i64: 6, 5, 4>}
// CHECK: } twin {
func.func @attention_groups(%fq: tensor<6x5x8xf16>, %fk: tensor<2x7x8xf16>, %fv: tensor<2x7x4xf16>) -> tensor<6x5x4xf16> {
  %r = ane.island(%fq, %fk, %fv) : (tensor<6x5x8xf16>, tensor<2x7x8xf16>, tensor<2x7x4xf16>) -> tensor<6x5x4xf16> engine {
  } twin {
  ^bb0(%q: tensor<6x5x8xf16>, %k: tensor<2x7x8xf16>, %v: tensor<2x7x4xf16>):
    %0 = ane.scaled_dot_product_attention %q, %k, %v : (tensor<6x5x8xf16>, tensor<2x7x8xf16>, tensor<2x7x4xf16>) -> tensor<6x5x4xf16>
    ane.yield %0 : tensor<6x5x4xf16>
  }
  return %r : tensor<6x5x4xf16>
}

// -----

// CHECK-LABEL: @attention_bool
// CHECK: engine {
// CHECK: ^bb0(%[[X:[a-z0-9]+]]: tensor<2x5x8xf16>,
// CHECK: ane.const dense<0xFC00> : tensor<f16>
// CHECK: ane.matmul
// CHECK: ane.select
// CHECK: ane.softmax
// CHECK: } twin {
func.func @attention_bool(%fq: tensor<2x5x8xf16>, %fk: tensor<2x5x8xf16>, %fv: tensor<2x5x8xf16>, %fm: tensor<5x5xi1>) -> tensor<2x5x8xf16> {
  %r = ane.island(%fq, %fk, %fv, %fm) : (tensor<2x5x8xf16>, tensor<2x5x8xf16>, tensor<2x5x8xf16>, tensor<5x5xi1>) -> tensor<2x5x8xf16> engine {
  } twin {
  ^bb0(%q: tensor<2x5x8xf16>, %k: tensor<2x5x8xf16>, %v: tensor<2x5x8xf16>, %m: tensor<5x5xi1>):
    %0 = ane.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<2x5x8xf16>, tensor<2x5x8xf16>, tensor<2x5x8xf16>, tensor<5x5xi1>) -> tensor<2x5x8xf16>
    ane.yield %0 : tensor<2x5x8xf16>
  }
  return %r : tensor<2x5x8xf16>
}

// -----

// CHECK-LABEL: @rope_half
// CHECK: engine {
// CHECK: ^bb0(%[[X:[a-z0-9]+]]: tensor<2x5x8xf16>,
// CHECK: ane.reshape %[[X]] {{.*}}shape = array<i64: 2, 5, 2, 4>}
// CHECK: ane.slice_by_size %{{.*}}begin = array<i64: 0, 0, 0, 0>, size = array<i64: 2, 5, 1, 4>}
// CHECK: ane.slice_by_size %{{.*}}begin = array<i64: 0, 0, 1, 0>, size = array<i64: 2, 5, 1, 4>}
// CHECK: ane.sub
// CHECK: ane.add
// CHECK: ane.concat %{{.*}}, %{{.*}}axis = 2 : i64}
// CHECK: } twin {
func.func @rope_half(%fx: tensor<2x5x8xf16>, %fc: tensor<5x4xf16>, %fs: tensor<5x4xf16>) -> tensor<2x5x8xf16> {
  %r = ane.island(%fx, %fc, %fs) : (tensor<2x5x8xf16>, tensor<5x4xf16>, tensor<5x4xf16>) -> tensor<2x5x8xf16> engine {
  } twin {
  ^bb0(%x: tensor<2x5x8xf16>, %c: tensor<5x4xf16>, %s: tensor<5x4xf16>):
    %0 = ane.rope %x, %c, %s : tensor<2x5x8xf16>, tensor<5x4xf16>, tensor<5x4xf16>
    ane.yield %0 : tensor<2x5x8xf16>
  }
  return %r : tensor<2x5x8xf16>
}

// -----

// CHECK-LABEL: @rope_interleaved
// CHECK: engine {
// CHECK: ^bb0(%[[X:[a-z0-9]+]]: tensor<2x5x8xf16>,
// CHECK: ane.reshape %[[X]] {{.*}}shape = array<i64: 2, 5, 4, 2>}
// CHECK: ane.sub
// CHECK: ane.add
// CHECK: ane.stack %{{.*}}, %{{.*}}axis = 3 : i64}
// CHECK: ane.reshape %{{.*}}shape = array<i64: 2, 5, 8>}
// CHECK: } twin {
func.func @rope_interleaved(%fx: tensor<2x5x8xf16>, %fc: tensor<5x4xf16>, %fs: tensor<5x4xf16>) -> tensor<2x5x8xf16> {
  %r = ane.island(%fx, %fc, %fs) : (tensor<2x5x8xf16>, tensor<5x4xf16>, tensor<5x4xf16>) -> tensor<2x5x8xf16> engine {
  } twin {
  ^bb0(%x: tensor<2x5x8xf16>, %c: tensor<5x4xf16>, %s: tensor<5x4xf16>):
    %0 = ane.rope %x, %c, %s {layout = "interleaved"} : tensor<2x5x8xf16>, tensor<5x4xf16>, tensor<5x4xf16>
    ane.yield %0 : tensor<2x5x8xf16>
  }
  return %r : tensor<2x5x8xf16>
}

// -----

// CHECK-LABEL: @embedding
// CHECK: engine {
// CHECK: ^bb0(%[[X:[a-z0-9]+]]: tensor<2x3xi32>,
// CHECK: ane.gather %{{.*}}, %[[X]] {{.*}}: (tensor<9x4xf16>, tensor<2x3xi32>)
// CHECK: } twin {
func.func @embedding(%fi: tensor<2x3xi32>, %ft: tensor<9x4xf16>) -> tensor<2x3x4xf16> {
  %r = ane.island(%fi, %ft) : (tensor<2x3xi32>, tensor<9x4xf16>) -> tensor<2x3x4xf16> engine {
  } twin {
  ^bb0(%i: tensor<2x3xi32>, %t: tensor<9x4xf16>):
    %0 = ane.embedding %i, %t : (tensor<2x3xi32>, tensor<9x4xf16>) -> tensor<2x3x4xf16>
    ane.yield %0 : tensor<2x3x4xf16>
  }
  return %r : tensor<2x3x4xf16>
}

// -----

// CHECK-LABEL: @einsum
// CHECK: engine {
// CHECK: ^bb0(%[[X:[a-z0-9]+]]: tensor<7x2x3xf16>,
// CHECK: ane.reduce_sum %[[X]] {{.*}}axes = array<i64: 1>}
// CHECK: ane.matmul %{{.*}} : (tensor<7x1x3xf16>, tensor<7x3x10xf16>) -> tensor<7x1x10xf16>
// CHECK: } twin {
func.func @einsum(%fx: tensor<7x2x3xf16>, %fy: tensor<7x5x3x2xf16>) -> tensor<7x2x5xf16> {
  %r = ane.island(%fx, %fy) : (tensor<7x2x3xf16>, tensor<7x5x3x2xf16>) -> tensor<7x2x5xf16> engine {
  } twin {
  ^bb0(%x: tensor<7x2x3xf16>, %y: tensor<7x5x3x2xf16>):
    %0 = ane.einsum %x, %y {equation = "bij,bkjl->blk"} : (tensor<7x2x3xf16>, tensor<7x5x3x2xf16>) -> tensor<7x2x5xf16>
    ane.yield %0 : tensor<7x2x5xf16>
  }
  return %r : tensor<7x2x5xf16>
}

// -----

// The angles (0.5, 1) and (2, -1) are no rotations, but tell the pairs apart.
// CHECK-LABEL: @rope_values_half
// CHECK: engine {
// CHECK: ane.const dense<[-2.500000e+00, 8.000000e+00, 2.500000e+00, 6.000000e+00]> : tensor<4xf16>
// CHECK-NEXT: ane.yield
func.func @rope_values_half() -> tensor<4xf16> {
  %r = ane.island() : () -> tensor<4xf16> engine {
  } twin {
    %x = ane.const dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf16>
    %c = ane.const dense<[0.5, 2.0]> : tensor<2xf16>
    %s = ane.const dense<[1.0, -1.0]> : tensor<2xf16>
    %0 = ane.rope %x, %c, %s {layout = "half"} : tensor<4xf16>, tensor<2xf16>, tensor<2xf16>
    ane.yield %0 : tensor<4xf16>
  }
  return %r : tensor<4xf16>
}

// -----

// The angles (0.5, 1) and (2, -1) are no rotations, but tell the pairs apart.
// CHECK-LABEL: @rope_values_interleaved
// CHECK: engine {
// CHECK: ane.const dense<[-1.500000e+00, 2.000000e+00, 1.000000e+01, 5.000000e+00]> : tensor<4xf16>
// CHECK-NEXT: ane.yield
func.func @rope_values_interleaved() -> tensor<4xf16> {
  %r = ane.island() : () -> tensor<4xf16> engine {
  } twin {
    %x = ane.const dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf16>
    %c = ane.const dense<[0.5, 2.0]> : tensor<2xf16>
    %s = ane.const dense<[1.0, -1.0]> : tensor<2xf16>
    %0 = ane.rope %x, %c, %s {layout = "interleaved"} : tensor<4xf16>, tensor<2xf16>, tensor<2xf16>
    ane.yield %0 : tensor<4xf16>
  }
  return %r : tensor<4xf16>
}

// -----

// CHECK-LABEL: @asinh
// CHECK: engine {
// CHECK: %[[SIZE:.*]] = ane.abs
// CHECK: %[[LARGER:.*]] = ane.maximum %[[SIZE]]
// CHECK: ane.real_div %[[SIZE]], %[[LARGER]]
// CHECK: ane.log
// CHECK: } twin {
func.func @asinh(%fx: tensor<2x3x4xf16>) -> tensor<2x3x4xf16> {
  %r = ane.island(%fx) : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16> engine {
  } twin {
  ^bb0(%x: tensor<2x3x4xf16>):
    %0 = ane.asinh %x : tensor<2x3x4xf16>
    ane.yield %0 : tensor<2x3x4xf16>
  }
  return %r : tensor<2x3x4xf16>
}
