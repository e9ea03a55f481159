// RUN: ane-opt %s --ane-verify-legal="emittable=true only=C136"

module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  ane.program @main_0 {
    func.func @main(%x0: tensor<1x64x1x64xf16> {ane.name = "in00", ane.surface = #ane.surface<row_stride = 128, bytes = 49152>}, %x1: tensor<1x64x1x64xf16> {ane.name = "in01", ane.surface = #ane.surface<row_stride = 128, bytes = 65536>}) -> (tensor<1x64x1x64xf16> {ane.name = "out00", ane.surface = #ane.surface<row_stride = 128, bytes = 65536>}, tensor<1x64x1x64xf16> {ane.name = "out01", ane.surface = #ane.surface<row_stride = 128, bytes = 49152>}) {
      %0 = ane.add %x0, %x1 : tensor<1x64x1x64xf16>, tensor<1x64x1x64xf16>
      %1 = ane.exp %0 : tensor<1x64x1x64xf16>
      %2 = ane.relu %0 : tensor<1x64x1x64xf16>
      return %1, %2 : tensor<1x64x1x64xf16>, tensor<1x64x1x64xf16>
    }
  }
}
