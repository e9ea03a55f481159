// RUN: ane-opt %s --ane-set-target | FileCheck %s --check-prefix=DEFAULT
// RUN: ane-opt %s --ane-set-target="chip=m1 os=15 strictness=evidence" | FileCheck %s --check-prefix=M1
// RUN: ane-opt %s --ane-set-target="chip=m4,m1 route=e5rt os=26 strictness=evidence keep=c1,C04" | FileCheck %s --check-prefix=SET
// RUN: ane-opt %s --ane-set-target="keep=disputed prefer-speed=true" | FileCheck %s --check-prefix=DISPUTED
// RUN: not ane-opt %s --ane-set-target="route=netlist" 2>&1 | FileCheck %s --check-prefix=NETLIST
// RUN: not ane-opt %s --ane-set-target="route=wire" 2>&1 | FileCheck %s --check-prefix=ROUTE
// RUN: not ane-opt %s --ane-set-target="keep=C21" 2>&1 | FileCheck %s --check-prefix=KEEP
// RUN: not ane-opt %s --ane-set-target="chip=m99" 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not ane-opt %s --ane-set-target="strictness=lax" 2>&1 | FileCheck %s --check-prefix=STRICT

// A target that is there is replaced.
// DEFAULT: module attributes {ane.target = #ane.target<chip = "h16", route = in_memory, os = 15, opset = {{.*}}, strictness = catalog>}
// M1: module attributes {ane.target = #ane.target<chip = "h13", route = in_memory, os = 15, opset = {{.*}}, strictness = evidence>}
// SET: module attributes {ane.keep = ["C01", "C04"], ane.target = #ane.target<chip = "h13,h16", route = e5rt, os = 26, opset = ios16, strictness = evidence>}
// DISPUTED: module attributes {ane.keep = ["C108", "C110", "C121", "C152", "C153", "C224"], ane.prefer = "speed", ane.target =
// NETLIST: error: no program is made for route netlist
// ROUTE: error: no route 'wire': one of in_memory, coreml, e5rt, netlist
// KEEP: error: no rule 'C21' to keep: only those of the published catalog, C01 to C20, can be lifted, and C108, C110, C121, C152, C153, C224 are disputed ('disputed' keeps all of them)
// CHIP: error: {{.*}}m99
// STRICT: error: no strictness 'lax': catalog or evidence
module attributes {ane.target = #ane.target<chip = "h17", route = in_memory, os = 15, opset = ios16, strictness = evidence>} {
}
