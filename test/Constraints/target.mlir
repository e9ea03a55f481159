// The target's name in any spelling; an unknown one is an error with the nearest name.
// RUN: ane-opt %s --ane-set-target=chip=m4 | FileCheck %s --check-prefix=M4
// RUN: ane-opt %s --ane-set-target="chip='Apple M2 Pro' os=26 strictness=evidence" | FileCheck %s --check-prefix=M2
// RUN: ane-opt %s --ane-set-target=chip=H17D | FileCheck %s --check-prefix=H17D
// RUN: not ane-opt %s --ane-set-target=chip=m4prp 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// M4: #ane.target<chip = "h16", route = in_memory, os = 15, opset = ios16, strictness = catalog>
// M2: #ane.target<chip = "h14g", route = in_memory, os = 26, opset = ios16, strictness = evidence>
// H17D: chip = "h17d"
// UNKNOWN: error: unknown target 'm4prp'; did you mean 'm4pro'? (known: h11, a12,
module {}
