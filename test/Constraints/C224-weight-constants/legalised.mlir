// RUN: ane-opt %s --ane-to-emittable | FileCheck %s

// Two programs, of which none has more than 16 records.
// CHECK-COUNT-2: ane.program
// CHECK-NOT: ane.program

module attributes {ane.keep = ["C224"], ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %w0 = ane.const dense<0.515625> : tensor<64xf32>
    %0 = ane.mul %x, %w0 : tensor<64x64xf32>, tensor<64xf32>
    %1 = ane.relu %0 : tensor<64x64xf32>
    %w1 = ane.const dense<0.578125> : tensor<64xf32>
    %2 = ane.mul %1, %w1 : tensor<64x64xf32>, tensor<64xf32>
    %3 = ane.relu %2 : tensor<64x64xf32>
    %w2 = ane.const dense<0.640625> : tensor<64xf32>
    %4 = ane.mul %3, %w2 : tensor<64x64xf32>, tensor<64xf32>
    %5 = ane.relu %4 : tensor<64x64xf32>
    %w3 = ane.const dense<0.703125> : tensor<64xf32>
    %6 = ane.mul %5, %w3 : tensor<64x64xf32>, tensor<64xf32>
    %7 = ane.relu %6 : tensor<64x64xf32>
    %w4 = ane.const dense<0.765625> : tensor<64xf32>
    %8 = ane.mul %7, %w4 : tensor<64x64xf32>, tensor<64xf32>
    %9 = ane.relu %8 : tensor<64x64xf32>
    %w5 = ane.const dense<0.828125> : tensor<64xf32>
    %10 = ane.mul %9, %w5 : tensor<64x64xf32>, tensor<64xf32>
    %11 = ane.relu %10 : tensor<64x64xf32>
    %w6 = ane.const dense<0.890625> : tensor<64xf32>
    %12 = ane.mul %11, %w6 : tensor<64x64xf32>, tensor<64xf32>
    %13 = ane.relu %12 : tensor<64x64xf32>
    %w7 = ane.const dense<0.953125> : tensor<64xf32>
    %14 = ane.mul %13, %w7 : tensor<64x64xf32>, tensor<64xf32>
    %15 = ane.relu %14 : tensor<64x64xf32>
    %w8 = ane.const dense<1.015625> : tensor<64xf32>
    %16 = ane.mul %15, %w8 : tensor<64x64xf32>, tensor<64xf32>
    %17 = ane.relu %16 : tensor<64x64xf32>
    %w9 = ane.const dense<1.078125> : tensor<64xf32>
    %18 = ane.mul %17, %w9 : tensor<64x64xf32>, tensor<64xf32>
    %19 = ane.relu %18 : tensor<64x64xf32>
    %w10 = ane.const dense<1.140625> : tensor<64xf32>
    %20 = ane.mul %19, %w10 : tensor<64x64xf32>, tensor<64xf32>
    %21 = ane.relu %20 : tensor<64x64xf32>
    %w11 = ane.const dense<1.203125> : tensor<64xf32>
    %22 = ane.mul %21, %w11 : tensor<64x64xf32>, tensor<64xf32>
    %23 = ane.relu %22 : tensor<64x64xf32>
    %w12 = ane.const dense<1.265625> : tensor<64xf32>
    %24 = ane.mul %23, %w12 : tensor<64x64xf32>, tensor<64xf32>
    %25 = ane.relu %24 : tensor<64x64xf32>
    %w13 = ane.const dense<1.328125> : tensor<64xf32>
    %26 = ane.mul %25, %w13 : tensor<64x64xf32>, tensor<64xf32>
    %27 = ane.relu %26 : tensor<64x64xf32>
    %w14 = ane.const dense<1.390625> : tensor<64xf32>
    %28 = ane.mul %27, %w14 : tensor<64x64xf32>, tensor<64xf32>
    %29 = ane.relu %28 : tensor<64x64xf32>
    %w15 = ane.const dense<1.453125> : tensor<64xf32>
    %30 = ane.mul %29, %w15 : tensor<64x64xf32>, tensor<64xf32>
    %31 = ane.relu %30 : tensor<64x64xf32>
    %w16 = ane.const dense<1.515625> : tensor<64xf32>
    %32 = ane.mul %31, %w16 : tensor<64x64xf32>, tensor<64xf32>
    %33 = ane.relu %32 : tensor<64x64xf32>
    return %33 : tensor<64x64xf32>
  }
}
