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

// What is said of many chips.
class OnChip<string text, Strength how = Measured, string onChip = ""> : Supports<ANEForge, onChip, "", how, text>;
def Accepted : OnChip<"accepted as TargetArchitecture by a device's compiler">;
def InTables : Supports<ANEGuide, "", "", Inferred, "sets, tier and clock are those of the compiler's table of capabilities (HAL)">;

/// `target` is the compiler's name, `ne` the engine sets of one die (HAL field 0x238, not the marketed cores).
class Chip<string targetName, Tier ofTier, int sets, string onSilicon, list<string> alias, list<string> runtime,
           string text = "", list<Evidence> own = []> {
  string target = targetName;
  Tier tier = ofTier;
  int ne = sets;
  string silicon = onSilicon;
  list<string> aliases = alias;         // marketing names, lower case, no spaces
  list<string> runtimeNames = runtime;  // what devices call themselves, another name space (matrix 1.2)
  bit hasMIL = !ne(ofTier.index, 0);    // older engines have no MIL path
  bit mSeries = false;                  // stands in Macs and iPads with M chips: a member of --target=any-m
  int clockMHz = 0;                     // highest clock, 0 is unknown
  int effectiveMHz = 0;                 // after the derating at that clock
  string note = text;
  list<Evidence> evidence = !listconcat(own, [Accepted, InTables]);
}

let clockMHz = 1260 in
def H11 : Chip<"h11", TierOlder, 4, "A11", ["a11"], [], "", [
  Supports<ANEForge, "A11", "", Inferred, "no MIL path: the compiler asserts H13 or later">]>;
def H12 : Chip<"h12", TierOlder, 4, "A12", ["a12"], []>;
def M9 : Chip<"m9", TierOlder, 1, "efficiency engine", [], [], "1 MB working set, divisor 16">;
def T0 : Chip<"t0", TierOlder, 4, "reference", [], [], "1 to 4 sets">;
let mSeries = true, clockMHz = 1428, effectiveMHz = 1428 in
def H13 : Chip<"h13", TierA13, 4, "A13, M1", ["a13", "m1"], [], "", [
  OnChip<"compiled and run on M1, and its table read on the device", Measured, "M1">]>;
let mSeries = true, clockMHz = 1464, effectiveMHz = 1464 in
def H13g : Chip<"h13g", TierA13, 8, "M1 Pro, M1 Max, M1 Ultra", ["m1pro", "m1max", "m1ultra"], ["h13g"],
                "an M1 Ultra has two engines", [
  OnChip<"board type 96 resolves to h13g; compiled and run", Measured, "M1 Max">,
  Supports<Omlx, "M1 Ultra", "", Measured, "two engines, ane0 and ane2, each reports h13g">]>;
let clockMHz = 1428, effectiveMHz = 1428 in
def T1 : Chip<"t1", TierA13, 4, "A13 reference", [], [], "4 sets in the tables, 16 in ANEForge's curves", [
  Contradicts<ANEForge, "", "", Inferred, "its cost curves have 16 sets">]>;
let mSeries = true, clockMHz = 1938, effectiveMHz = 1452 in
def H14 : Chip<"h14", TierA14, 4, "A14, M2", ["a14", "m2"], []>;
let mSeries = true in
def H14g : Chip<"h14g", TierA14, 8, "M2 Pro, M2 Max, M2 Ultra", ["m2pro", "m2max", "m2ultra"], [], "", [
  OnChip<"limits by binary search, numbers and streaming", Measured, "M2 Pro">]>;
def H14c : Chip<"h14c", TierA14, 32, "A14 Max class", [], [], "not the base of an M chip">;
let mSeries = true, clockMHz = 2064, effectiveMHz = 1524 in
def H15 : Chip<"h15", TierA15, 4, "A15, M3", ["a15", "m3"], [], "its op table is derived, not measured">;
let mSeries = true in
def H15g : Chip<"h15g", TierA15, 8, "M3 Pro, M3 Max, M3 Ultra", ["m3pro", "m3max", "m3ultra"], ["h15g"],
                "an M3 Ultra has two engines", [
  Supports<Rustane, "M3 Ultra", "", Measured, "reports h15g and two engines of 16 cores">]>;
let clockMHz = 2364, effectiveMHz = 1776 in
def H15c : Chip<"h15c", TierA15, 32, "A15 Max class", [], [], "the compiler also knows h15m, h15p, h15s and h15d">;
let clockMHz = 500 in
def M11 : Chip<"m11", TierA15, 1, "efficiency engine", [], [], "features of the A16 tier, limits of the A15 tier, divisor 16">;
let mSeries = true, clockMHz = 2160, effectiveMHz = 1620 in
def H16 : Chip<"h16", TierA16, 4, "A16, M4", ["a16", "m4"], ["h16", "h16g"],
               "M4 and the base M5 report h16; coreai-build calls the base M4 h16g", [
  Supports<Maderix, "M4, M5", "macOS 15", Measured, "aneSubType is h16 on the M4 and on the base M5">,
  Contradicts<CoreAI, "M4", "", Reported, "coreai-build calls the base M4 h16g">]>;
let mSeries = true in
def H16g : Chip<"h16g", TierA16, 8, "M4 Pro, M4 Max", ["m4pro", "m4max"], []>;
let clockMHz = 2364, effectiveMHz = 1788 in
def H16s : Chip<"h16s", TierA16, 16, "A16 Pro class", ["a16pro"], [], "ANEForge's representative of the tier">;
def H16c : Chip<"h16c", TierA16, 32, "A16 Max class", [], []>;
let mSeries = true, clockMHz = 2172, effectiveMHz = 1644 in
def H17 : Chip<"h17", TierA16, 4, "A17, M5", ["a17", "m5"], ["h17", "h16"], "the base M5 reports h16, the M5 Max h17", [
  Supports<Maderix, "M5 Max", "", Measured, "aneSubType is h17">,
  Supports<QwenANE, "M5 Max", "macOS 27", Measured, "ANEArchitectureTypeStr is h17, one engine">,
  Contradicts<Maderix, "M5", "", Measured, "aneSubType of the base M5 is h16">]>;
def H17a : Chip<"h17a", TierA16, 4, "A17 variant", [], []>;
let mSeries = true in
def H17g : Chip<"h17g", TierA16, 8, "M5 Pro and Max in ane-guide's list", [], [], "disputed: M5 Pro was measured as h17s", [
  Contradicts<ANEForge, "M5 Pro", "", Measured, "the M5 Pro is h17s">]>;
let clockMHz = 2364, effectiveMHz = 1788 in {
let mSeries = true in
def H17s : Chip<"h17s", TierA16, 16, "A17 Pro, M5 Pro, M5 Max", ["a17pro", "m5pro", "m5max"], ["h17"], "", [
  OnChip<"166 ops compiled and run with the engine alone", Measured, "M5 Pro">]>;
def H17c : Chip<"h17c", TierA16, 32, "A17 Max class", [], []>;
let mSeries = true in
def H17d : Chip<"h17d", TierA16, 64, "A17 Ultra class", ["m5ultra"], [], "the largest of the table">;
}
def H18 : Chip<"h18", TierA16, 4, "A18", ["a18", "a18pro"], ["h18p"], "adds fp8 and FIFO bytes only", [
  Supports<CoreAI, "A18 Pro", "", Reported, "coreai-build calls an iPhone 17 Pro h18p">]>;
let hasMIL = false, evidence = [
  Supports<ANEGuide, "", "", Inferred, "in the compiler's tables with placeholder limits; no device was seen to accept it">] in {
def U1 : Chip<"u1", TierOlder, 4, "none", [], [], "a reference inside the compiler: everything runs on the CPU">;
def U2 : Chip<"u2", TierOlder, 4, "none", [], [], "a reference inside the compiler: everything runs on the CPU">;
def U3 : Chip<"u3", TierOlder, 4, "none", [], [], "a reference inside the compiler: everything runs on the CPU">;
}

#endif // ANE_CONSTRAINT_TARGETS_TD
