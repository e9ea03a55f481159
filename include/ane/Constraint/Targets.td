//===- Targets.td - chips, tiers, routes -------------------------------===//
// One record per compiler target (ane-op-chip-matrix.md 1.1). A target of a newer compiler that is not here gets the worst
// value of every limit and every constraint of every tier.
#ifndef ANE_CONSTRAINT_TARGETS_TD
#define ANE_CONSTRAINT_TARGETS_TD

include "ane/Constraint/Evidence.td"

/// Chips with the same capabilities. `index` orders them by age.
class Tier<string tierName, int tierIndex, string tierText> {
  string name = tierName;
  int index = tierIndex;
  string text = tierText;
}
def TierOlder : Tier<"Older", 0, "A11, A12, efficiency engines">;
def TierA13 : Tier<"A13", 1, "A13, M1">;
def TierA14 : Tier<"A14", 2, "A14, M2">;
def TierA15 : Tier<"A15", 3, "A15, M3">;
def TierA16 : Tier<"A16", 4, "A16 ... A18, M4, M5">;
defvar AllTiers = [TierOlder, TierA13, TierA14, TierA15, TierA16];
defvar MILTiers = [TierA13, TierA14, TierA15, TierA16];

/// The way in which a program reaches the engine; `index` is the value of the enum Route of the dialect.
class RouteKind<string routeName, int routeIndex, string routeText> {
  string name = routeName;
  int index = routeIndex;
  string text = routeText;
}
def InMemory : RouteKind<"in_memory", 0, "MIL text through _ANEInMemoryModelDescriptor">;
def CoreML : RouteKind<"coreml", 1, "an .mlpackage through MLModel; the planner may move ops to CPU or GPU silently">;
def E5RT : RouteKind<"e5rt", 2, "MIL text through the Espresso e5rt C API">;
def Netlist : RouteKind<"netlist", 3, "a hand-written Espresso network through the same daemon">;
defvar AllRoutes = [InMemory, CoreML, E5RT, Netlist];

/// `target` is the compiler's name, `ne` the engine sets of one die (HAL field 0x238, not the marketed cores).
class Chip<string targetName, Tier ofTier, int sets, string onSilicon, list<string> alias, list<string> runtime,
           string text = ""> {
  string target = targetName;
  Tier tier = ofTier;
  int ne = sets;
  string silicon = onSilicon;
  list<string> aliases = alias;         // marketing names, lower case, no spaces
  list<string> runtimeNames = runtime;  // what devices call themselves, another name space (matrix 1.2)
  bit hasMIL = !ne(ofTier.index, 0);    // older engines have no MIL path
  bit selectable = true;                // U1 ... U3 are references inside the compiler, never targets
  string note = text;
  string evidence = "ane-guide and ANEForge: TargetArchitecture accepted on a device; capability from the HAL tables";
}

def H11 : Chip<"h11", TierOlder, 4, "A11", ["a11"], []>;
def H12 : Chip<"h12", TierOlder, 4, "A12", ["a12"], []>;
def M9 : Chip<"m9", TierOlder, 1, "efficiency engine", [], [], "1 MB working set">;
def T0 : Chip<"t0", TierOlder, 4, "reference", [], []>;
def H13 : Chip<"h13", TierA13, 4, "A13, M1", ["a13", "m1"], []>;
def H13g : Chip<"h13g", TierA13, 8, "M1 Pro, M1 Max, M1 Ultra", ["m1pro", "m1max", "m1ultra"], ["h13g"],
                "measured on M1 Max; an M1 Ultra has two engines">;
def T1 : Chip<"t1", TierA13, 4, "A13 reference", [], [], "ANEForge's curves say 16 sets">;
def H14 : Chip<"h14", TierA14, 4, "A14, M2", ["a14", "m2"], []>;
def H14g : Chip<"h14g", TierA14, 8, "M2 Pro, M2 Max, M2 Ultra", ["m2pro", "m2max", "m2ultra"], [], "measured on M2 Pro">;
def H14c : Chip<"h14c", TierA14, 32, "A14 Max class", [], []>;
def H15 : Chip<"h15", TierA15, 4, "A15, M3", ["a15", "m3"], [], "its op table is derived, not measured">;
def H15g : Chip<"h15g", TierA15, 8, "M3 Pro, M3 Max, M3 Ultra", ["m3pro", "m3max", "m3ultra"], ["h15g"],
                "an M3 Ultra reports h15g and two engines">;
def H15c : Chip<"h15c", TierA15, 32, "A15 Max class", [], []>;
def M11 : Chip<"m11", TierA15, 1, "efficiency engine", [], [], "features of the A16 tier, limits of the A15 tier">;
def H16 : Chip<"h16", TierA16, 4, "A16, M4", ["a16", "m4"], ["h16", "h16g"],
               "M4 and the base M5 report h16; coreai-build calls the base M4 h16g">;
def H16g : Chip<"h16g", TierA16, 8, "M4 Pro, M4 Max", ["m4pro", "m4max"], []>;
def H16s : Chip<"h16s", TierA16, 16, "A16 Pro class", ["a16pro"], []>;
def H16c : Chip<"h16c", TierA16, 32, "A16 Max class", [], []>;
def H17 : Chip<"h17", TierA16, 4, "A17, M5", ["a17", "m5"], ["h17", "h16"], "M5 Max reports h17">;
def H17a : Chip<"h17a", TierA16, 4, "A17 variant", [], []>;
def H17g : Chip<"h17g", TierA16, 8, "M5 Pro and Max in ane-guide's list", [], [], "disputed: M5 Pro was measured as h17s">;
def H17s : Chip<"h17s", TierA16, 16, "A17 Pro, M5 Pro, M5 Max", ["a17pro", "m5pro", "m5max"], ["h17"],
                "measured on M5 Pro">;
def H17c : Chip<"h17c", TierA16, 32, "A17 Max class", [], []>;
def H17d : Chip<"h17d", TierA16, 64, "A17 Ultra class", ["m5ultra"], []>;
def H18 : Chip<"h18", TierA16, 4, "A18", ["a18", "a18pro"], ["h18p"], "adds fp8 and FIFO bytes only">;
let hasMIL = false, selectable = false in {
def U1 : Chip<"u1", TierOlder, 4, "reference inside the compiler", [], [], "placeholder limits">;
def U2 : Chip<"u2", TierOlder, 4, "reference inside the compiler", [], [], "placeholder limits">;
def U3 : Chip<"u3", TierOlder, 4, "reference inside the compiler", [], [], "placeholder limits">;
}

#endif // ANE_CONSTRAINT_TARGETS_TD
