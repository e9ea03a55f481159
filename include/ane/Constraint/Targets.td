//===- Targets.td - chips, tiers, routes -------------------------------===//
// One record per compiler target (ane-op-chip-matrix.md 1.1). A target of a newer compiler that is not here gets the worst
// value of every limit and every constraint of every tier.
#ifndef ANE_CONSTRAINT_TARGETS_TD
#define ANE_CONSTRAINT_TARGETS_TD

include "ane/Constraint/Evidence.td"

/// Chips with the same capabilities, named by the first engine that has them (the compiler's own names for these families, A13
/// ... A16, are those of phone chips a generation older). `index` orders them by age.
class Tier<string tierName, int tierIndex, string tierText> {
  string name = tierName;
  int index = tierIndex;
  string text = tierText;
}
def TierOlder : Tier<"Older", 0, "A12 and A13 (iPhone XS, 11), efficiency engines">;
def TierH13 : Tier<"H13", 1, "iPhone 12 (A14), M1">;
def TierH14 : Tier<"H14", 2, "iPhone 13 and 14 (A15), M2">;
def TierH15 : Tier<"H15", 3, "iPhone 14 Pro and 15 (A16), M3">;
def TierH16 : Tier<"H16", 4, "iPhone 15 Pro to 17 (A17 Pro, A18, A19), A20, M4, M5, M6">;
defvar AllTiers = [TierOlder, TierH13, TierH14, TierH15, TierH16];
defvar MILTiers = [TierH13, TierH14, TierH15, TierH16];

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

/// Who says which product has an engine: read from the device, or concluded.
class ReadOn<string onChip, string text> : Supports<Study751K, onChip, "", Measured, text>;
class Concluded<string onChip, string text> : Supports<Study751K, onChip, "", Inferred, text>;
class Shifted<string onChip> : Contradicts<ANEGuide, onChip, "", Inferred,
  "its list takes the names of the compiler's families, which are a generation older, for those of phone chips">;

/// `target` is the compiler's name, `ne` the engine sets of one die in the compiler's table (HAL field 0x238). Neither the field
/// nor a name's suffix counts cores: an M4 (h16g) and an A18 Pro (h17) have 16 each.
class Chip<string targetName, Tier ofTier, int sets, string onSilicon, list<string> alias, list<string> runtime,
           string text = "", list<Evidence> own = []> {
  string target = targetName;
  Tier tier = ofTier;
  int ne = sets;
  string silicon = onSilicon;           // products, marketing names first
  list<string> aliases = alias;         // marketing names, lower case, no spaces
  list<string> runtimeNames = runtime;  // what devices call themselves, another name space (matrix 1.2)
  bit hasMIL = !ne(ofTier.index, 0);    // older engines have no MIL path: they are no member of --targets=all
  bit mSeries = false;                  // stands in Macs and iPads with M chips: a member of --target=any-m
  int clockMHz = 0;                     // highest clock, 0 is unknown
  int effectiveMHz = 0;                 // after the derating at that clock
  string note = text;
  list<Evidence> evidence = !listconcat(own, [Accepted, InTables]);
}

let clockMHz = 1260 in
def H11 : Chip<"h11", TierOlder, 4, "iPhone XS and XR (A12)", ["a12", "iphonexs", "iphonexr"], [], "", [
  Supports<ANEForge, "h11", "", Inferred, "no MIL path: the compiler asserts H13 or later">,
  Supports<Hollance, "A12", "", Measured, "Instruments shows H11ANE on an iPhone XS">, Shifted<"A12">]>;
def H12 : Chip<"h12", TierOlder, 4, "iPhone 11 (A13)", ["a13", "iphone11", "iphone11pro"], [], "", [
  Concluded<"A13", "the generation behind the A12">, Shifted<"A13">]>;
def M9 : Chip<"m9", TierOlder, 1, "efficiency engine", [], [], "1 MB working set, divisor 16">;
def T0 : Chip<"t0", TierOlder, 4, "reference", [], [], "1 to 4 sets">;
let mSeries = true, clockMHz = 1428, effectiveMHz = 1428 in
def H13 : Chip<"h13", TierH13, 4, "iPhone 12 (A14), M1", ["a14", "m1", "iphone12", "iphone12pro"], [], "", [
  OnChip<"compiled and run on M1, and its table read on the device", Measured, "M1">,
  Concluded<"A14", "M1 shares its generation">, Shifted<"A14">]>;
let mSeries = true, clockMHz = 1464, effectiveMHz = 1464 in
def H13g : Chip<"h13g", TierH13, 8, "M1 Pro, M1 Max, M1 Ultra", ["m1pro", "m1max", "m1ultra"], ["h13g"],
                "an M1 Ultra has two engines", [
  OnChip<"board type 96 resolves to h13g; compiled and run", Measured, "M1 Max">,
  Supports<Omlx, "M1 Ultra", "", Measured, "two engines, ane0 and ane2, each reports h13g">]>;
let clockMHz = 1428, effectiveMHz = 1428 in
def T1 : Chip<"t1", TierH13, 4, "a reference", [], [], "4 sets in the tables, 16 in ANEForge's curves", [
  Contradicts<ANEForge, "t1", "", Inferred, "its cost curves have 16 sets">]>;
let mSeries = true, clockMHz = 1938, effectiveMHz = 1452 in
def H14 : Chip<"h14", TierH14, 4, "iPhone 13 and 14 (A15), M2",
               ["a15", "m2", "iphone13", "iphone13pro", "iphone14"], ["h14", "h14g"], "an M2 reports h14g", [
  ReadOn<"M2", "its engine calls itself h14g">, Concluded<"A15", "M2 shares its generation">, Shifted<"A15">]>;
let mSeries = true in
def H14g : Chip<"h14g", TierH14, 8, "M2 Pro, M2 Max, M2 Ultra", ["m2pro", "m2max", "m2ultra"], ["h14g"], "", [
  OnChip<"limits by binary search, numbers and streaming", Measured, "M2 Pro">]>;
def H14c : Chip<"h14c", TierH14, 32, "no known product", [], [], "not the base of an M chip">;
let mSeries = true, clockMHz = 2064, effectiveMHz = 1524 in
def H15 : Chip<"h15", TierH15, 4, "iPhone 14 Pro and 15 (A16), M3", ["a16", "m3", "iphone14pro", "iphone15"], [],
               "its op table is derived, not measured", [
  Concluded<"A16", "M3 shares its generation">, Shifted<"A16">]>;
let mSeries = true in
def H15g : Chip<"h15g", TierH15, 8, "M3 Pro, M3 Max, M3 Ultra", ["m3pro", "m3max", "m3ultra"], ["h15g"],
                "an M3 Ultra has two engines", [
  Supports<Rustane, "M3 Ultra", "", Measured, "reports h15g and two engines of 16 cores">]>;
let clockMHz = 2364, effectiveMHz = 1776 in
def H15c : Chip<"h15c", TierH15, 32, "no known product", [], [], "the compiler also knows h15m, h15p, h15s and h15d">;
let clockMHz = 500 in
def M11 : Chip<"m11", TierH15, 1, "efficiency engine", [], [], "features of the H16 tier, limits of the H15 tier, divisor 16">;
let mSeries = true, clockMHz = 2160, effectiveMHz = 1620 in
def H16 : Chip<"h16", TierH16, 4, "iPhone 15 Pro (A17 Pro), M4", ["a17", "a17pro", "m4", "iphone15pro"], ["h16", "h16g"],
               "an M4 reports h16, in full h16g; a base M5 was seen to report h16", [
  Supports<Maderix, "M4, M5", "macOS 15", Measured, "aneSubType is h16 on the M4 and on the base M5">,
  ReadOn<"M4", "aneSubType and its variant are h16g">,
  Supports<CoreAI, "M4", "", Reported, "coreai-build calls the base M4 h16g">,
  Concluded<"A17 Pro", "M4 shares its generation">, Shifted<"A17 Pro">]>;
let mSeries = true in
def H16g : Chip<"h16g", TierH16, 8, "M4 Pro, M4 Max", ["m4pro", "m4max"], ["h16g"]>;
let clockMHz = 2364, effectiveMHz = 1788 in
def H16s : Chip<"h16s", TierH16, 16, "no known product", [], [], "ANEForge's representative of the tier">;
def H16c : Chip<"h16c", TierH16, 32, "no known product", [], []>;
let mSeries = true, clockMHz = 2172, effectiveMHz = 1644 in
def H17 : Chip<"h17", TierH16, 4, "iPhone 16 (A18, A18 Pro), M5", ["a18", "a18pro", "m5", "iphone16", "iphone16pro"], ["h17", "h17p", "h16"],
               "a base M5 was seen to report h16, the M5 Max h17", [
  ReadOn<"A18 Pro, M5", "their engines call themselves h17">,
  Supports<Hollance, "A18", "", Reported, "a log of an iPhone 16 has SoC T8140 with platform H17P">,
  Supports<Maderix, "M5 Max", "", Measured, "aneSubType is h17">,
  Supports<QwenANE, "M5 Max", "macOS 27", Measured, "ANEArchitectureTypeStr is h17, one engine">,
  Contradicts<Maderix, "M5", "", Measured, "aneSubType of the base M5 is h16">, Shifted<"A18">]>;
def H17a : Chip<"h17a", TierH16, 4, "no known product", [], []>;
let mSeries = true in
def H17g : Chip<"h17g", TierH16, 8, "M5 Pro and Max in ane-guide's list", [], [], "disputed: M5 Pro was measured as h17s", [
  Contradicts<ANEForge, "M5 Pro", "", Measured, "the M5 Pro is h17s">]>;
let clockMHz = 2364, effectiveMHz = 1788 in {
let mSeries = true in
def H17s : Chip<"h17s", TierH16, 16, "M5 Pro, M5 Max", ["m5pro", "m5max"], ["h17", "h17s"], "", [
  OnChip<"166 ops compiled and run with the engine alone", Measured, "M5 Pro">,
  Contradicts<Forge, "M5 Max", "", Reported, "the M5 Max reports h17c">]>;
def H17c : Chip<"h17c", TierH16, 32, "no known product", [], ["h17c"], "", [
  Supports<Forge, "M5 Max", "", Reported, "an M5 Max reports h17c">]>;
let mSeries = true in
def H17d : Chip<"h17d", TierH16, 64, "M5 Ultra", ["m5ultra"], [], "the largest of the table">;
}
def H18 : Chip<"h18", TierH16, 4, "iPhone 17 (A19, A19 Pro)", ["a19", "a19pro", "iphone17", "iphone17pro", "iphoneair"], ["h18", "h18p"],
               "adds fp8 and FIFO bytes only", [
  Supports<CoreAI, "A19 Pro", "", Reported, "coreai-build calls an iPhone 17 Pro h18p">,
  Concluded<"A19", "the generation behind the A18, which was read as h17">, Shifted<"A19">]>;
// Of a newer compiler (10.26.6), whose tables nobody has published: tier and limits are those of the generation before.
class Newer<string onChip, string text> : Supports<Study751K, onChip, "macOS 27", Inferred, text>;
let mSeries = true, clockMHz = 2580 in
def H18g : Chip<"h18g", TierH16, 8, "M6", ["m6"], ["h18g"], "two engines; sets as other names with g have", [
  ReadOn<"M6", "its engines call themselves h18g; 16 cores of 256 fp16 products a cycle at 2.58 GHz each">,
  ReadOn<"M4, M6", "67 models compile alike on both but for topk, which M6 takes">]>;
def H19 : Chip<"h19", TierH16, 4, "A20", ["a20"], [], "tier and sets are those of h18", [
  Newer<"A20", "the compiler takes the name and has tables of it; the generation behind the A19">]>;
let hasMIL = false, evidence = [
  Supports<ANEGuide, "", "", Inferred, "in the compiler's tables with placeholder limits; no device was seen to accept it">] in {
def U1 : Chip<"u1", TierOlder, 4, "none", [], [], "a reference inside the compiler: everything runs on the CPU">;
def U2 : Chip<"u2", TierOlder, 4, "none", [], [], "a reference inside the compiler: everything runs on the CPU">;
def U3 : Chip<"u3", TierOlder, 4, "none", [], [], "a reference inside the compiler: everything runs on the CPU">;
}

#endif // ANE_CONSTRAINT_TARGETS_TD
