// RUN: ane-opt %s --ane-set-target | FileCheck %s --check-prefix=DEFAULT
// RUN: ane-opt %s --ane-set-target="chip=m1 os=15 strictness=evidence" | FileCheck %s --check-prefix=M1
// RUN: not ane-opt %s --ane-set-target="chip=m99" 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not ane-opt %s --ane-set-target="strictness=lax" 2>&1 | FileCheck %s --check-prefix=STRICT

// A target that is there is replaced.
// DEFAULT: module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = {{.*}}, strictness = catalog>}
// M1: module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = {{.*}}, strictness = evidence>}
// CHIP: error: {{.*}}m99
// STRICT: error: no strictness 'lax': catalog or evidence
module attributes {ane.target = #ane.target<chip = "h17", route = in_memory, os = 15, opset = ios16, strictness = evidence>} {
}
