// What the verifier of phase legal refuses.
// RUN: not ane-opt %s --split-input-file --ane-verify-phase=phase=legal 2>&1 | FileCheck %s

// CHECK: error: 'ane.relu' op is neither in an island nor marked for the CPU (ane.host)
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @unmarked(%x: tensor<1x64xf32>) -> tensor<1x64xf32> {
    %0 = ane.relu %x : tensor<1x64xf32>
    return %0 : tensor<1x64xf32>
  }
}

// -----

// An op that the target refuses: f32 in the engine's body.
// CHECK: error: {{.*}}C22
module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>} {
  func.func @wide(%x: tensor<1x64xf32>) -> tensor<1x64xf32> {
    %0 = ane.island(%x) : (tensor<1x64xf32>) -> tensor<1x64xf32> attributes {input_layouts = [#ane.layout<expand = [64], perm = [0]>], output_layouts = [#ane.layout<expand = [64], perm = [0]>]} engine {
    ^bb0(%a: tensor<1x64xf32>):
      %1 = ane.relu %a : tensor<1x64xf32>
      ane.yield %1 : tensor<1x64xf32>
    } twin {
    ^bb0(%a: tensor<1x64xf32>):
      %1 = ane.relu %a : tensor<1x64xf32>
      ane.yield %1 : tensor<1x64xf32>
    }
    return %0 : tensor<1x64xf32>
  }
}
