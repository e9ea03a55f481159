// Round trip: recurrent networks.
// RUN: ane-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @rnn(
// CHECK: ane.rnn %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} bias %{{.*}} : (tensor<5x2x3xf16>, tensor<2x4xf16>, tensor<4x3xf16>, tensor<4x4xf16>, tensor<4xf16>) -> (tensor<1x2x4xf16>, tensor<2x4xf16>)
func.func @rnn(%x: tensor<5x2x3xf16>, %h: tensor<2x4xf16>, %wi: tensor<4x3xf16>, %wh: tensor<4x4xf16>, %b: tensor<4xf16>) -> (tensor<1x2x4xf16>, tensor<2x4xf16>) {
  %0:2 = ane.rnn %x, %h, %wi, %wh bias %b : (tensor<5x2x3xf16>, tensor<2x4xf16>, tensor<4x3xf16>, tensor<4x4xf16>, tensor<4xf16>) -> (tensor<1x2x4xf16>, tensor<2x4xf16>)
  return %0#0, %0#1 : tensor<1x2x4xf16>, tensor<2x4xf16>
}

// CHECK-LABEL: @gru(
// CHECK: ane.gru %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} bias %{{.*}} input_bias %{{.*}} {direction = "reverse", output_sequence = true, reset_after = true} : (tensor<5x2x3xf16>, tensor<2x4xf16>, tensor<12x3xf16>, tensor<12x4xf16>, tensor<12xf16>, tensor<12xf16>) -> (tensor<5x2x4xf16>, tensor<2x4xf16>)
func.func @gru(%x: tensor<5x2x3xf16>, %h: tensor<2x4xf16>, %wi: tensor<12x3xf16>, %wh: tensor<12x4xf16>, %b: tensor<12xf16>, %c: tensor<12xf16>) -> (tensor<5x2x4xf16>, tensor<2x4xf16>) {
  %0:2 = ane.gru %x, %h, %wi, %wh bias %b input_bias %c {direction = "reverse", output_sequence = true, reset_after = true} : (tensor<5x2x3xf16>, tensor<2x4xf16>, tensor<12x3xf16>, tensor<12x4xf16>, tensor<12xf16>, tensor<12xf16>) -> (tensor<5x2x4xf16>, tensor<2x4xf16>)
  return %0#0, %0#1 : tensor<5x2x4xf16>, tensor<2x4xf16>
}

// CHECK-LABEL: @lstm(
// CHECK: ane.lstm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {output_sequence = true} : (tensor<5x2x3xf16>, tensor<2x4xf16>, tensor<2x4xf16>, tensor<16x3xf16>, tensor<16x4xf16>) -> (tensor<5x2x4xf16>, tensor<2x4xf16>, tensor<2x4xf16>)
func.func @lstm(%x: tensor<5x2x3xf16>, %h: tensor<2x4xf16>, %c: tensor<2x4xf16>, %wi: tensor<16x3xf16>, %wh: tensor<16x4xf16>) -> (tensor<5x2x4xf16>, tensor<2x4xf16>, tensor<2x4xf16>) {
  %0:3 = ane.lstm %x, %h, %c, %wi, %wh {output_sequence = true} : (tensor<5x2x3xf16>, tensor<2x4xf16>, tensor<2x4xf16>, tensor<16x3xf16>, tensor<16x4xf16>) -> (tensor<5x2x4xf16>, tensor<2x4xf16>, tensor<2x4xf16>)
  return %0#0, %0#1, %0#2 : tensor<5x2x4xf16>, tensor<2x4xf16>, tensor<2x4xf16>
}

// CHECK-LABEL: @lstm_both(
// CHECK: ane.lstm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} bias %{{.*}} peephole %{{.*}} back %{{.*}}, %{{.*}} bias_back %{{.*}} peephole_back %{{.*}} {clip = 3.000000e+00 : f64, direction = "bidirectional"} : (tensor<5x2x3xf16>, tensor<2x8xf16>, tensor<2x8xf16>, tensor<16x3xf16>, tensor<16x4xf16>, tensor<16xf16>, tensor<12xf16>, tensor<16x3xf16>, tensor<16x4xf16>, tensor<16xf16>, tensor<12xf16>) -> (tensor<1x2x8xf16>, tensor<2x8xf16>, tensor<2x8xf16>)
func.func @lstm_both(%x: tensor<5x2x3xf16>, %h: tensor<2x8xf16>, %c: tensor<2x8xf16>, %wi: tensor<16x3xf16>, %wh: tensor<16x4xf16>, %b: tensor<16xf16>, %p: tensor<12xf16>, %vi: tensor<16x3xf16>, %vh: tensor<16x4xf16>, %d: tensor<16xf16>, %q: tensor<12xf16>) -> (tensor<1x2x8xf16>, tensor<2x8xf16>, tensor<2x8xf16>) {
  %0:3 = ane.lstm %x, %h, %c, %wi, %wh bias %b peephole %p back %vi, %vh bias_back %d peephole_back %q {clip = 3.000000e+00, direction = "bidirectional"} : (tensor<5x2x3xf16>, tensor<2x8xf16>, tensor<2x8xf16>, tensor<16x3xf16>, tensor<16x4xf16>, tensor<16xf16>, tensor<12xf16>, tensor<16x3xf16>, tensor<16x4xf16>, tensor<16xf16>, tensor<12xf16>) -> (tensor<1x2x8xf16>, tensor<2x8xf16>, tensor<2x8xf16>)
  return %0#0, %0#1, %0#2 : tensor<1x2x8xf16>, tensor<2x8xf16>, tensor<2x8xf16>
}
