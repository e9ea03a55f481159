// Matrix products: register tiles whose sums go through what follows them before they are written.
// RUN: ane-opt %s --ane-host-constants --ane-host-prepare --ane-host-layout --ane-host-cluster | FileCheck %s --check-prefix=OP
// RUN: ane-opt %s --ane-host-compile=print-kernels=true -o /dev/null | FileCheck %s

// A constant is packed ahead of time into panels of 16 columns: 100 columns are 7 panels, and the last holds 4. Tiles of 6 rows: 100 rows are 16 of them and one of 4.
// OP-LABEL: @packed
// OP: %[[W:.*]] = ane.const
// OP: host.kernel product(%{{.*}} = %{{.*}}, %[[P:.*]] = %[[W]], %{{.*}} = %{{.*}})
// OP-NEXT: ane.linear %{{.*}}, %[[P]]
// OP-NEXT: ane.add
// OP-NEXT: ane.gelu
// OP-NEXT: host.yield
// CHECK-LABEL: func.func private @linear_add_gelu_{{[0-9a-f]+}}(
// CHECK-SAME: memref<12800xf32>, %{{.*}}: memref<14336xf32>, %{{.*}}: memref<100xf32>, %{{.*}}: memref<10000xf32>)
// CHECK: scf.parallel
// CHECK-COUNT-12: vector.fma {{.*}} : vector<8xf32>
func.func @packed(%x: tensor<100x128xf32>, %b: tensor<100xf32>) -> tensor<100x100xf32> {
  %w = ane.const dense<0.5> : tensor<100x128xf32>
  %0 = ane.linear %x, %w bias %b : (tensor<100x128xf32>, tensor<100x128xf32>, tensor<100xf32>) -> tensor<100x100xf32>
  %1 = ane.gelu %0 {mode = "EXACT"} : tensor<100x100xf32>
  return %1 : tensor<100x100xf32>
}

// What is computed is read where it lies if its columns lie side by side and fill tiles.
// OP-LABEL: @in_place
// OP: host.kernel product(
// CHECK-LABEL: func.func private @matmul_{{[0-9a-f]+}}(
// CHECK-NOT: memref.alloca() {{.*}} : memref<768xf32>
// CHECK: vector.load {{.*}} memref<3072xf32>, vector<8xf32>
func.func @in_place(%x: tensor<32x48xf32>, %y: tensor<48x64xf32>) -> tensor<32x64xf32> {
  %0 = ane.matmul %x, %y : (tensor<32x48xf32>, tensor<48x64xf32>) -> tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}

// Else each thread packs the panel that it uses, on its stack: 16 steps of 16 columns. Columns whose steps are neighbours are turned, 8 by 8, in
// 3 stages of 8 shuffles.
// OP-LABEL: @panel
// OP: host.kernel product(
// CHECK-LABEL: func.func private @matmul_{{[0-9a-f]+}}(
// CHECK: memref.alloca() {{.*}} : memref<256xf32>
// CHECK-COUNT-8: vector.load {{.*}} memref<2048xf32>, vector<8xf32>
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 8, 2, 10, 4, 12, 6, 14] : vector<8xf32>, vector<8xf32>
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [1, 9, 3, 11, 5, 13, 7, 15] : vector<8xf32>, vector<8xf32>
// CHECK-COUNT-22: vector.shuffle
// CHECK-COUNT-8: vector.store {{.*}} : memref<256xf32>, vector<8xf32>
// CHECK: vector.load {{.*}} memref<256xf32>, vector<8xf32>
func.func @panel(%q: tensor<4x32x16xf32>, %k: tensor<4x32x16xf32>) -> tensor<4x32x32xf32> {
  %0 = ane.matmul %q, %k {transpose_x = false, transpose_y = true} : (tensor<4x32x16xf32>, tensor<4x32x16xf32>) -> tensor<4x32x32xf32>
  return %0 : tensor<4x32x32xf32>
}

// Few rows meet columns whose steps are neighbours as dot products, without a panel: 3 rows share each vector of k, and the sums of 4 columns
// become one vector.
// OP-LABEL: @dots
// OP: host.kernel product(
// CHECK-LABEL: func.func private @matmul_{{[0-9a-f]+}}(
// CHECK: scf.parallel
// CHECK-COUNT-4: vector.load {{.*}} memref<65536xf32>, vector<8xf32>
// CHECK-COUNT-3: vector.load {{.*}} memref<384xf32>, vector<8xf32>
// CHECK-NOT: vector.load
// CHECK: vector.shuffle {{.*}} [0, 8, 2, 10, 4, 12, 6, 14]
// CHECK-COUNT-3: vector.store %{{.*}} : memref<48xf32>, vector<4xf32>
func.func @dots(%q: tensor<2x3x64xf32>, %k: tensor<2x512x64xf32>) -> tensor<2x3x512xf32> {
  %0 = ane.matmul %q, %k {transpose_x = false, transpose_y = true} : (tensor<2x3x64xf32>, tensor<2x512x64xf32>) -> tensor<2x3x512xf32>
  return %0 : tensor<2x3x512xf32>
}

// Scores that a mask hides are not summed: few rows ask it for 16 columns.
// OP-LABEL: @masked_dots
// OP: host.kernel product(
// CHECK-LABEL: func.func private @matmul_add_{{[0-9a-f]+}}(
// CHECK: vector.load {{.*}} memref<512xf32>, vector<16xf32>
// CHECK-NEXT: %[[MOST:.*]] = vector.reduction <maximumf>
// CHECK: %[[SEEN:.*]] = arith.cmpf ugt, %[[MOST]]
// CHECK-NEXT: scf.if %[[SEEN]] {
// CHECK-COUNT-3: vector.store %{{.*}} : memref<48xf32>, vector<4xf32>
// CHECK: } else {
// CHECK-COUNT-3: vector.store %{{.*}} : memref<48xf32>, vector<16xf32>
// CHECK-NEXT: }
func.func @masked_dots(%q: tensor<2x3x64xf32>, %k: tensor<2x512x64xf32>, %mask: tensor<1x512xf32>) -> tensor<2x3x512xf32> {
  %0 = ane.matmul %q, %k {ane.masked = "scores", transpose_x = false, transpose_y = true} : (tensor<2x3x64xf32>, tensor<2x512x64xf32>) -> tensor<2x3x512xf32>
  %1 = ane.add %0, %mask : tensor<2x3x512xf32>, tensor<1x512xf32>
  return %1 : tensor<2x3x512xf32>
}

// Caches in fp16 are read as they are: one kernel for each product, and none that widens.
// OP-LABEL: @half
// OP: host.kernel product(%{{.*}} = %{{.*}}, %[[K:.*]] = %arg1) : (tensor<2x3x64xf32>, tensor<2x512x64xf16>)
// OP-NEXT: %[[W:.*]] = ane.cast %[[K]] {dtype = "fp32", host.widen}
// OP-NEXT: ane.matmul %{{.*}}, %[[W]]
// OP: host.kernel product(%{{.*}} = %{{.*}}, %{{.*}} = %arg2) : (tensor<2x3x512xf32>, tensor<2x512x64xf16>)
// OP-NOT: host.kernel
// OP: return
// CHECK-LABEL: func.func private @matmul_{{[0-9a-f]+}}(
// CHECK: %[[C:.*]] = vector.load {{.*}} memref<65536xf16>, vector<8xf16>
// CHECK-NEXT: arith.extf %[[C]] : vector<8xf16> to vector<8xf32>
// CHECK-LABEL: func.func private @matmul_{{[0-9a-f]+}}(
// CHECK: %[[C:.*]] = vector.load {{.*}} memref<65536xf16>, vector<8xf16>
// CHECK-NEXT: arith.extf %[[C]] : vector<8xf16> to vector<8xf32>
func.func @half(%q: tensor<2x3x64xf32>, %k: tensor<2x512x64xf16>, %v: tensor<2x512x64xf16>) -> tensor<2x3x64xf32> {
  %0 = ane.cast %k {dtype = "fp32"} : (tensor<2x512x64xf16>) -> tensor<2x512x64xf32>
  %1 = ane.matmul %q, %0 {transpose_x = false, transpose_y = true} : (tensor<2x3x64xf32>, tensor<2x512x64xf32>) -> tensor<2x3x512xf32>
  %2 = ane.cast %v {dtype = "fp32"} : (tensor<2x512x64xf16>) -> tensor<2x512x64xf32>
  %3 = ane.matmul %1, %2 : (tensor<2x3x512xf32>, tensor<2x512x64xf32>) -> tensor<2x3x64xf32>
  return %3 : tensor<2x3x64xf32>
}

// More rows: a panel that all of them don't see is not packed, either.
// OP-LABEL: @masked_panels
// OP: host.kernel product(
// CHECK-LABEL: func.func private @matmul_add_{{[0-9a-f]+}}(
// CHECK: vector.load {{.*}} memref<512xf32>, vector<16xf32>
// CHECK: scf.if
// CHECK: vector.shuffle
// CHECK: vector.store %{{.*}} : memref<1024xf32>
// CHECK: vector.fma
// CHECK: } else {
// CHECK-NOT: vector.fma
// CHECK-LABEL: func.func private @matmul_add_{{[0-9a-f]+}}(
// With a mask for each row a tile asks those of its 6 rows.
// CHECK: vector.store %{{.*}} : memref<1024xf32>
// CHECK-COUNT-6: vector.load {{.*}} memref<30720xf32>, vector<16xf32>
// CHECK: scf.if {{.*}} -> (vector<8xf32>
func.func @masked_panels(%q: tensor<2x60x64xf32>, %k: tensor<2x512x64xf32>, %mask: tensor<1x512xf32>,
                         %each: tensor<60x512xf32>) -> (tensor<2x60x512xf32>, tensor<2x60x512xf32>) {
  %0 = ane.matmul %q, %k {ane.masked = "scores", transpose_x = false, transpose_y = true} : (tensor<2x60x64xf32>, tensor<2x512x64xf32>) -> tensor<2x60x512xf32>
  %1 = ane.add %0, %mask : tensor<2x60x512xf32>, tensor<1x512xf32>
  %2 = ane.matmul %q, %k {ane.masked = "scores", transpose_x = false, transpose_y = true} : (tensor<2x60x64xf32>, tensor<2x512x64xf32>) -> tensor<2x60x512xf32>
  %3 = ane.add %2, %each : tensor<2x60x512xf32>, tensor<60x512xf32>
  return %1, %3 : tensor<2x60x512xf32>, tensor<2x60x512xf32>
}

// Values for which no row has a weight are passed by, 16 steps at a time.
// OP-LABEL: @weighted
// OP: host.kernel product(
// CHECK-LABEL: func.func private @matmul_{{[0-9a-f]+}}(
// CHECK-COUNT-3: vector.load {{.*}} memref<3072xf32>, vector<16xf32>
// CHECK: vector.reduction <or>
// CHECK: scf.if
// CHECK: vector.load {{.*}} memref<65536xf32>, vector<8xf32>
func.func @weighted(%p: tensor<2x3x512xf32>, %v: tensor<2x512x64xf32>) -> tensor<2x3x64xf32> {
  %0 = ane.matmul %p, %v {ane.masked = "values"} : (tensor<2x3x512xf32>, tensor<2x512x64xf32>) -> tensor<2x3x64xf32>
  return %0 : tensor<2x3x64xf32>
}

// Few rows have sums of more columns, where there are pieces enough for the threads: 4 vectors instead of 2.
// OP-LABEL: @lines
// OP: host.kernel product(
// CHECK-LABEL: func.func private @matmul_{{[0-9a-f]+}}(
// CHECK-COUNT-4: vector.load {{.*}} memref<196608xf32>, vector<8xf32>
// CHECK-COUNT-12: vector.fma {{.*}} : vector<8xf32>
func.func @lines(%p: tensor<6x3x512xf32>, %v: tensor<6x512x64xf32>) -> tensor<6x3x64xf32> {
  %0 = ane.matmul %p, %v {ane.masked = "values"} : (tensor<6x3x512xf32>, tensor<6x512x64xf32>) -> tensor<6x3x64xf32>
  return %0 : tensor<6x3x64xf32>
}

// A weight that one tile of rows reads is asked for ahead, a cache line at a time: two steps of fp16.
// OP-LABEL: @ahead
// OP: host.kernel product(
// CHECK-LABEL: func.func private @linear_{{[0-9a-f]+}}(
// CHECK: memref.prefetch {{.*}}, read, locality<3>, data : memref<12288xf16>
// CHECK-COUNT-12: vector.fma {{.*}} : vector<8xf32>
// CHECK: scf.yield
func.func @ahead(%x: tensor<3x128xf32>) -> tensor<3x96xf32> {
  %w = ane.const dense<1> : tensor<96x256xui8>
  %v = ane.constexpr_blocks f16 %w {output_dtype = "fp32"} : (tensor<96x256xui8>) -> tensor<96x128xf32>
  %0 = ane.linear %x, %v : (tensor<3x128xf32>, tensor<96x128xf32>) -> tensor<3x96xf32>
  return %0 : tensor<3x96xf32>
}

// Long panels are taken block by block, so that a block stays in the first-level cache; the sums wait in memory.
// OP-LABEL: @blocked
// OP: host.kernel product(
// CHECK-LABEL: func.func private @linear_{{[0-9a-f]+}}(
// CHECK: memref.alloca()
// CHECK: scf.for
// CHECK: vector.store
// CHECK: vector.fma
func.func @blocked(%x: tensor<256x1024xf32>) -> tensor<256x64xf32> {
  %w = ane.const dense<0.5> : tensor<64x1024xf32>
  %0 = ane.linear %x, %w : (tensor<256x1024xf32>, tensor<64x1024xf32>) -> tensor<256x64xf32>
  return %0 : tensor<256x64xf32>
}

// The gradient of a weight: x has its rows side by side, and is packed, too, tile by tile: 6 rows of a step. All steps are one block, whose sums
// go straight to the epilogue.
// OP-LABEL: @turned
// OP: host.kernel product(
// CHECK-LABEL: func.func private @matmul_{{[0-9a-f]+}}(
// CHECK: %[[PANEL:.*]] = memref.alloca() {{.*}} : memref<1024xf32>
// CHECK: %[[X:.*]] = memref.alloca() {{.*}} : memref<[[#]]xf32>
// CHECK: %[[SIX:.*]] = vector.load {{.*}} memref<19200xf32>, vector<6xf32>
// CHECK-NEXT: vector.store %[[SIX]], %[[X]][{{.*}}] : memref<[[#]]xf32>, vector<6xf32>
// CHECK: vector.store %{{.*}}, %[[PANEL]]
// CHECK: memref.load %[[X]]
// CHECK-COUNT-12: vector.fma {{.*}} : vector<8xf32>
func.func @turned(%g: tensor<64x300xf32>, %x: tensor<64x32xf32>) -> tensor<300x32xf32> {
  %0 = ane.matmul %g, %x {transpose_x = true, transpose_y = false} : (tensor<64x300xf32>, tensor<64x32xf32>) -> tensor<300x32xf32>
  return %0 : tensor<300x32xf32>
}

// The gradient of logits' input: a sum of 1,000 steps in 3 blocks, of 336, 336 and 328 steps. Each begins at 0, and its sums are added to those in memory.
// OP-LABEL: @long
// OP: host.kernel product(
// CHECK-LABEL: func.func private @matmul_{{[0-9a-f]+}}(
// CHECK: memref.alloca() {{.*}} : memref<5376xf32>
// CHECK: %[[SUMS:.*]] = memref.alloca()
// CHECK: vector.store %{{.*}}, %[[SUMS]]
// CHECK: scf.for
// CHECK-COUNT-12: vector.fma {{.*}} : vector<8xf32>
// CHECK: %[[BEFORE:.*]] = vector.load %[[SUMS]]
// CHECK-NEXT: %[[AFTER:.*]] = arith.addf %[[BEFORE]], %{{.*}} : vector<8xf32>
// CHECK-NEXT: vector.store %[[AFTER]], %[[SUMS]]
func.func @long(%g: tensor<64x1000xf32>, %w: tensor<1000x32xf32>) -> tensor<64x32xf32> {
  %0 = ane.matmul %g, %w : (tensor<64x1000xf32>, tensor<1000x32xf32>) -> tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}

// A panel that no thread has room for: plain sums, and what follows is a kernel of its own.
// OP-LABEL: @too_long
// OP: host.kernel sum(
// OP-NEXT: ane.matmul
// OP: host.kernel elementwise(
// OP-NEXT: ane.relu
// CHECK-LABEL: func.func private @matmul_{{[0-9a-f]+}}(
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (f32)
// CHECK: math.fma {{.*}} : f32
// CHECK-LABEL: func.func private @relu_{{[0-9a-f]+}}(
func.func @too_long(%q: tensor<4x20000xf32>, %k: tensor<4x20000xf32>) -> tensor<4x4xf32> {
  %0 = ane.matmul %q, %k {transpose_x = false, transpose_y = true} : (tensor<4x20000xf32>, tensor<4x20000xf32>) -> tensor<4x4xf32>
  %1 = ane.relu %0 : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// OP-LABEL: @integers
// OP: host.kernel sum(
// CHECK-LABEL: func.func private @matmul_{{[0-9a-f]+}}(
// CHECK: arith.muli {{.*}} : i32
func.func @integers(%q: tensor<4x20xi32>, %k: tensor<20x4xi32>) -> tensor<4x4xi32> {
  %0 = ane.matmul %q, %k : (tensor<4x20xi32>, tensor<20x4xi32>) -> tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}
