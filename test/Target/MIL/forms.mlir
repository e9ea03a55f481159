// Parameters that the records spell otherwise than their kind, and what an older opset lacks; read back, they are the same.
// RUN: ane-translate --ane-to-mil %s -o %t.1.mil
// RUN: FileCheck %s < %t.1.mil
// RUN: ane-translate --mil-to-ane %t.1.mil -o %t.mlir
// RUN: FileCheck --check-prefix=BACK %s < %t.mlir
// RUN: ane-translate --ane-to-mil %t.mlir | cmp - %t.1.mil
module {
  ane.program @p {
    func.func @main(%x: tensor<1x8x4x32xf16>, %deep: tensor<4x8x4x6xf16>, %boxes: tensor<2x4xf16>, %i: tensor<2xi32>)
        -> (tensor<1x8x2x32xf16>, tensor<1x8x4x32xf16>, tensor<1x8x8x8xf16>, tensor<1x8x7x12xf16>, tensor<24x8x2x2xf16>,
            tensor<1x32x2x16xf16>, tensor<2x8x1x1xf16>, tensor<1x2x4x32xf16>) attributes {ane.opset = "ios17"} {
      // Bounds stop at int32's ends.
      // CHECK-DAG: tensor<int32, [4]> [[END:[a-z_0-9]+]] = const(){{.*}}val = tensor<int32, [4]>([2147483647, 8, 2, -2147483648])
      // BACK: ane.slice_by_index {{.*}}end = array<i64: 2147483647, 8, 2, -2147483648>
      %0 = ane.slice_by_index %x {begin = array<i64: 0, 0, 0, 0>, end = array<i64: 9223372036854775807, 8, 2, -9223372036854775807>,
                                  end_mask = array<i1: false, false, false, true>} : (tensor<1x8x4x32xf16>) -> tensor<1x8x2x32xf16>
      // Tuples of scalars.
      // CHECK-DAG: tensor<bool, []> [[YES:[a-z_0-9]+]] = const(){{.*}}val = tensor<bool, []>(true)
      // CHECK-DAG: reshape_like(begins = ([[ZERO:[a-z_0-9]+]]), end_masks = ([[YES]]), ends = ([[ZERO]]), ref_tensors = (in_0), x = in_0)
      // BACK: ane.reshape_like {{.*}}begins = array<i64: 0>, end_masks = array<i1: true>, ends = array<i64: 0>
      %1 = ane.reshape_like %x, %x {begins = array<i64: 0>, ends = array<i64: 0>, end_masks = array<i1: true>} : (tensor<1x8x4x32xf16>, tensor<1x8x4x32xf16>) -> tensor<1x8x4x32xf16>
      // An unsigned number.
      // CHECK-DAG: const(){{.*}}val = tensor<uint32, []>(2)
      // BACK: ane.resize {{.*}}resized_dims = 2
      %2 = ane.resize %x {shape = array<i64: 8, 8>, resized_dims = 2 : i64} : (tensor<1x8x4x32xf16>) -> tensor<1x8x8x8xf16>
      // Pairs.
      // CHECK-DAG: const(){{.*}}val = tensor<int32, [2, 2]>([1, 0, 0, 0])
      // BACK: ane.batch_to_space {{.*}}crops = array<i64: 1, 0, 0, 0>
      %3 = ane.batch_to_space %deep {block_shape = array<i64: 2, 2>, crops = array<i64: 1, 0, 0, 0>} : (tensor<4x8x4x6xf16>) -> tensor<1x8x7x12xf16>
      // BACK: ane.space_to_batch {{.*}}paddings = array<i64: 0, 0, 0, 0>
      %4 = ane.space_to_batch %deep {block_shape = array<i64: 2, 3>, paddings = array<i64: 0, 0, 0, 0>} : (tensor<4x8x4x6xf16>) -> tensor<24x8x2x2xf16>
      // BACK: ane.pixel_unshuffle {{.*}}downscale_factor = 2
      %5 = ane.pixel_unshuffle %x {downscale_factor = 2 : i64} : (tensor<1x8x4x32xf16>) -> tensor<1x32x2x16xf16>
      // fp32, though the data are fp16.
      // CHECK-DAG: const(){{.*}}val = tensor<fp32, []>(0x1p-2)
      // BACK: ane.crop_resize {{.*}}spatial_scale = 2.500000e-01
      %6 = ane.crop_resize %x, %boxes, %i {spatial_scale = 0.25 : f64} : (tensor<1x8x4x32xf16>, tensor<2x4xf16>, tensor<2xi32>) -> tensor<2x8x1x1xf16>
      // An argument of ios17.
      // CHECK-DAG: gather({{.*}}validate_indices = {{.*}})
      // BACK: ane.gather {{.*}}validate_indices = true
      %7 = ane.gather %x, %i {axis = 1 : i64, validate_indices = true} : (tensor<1x8x4x32xf16>, tensor<2xi32>) -> tensor<1x2x4x32xf16>
      return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<1x8x2x32xf16>, tensor<1x8x4x32xf16>, tensor<1x8x8x8xf16>, tensor<1x8x7x12xf16>, tensor<24x8x2x2xf16>, tensor<1x32x2x16xf16>, tensor<2x8x1x1xf16>, tensor<1x2x4x32xf16>
    }
  }
}
