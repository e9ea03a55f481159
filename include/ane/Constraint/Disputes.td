//===- Disputes.td - what sources disagree about, beside limits and ops -----===//
// Nothing is decided by these: the compiler takes the safer side or does not depend on them. They restate
// ane-op-chip-matrix.md 1, 5, 9 and ane-programming.md 8.
#ifndef ANE_CONSTRAINT_DISPUTES_TD
#define ANE_CONSTRAINT_DISPUTES_TD

include "ane/Constraint/Legality.td"

def : ANE_Dispute<"an e5rt dispatch takes 230 us on M1", [
  Supports<ANEForge, "M1", "", Measured, "220 to 230 us, from the slope over fused layers">,
  Contradicts<ANEGuide, "M1", "", Measured, "190 us, a whole call">]>;
def : ANE_Dispute<"2,049 leaves the engine as 2,048 on M1 and as 2,050 on M5", [
  Supports<ANEGuide, "M1, M5", "", Measured, "matmul probe">,
  Contradicts<ANEForge, "M1 ... M6", "", Measured, "2,050 on every machine, by reduce_sum">]>;
def : ANE_Dispute<"kANEFAneInstanceHint chooses among engines", [
  Supports<Omlx, "M1 Ultra, M3 Ultra", "", Measured, "one call 57.9 ms, two pinned ones 41.5 ms">,
  Contradicts<QwenANE, "M5 Max", "macOS 27", Measured, "accepted and inert, there is one engine">]>;
def : ANE_Dispute<"an M1 has four engine sets", [
  Supports<ANEGuide, "M1", "", Inferred, "HAL field 0x238">,
  Contradicts<Omlx, "M1 Ultra", "", Reported, "ioreg counts 16 cores on each die">,
  Contradicts<ANEForge, "M1 Max", "", Inferred, "its cost model counts 8">]>;
def : ANE_Dispute<"an A18 Pro has h17, and phones and Macs before it the engines before that", [
  Supports<Study751K, "M2, M4, M5, M6, A18 Pro", "", Measured, "h14g, h16g, h17, h18g and h17, read on the devices">,
  Supports<Hollance, "A12", "", Measured, "Instruments shows H11ANE on an iPhone XS">,
  Contradicts<ANEGuide, "all", "", Inferred, "its list has h17 for A17 and h13 for A13, the names of the compiler's families">,
  Contradicts<Libane, "all", "", Reported, "its list has h11g for A14 and M1, h12g for M2, h16g for M4">]>;
def : ANE_Dispute<"a suffix of an engine's name says how many sets or cores it has", [
  Supports<ANEGuide, "", "", Inferred, "HAL field 0x238 is 4 without one, 8 for g, 16 for s, 32 for c, 64 for d">,
  Contradicts<Study751K, "M4, A18 Pro", "", Measured, "h16g and h17 have 16 cores each">]>;
def : ANE_Dispute<"an M5 reports h17", [
  Supports<QwenANE, "M5 Max", "macOS 27", Measured, "aneSubType and ioreg">,
  Contradicts<Maderix, "M5", "macOS 26.3", Measured, "the base M5 reports h16">]>;
def : ANE_Dispute<"the base M4 is h16", [
  Supports<Maderix, "M4", "macOS 15", Measured, "aneSubType">,
  Contradicts<Study751K, "M4", "macOS 27", Measured, "h16g with aneSubTypeVariant">,
  Contradicts<CoreAI, "M4", "", Reported, "coreai-build calls it h16g">]>;
def : ANE_Dispute<"M5 Pro is h17g", [
  Supports<ANEGuide, "M5 Pro", "", Inferred, "its list of chips">,
  Contradicts<ANEForge, "M5 Pro", "", Measured, "the bundle is h17s">]>;
def : ANE_Dispute<"t1 has 4 engine sets", [
  Supports<ANEGuide, "H13 reference", "", Inferred, "HAL field 0x238">,
  Contradicts<ANEForge, "H13 reference", "", Inferred, "its frequency curves say 16">]>;
def : ANE_Dispute<"2 MB stay on chip", [
  Supports<ANEGuide, "M1", "", Measured, "one operand; the knee is at 2.3 MB, on M5 Pro at 4.7 MB">,
  Contradicts<Orion, "M4 Max", "macOS 15", Reported, "32 MB, all weights in flight: another quantity">,
  Contradicts<Libane, "M1 ... M4", "", Reported, "8, 16, 32 and 48 MB">]>;
def : ANE_Dispute<"int8 weights are streamed at a gain from H14 on", [
  Supports<ANEGuide, "M2", "", Measured, "0.52 of the time at 8,192">,
  Supports<QwenANE, "M5 Max", "macOS 27", Measured, "1.74 times the speed at 32 columns">,
  Contradicts<ANEForge, "M5 Pro", "", Measured, "no gain for a matrix and one vector">]>;
def : ANE_Dispute<"weights with block scales are streamed on H15 and later", [
  Supports<ANEGuide, "H15 and later", "", Inferred, "HAL bytes 0x520 ... 0x539">,
  Contradicts<ANEForge, "M5 Pro", "", Measured, "no gain">]>;
def : ANE_Dispute<"transposes reach 16,384 elements, 65,536 on H16", [
  Supports<ANEGuide, "H13 and later", "", Inferred, "HAL field">,
  Contradicts<ANEForge, "M1, M5", "", Measured, "8,388,607 and 16,777,215 accepted: the compiler splits">]>;
def : ANE_Dispute<"only 512 channels are valid on M3 Ultra", [
  Supports<Maderix, "M3 Ultra", "macOS 15.7", Disputed, "a benchmark with incomplete blob headers">,
  Contradicts<Rustane, "M3 Ultra", "", Measured, "models of 1.5B to 25B parameters train">]>;
def : ANE_Dispute<"the identifier of a program covers the content of its weights", [
  Supports<M0at, "M5", "macOS 26.3", Measured, "hashing 352 MB takes 125 ms">,
  Supports<FieldGuide, "M3 Max", "macOS 26.3", Measured, "other weights, other identifier">,
  Contradicts<Orion, "M4 Max", "macOS 15", Reported, "the same text and keys give the same identifier">]>;
def : ANE_Dispute<"a program with other weights loads with a donor's net.plist alone, without its file data", [
  Supports<Espresso, "M3 Max", "macOS 15", Measured, "12 layers with many weight files: text as from a fresh compilation">,
  Contradicts<Orion, "M4 Max", "macOS 15", Measured, "the weight file is written as data, too: equal to a fresh compilation, one file">]>;
def : ANE_Dispute<"the daemon's cache of programs survives a restart", [
  Supports<FieldGuide, "M3 Max", "macOS 26.3", Reported, "it is on disk">,
  Contradicts<M0at, "M5", "macOS 26.3", Reported, "it is lost">]>;
def : ANE_Dispute<"doEvaluateDirect is faster than evaluate", [
  Supports<AneInfer, "M5", "macOS 26.3", Measured, "106 against 117 us">,
  Contradicts<Maderix, "M4 Max", "", Measured, "225 against 175 us">,
  Contradicts<Espresso, "M3 Max", "macOS 15", Measured, "no gain">]>;
def : ANE_Dispute<"an output surface can be the next program's input", [
  Supports<Crane, "", "macOS 15", Measured, "a chain of 32 blocks, bit-exact">,
  Contradicts<M0at, "M5", "macOS 26.3", Measured, "correct and slower than a copy">,
  Contradicts<Espresso, "M3 Max", "macOS 15", Reported, "binding it to an existing request fails">]>;
def : ANE_Dispute<"program(1.5) is a version of MIL on M5", [
  Supports<Maderix, "M5", "", Reported, "a pull request recommends it">,
  Contradicts<Maderix, "M5", "", Reported, "later code of the same author falls back from it">]>;
def : ANE_Dispute<"several constants in one weight file fail on M1", [
  Supports<Maderix, "M1", "", Reported, "files for each matrix work">,
  Contradicts<MILBlob, "all", "", Inferred, "the format allows it; the headers written were incomplete">]>;

#endif // ANE_CONSTRAINT_DISPUTES_TD
