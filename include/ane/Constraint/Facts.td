//===- Facts.td - numbers of the hardware that no pass uses ------------===//
// Memory levels, the compiler's capability table (HAL) and speeds, for people and for tools: `--list-targets --json`,
// docs/generated/targets.md; the report predicts times from some of them. A number that a pass or a check uses is a limit
// (Limits.td). What no source says has no row.
#ifndef ANE_CONSTRAINT_FACTS_TD
#define ANE_CONSTRAINT_FACTS_TD

include "ane/Constraint/Limits.td"

/// A value for chips and for tiers. The first row of a fact that matches a chip wins.
class FactValue<int number, list<Tier> forTiers, list<Chip> forChips, list<Evidence> why> {
  int value = number;
  list<Tier> tiers = forTiers;
  list<Chip> chips = forChips;
  list<Evidence> evidence = why;
}
class OnTiers<int number, list<Tier> forTiers, list<Evidence> why> : FactValue<number, forTiers, [], why>;
class OnChips<int number, list<Chip> forChips, list<Evidence> why> : FactValue<number, [], forChips, why>;

class Fact<string factGroup, string factUnit, string text, list<FactValue> rows> {
  string group = factGroup;
  string unit = factUnit;
  string summary = text;
  list<FactValue> values = rows;
}

class HAL<string text, string onChip = ""> : Supports<ANEGuide, onChip, "", Inferred, text>;
defvar SinceH14 = [TierH14, TierH15, TierH16];
defvar SinceH15 = [TierH15, TierH16];

//===-- memory levels (matrix 1.4) --------------------------------------===//

class MemoryFact<string factUnit, string text, list<FactValue> rows> : Fact<"memory", factUnit, text, rows>;

def Fact_OperandBytes : MemoryFact<"bytes", "largest operand that stays on the chip", [
  OnChips<1048576, [M9], [HAL<"field 0x1b8">]>,
  OnTiers<2097152, AllTiers, [HAL<"field 0x1b8, the same in all tables but that of m9">]>]>;

def Fact_KneeBytes : MemoryFact<"bytes", "size of an activation from which on time grows faster", [
  OnChips<2280000, [H13], [
    Supports<ANEGuide, "M1", "", Measured, "2.28 to 2.34 MB; a chain of products falls from 12 to 4.8 TFLOP/s above 2 MB">]>,
  OnChips<4720000, [H17s], [Supports<ANEGuide, "M5 Pro", "", Measured, "4.72 MB, a smooth knee (tiling in two dimensions)">]>]>;

def Fact_KernelMemoryBytes : MemoryFact<"bytes", "memory for coefficients of dense kernels", [
  OnTiers<65536, AllTiers, [HAL<"field 0x200">]>]>;

def Fact_StreamedKernelBytes : MemoryFact<"bytes", "memory for coefficients of streamed kernels", [
  OnTiers<16777216, AllTiers, [HAL<"field 0x210">]>]>;

def Fact_ConvResidencyBytes : MemoryFact<"bytes", "from this size on a convolution has a buffer of its own", [
  OnTiers<0, [TierH13, TierH14], [HAL<"field 0x1f0">]>,
  OnTiers<32768, [TierH15], [HAL<"field 0x1f0">]>,
  OnTiers<262144, [TierH16], [HAL<"field 0x1f0">]>]>;

def Fact_MemoryBanks : MemoryFact<"banks", "banks of the memory on the chip; bank = (address / 16) mod 64", [
  OnTiers<64, AllTiers, [HAL<"64 banks of 16 bytes; rows are searched for a stride up to 2 MB">]>]>;

def Fact_ActivationTableBytes : MemoryFact<"bytes", "memory for the table of an activation", [
  OnTiers<150, [TierOlder], [HAL<"150 bytes">]>,
  OnTiers<86, MILTiers, [HAL<"86 bytes">]>]>;

def Fact_WeightKneeBytes : MemoryFact<"bytes", "weights in flight from which on bandwidth falls; not the operand's size", [
  OnChips<8388608, [H13], [Supports<Libane, "M1", "", Reported, "a budget of 8 MB">]>,
  OnChips<16777216, [H14], [Supports<Libane, "M2", "", Reported, "a budget of 16 MB">]>,
  OnChips<33554432, [H15], [Supports<Libane, "M3", "", Reported, "a budget of 32 MB">]>,
  OnChips<33554432, [H16, H16g], [
    Supports<Maderix, "M4 Max", "", Measured, "best at about 12.5 MB, first spill at about 32 MB, collapse at 128 MB">,
    Supports<Orion, "M4 Max", "macOS 15", Reported, "a budget of 32 MB">,
    Contradicts<Libane, "M4", "", Reported, "a budget of 48 MB">]>]>;

def Fact_AddressWindowBytes : MemoryFact<"bytes", "address space of the device, in pages of 16 KB", [
  OnChips<3758096384, [H13], [Supports<ANEGuide, "M1", "", Measured, "3.5 GiB aperture">]>]>;

//===-- limits of the tables (matrix 1.3) -------------------------------===//

class TableFact<string factUnit, string text, list<FactValue> rows> : Fact<"table", factUnit, text, rows>;

def Fact_DepthAxis : TableFact<"elements", "extent of the depth axis; matmul and linear need 1", [
  OnTiers<1, [TierOlder], [HAL<"HAL table">]>,
  OnTiers<16384, [TierH13, TierH14, TierH15], [HAL<"HAL table">]>,
  OnTiers<65536, [TierH16], [HAL<"HAL table">]>]>;

def Fact_TransposeExtent : TableFact<"elements", "extent of a transposed axis; larger ones are split by the compiler", [
  OnTiers<0, [TierOlder], [HAL<"always split">]>,
  OnTiers<16384, [TierH13, TierH14, TierH15], [HAL<"HAL table">,
    Contradicts<ANEForge, "M1", "", Measured, "8,388,607 accepted">]>,
  OnTiers<65536, [TierH16], [HAL<"HAL table">, Contradicts<ANEForge, "M5", "", Measured, "16,777,215 accepted">]>]>;

def Fact_KernelWidthLarge : TableFact<"elements", "kernel width of formats other than fp16, large mode", [
  OnTiers<29, [TierOlder, TierH13], [HAL<"HAL table">]>, OnTiers<32, SinceH14, [HAL<"HAL table">]>]>;

def Fact_KernelWidthSmall : TableFact<"elements", "kernel width of formats other than fp16, small mode", [
  OnTiers<15, [TierOlder, TierH13], [HAL<"HAL table">]>, OnTiers<16, SinceH14, [HAL<"HAL table">]>]>;

def Fact_KernelHeight : TableFact<"elements", "kernel height, large mode", [
  OnTiers<29, [TierOlder, TierH13], [HAL<"HAL table">]>,
  OnTiers<32, SinceH14, [HAL<"HAL table">, Contradicts<ANEForge, "M5", "", Measured, "no limit in effect: 16 x 3 compiles, 3 x 16 fails">]>]>;

def Fact_KernelHeightSmall : TableFact<"elements", "kernel height, small mode", [
  OnTiers<15, [TierOlder, TierH13], [HAL<"HAL table">]>, OnTiers<16, SinceH14, [HAL<"HAL table">]>]>;

def Fact_KernelWidthLeast : TableFact<"elements", "least kernel width of the large mode (fp16: half of it before H14)", [
  OnTiers<16, [TierOlder, TierH13], [HAL<"HAL table; 8 in fp16">]>, OnTiers<1, SinceH14, [HAL<"HAL table">]>]>;

def Fact_KernelDepthSmall : TableFact<"elements", "kernel depth, small mode", [
  OnTiers<1, [TierOlder], [HAL<"HAL table">]>, OnTiers<8, MILTiers, [HAL<"HAL table">]>]>;

def Fact_KernelDepth : TableFact<"elements", "kernel depth, large mode; convolutions in 3 dimensions fail on every device", [
  OnTiers<1, [TierOlder], [HAL<"HAL table">]>, OnTiers<16, MILTiers, [HAL<"HAL table">]>]>;

def Fact_PatchExtent : TableFact<"elements", "width and height of a patch", [
  OnTiers<15, [TierOlder], [HAL<"HAL table">]>, OnTiers<28, [TierH13], [HAL<"HAL table">]>,
  OnTiers<31, SinceH14, [HAL<"HAL table">]>]>;

def Fact_PatchDepth : TableFact<"elements", "depth of a patch", [
  OnTiers<0, [TierOlder], [HAL<"HAL table">]>, OnTiers<15, MILTiers, [HAL<"HAL table">]>]>;

def Fact_ArgReduceAxis : TableFact<"elements", "reduced axis of an arg-min or arg-max", [
  OnTiers<2048, MILTiers, [HAL<"2,049 is rejected">]>]>;

def Fact_GroupConvDecompose : TableFact<"elements", "Cin kW kH up to which a grouped convolution is decomposed", [
  OnTiers<64, [TierOlder], [HAL<"HAL table">]>, OnTiers<2048, MILTiers, [HAL<"HAL table">]>]>;

def Fact_ReduceTransposeThreshold : TableFact<"elements", "reductions from this length on go through a transpose", [
  OnTiers<192, [TierH13, TierH14], [HAL<"HAL table">]>,
  OnTiers<384, SinceH15, [HAL<"HAL table; at most 1 ULP of effect">]>]>;

def Fact_InstructionAlignment : TableFact<"bytes", "alignment of instructions", [
  OnTiers<256, [TierOlder, TierH13], [HAL<"HAL table">]>, OnTiers<16, SinceH14, [HAL<"HAL table">]>]>;

def Fact_ContextSwitchTensors : TableFact<"tensors", "live tensors at a change of context; without a bound from H14 on", [
  OnTiers<2, [TierOlder, TierH13], [HAL<"HAL table">]>]>;

def Fact_DescriptorExtentBits : TableFact<"bits", "width, height and depth in a task descriptor; channels have 17, groups 13", [
  OnTiers<15, MILTiers, [HAL<"descriptor V10">]>]>;

def Fact_ImageFormats : TableFact<"formats", "pixel formats of image inputs, which take an entitlement", [
  OnTiers<3, [TierH13], [HAL<"BGRA, 8 and 16-bit luma">]>,
  OnTiers<13, [TierH14], [HAL<"adds half-precision RGBA and lossless variants">]>,
  OnTiers<16, [TierH15], [HAL<"adds YUV420 and half-precision luma; m11 as well">]>,
  OnTiers<14, [TierH16], [HAL<"drops YUV420">]>]>;

def Fact_ClockDivisor : TableFact<"divisor", "field 0x228, of the cost model", [
  OnChips<32, [H11], [HAL<"field 0x228">]>, OnChips<64, [H13], [HAL<"field 0x228">]>,
  OnChips<16, [M9, M11], [HAL<"field 0x228">]>]>;

//===-- capability bytes (matrix 1.7) -----------------------------------===//

/// 1 or 0. `Since` and `Never` are lists of tiers; a tier in neither is not told.
class Capability<string offset, string text, list<Tier> Since, list<Tier> Never, list<FactValue> special = []>
    : Fact<"capability", "byte", text, !listconcat(special,
        !if(!empty(Since), []<FactValue>, [FactValue<1, Since, [], [HAL<"byte " # offset>]>]),
        !if(!empty(Never), []<FactValue>, [FactValue<0, Never, [], [HAL<"byte " # offset>]>]))>;

def Fact_KernelStreaming : Capability<"0x48f", "kernels are streamed", MILTiers, [TierOlder]>;
def Fact_PaletteStream : Capability<"0x529", "palettised weights are streamed", MILTiers, []>;
def Fact_Int8Stream : Capability<"0x528, 0x532, 0x537", "int8 weights are streamed", SinceH14, [TierOlder, TierH13]>;
def Fact_BlockwiseStream : Capability<"0x520, 0x523, 0x533, 0x539", "blockwise weights are streamed", SinceH15,
                                      [TierOlder, TierH13, TierH14]>;
def Fact_SquareAfterReduce : Capability<"0x494", "a square is fused with the reduction before it", SinceH14, [TierOlder, TierH13]>;
def Fact_Random : Capability<"0x4a9", "dropout and random numbers", SinceH15, [TierOlder, TierH13, TierH14]>;
def Fact_GlobalArgReduce : Capability<"0x4f2", "arg-min and arg-max over everything, netlist route", MILTiers, [TierOlder]>;
def Fact_NormLayers : Capability<"0x815, 0x816, 0x818, 0x81a", "layers for softmax, instance, min-max and local response norm",
                                 MILTiers, [TierOlder]>;
def Fact_TextureEngine : Capability<"0x81d", "texture engine: resize, crop-resize, resample, affine, gather, reflected padding",
                                    SinceH14, [TierOlder, TierH13]>;
def Fact_Winograd : Capability<"0x680", "Winograd convolutions", MILTiers, []>;
def Fact_Chaining : Capability<"0x8bc", "chaining", [TierH13], []>;
def Fact_Fp8 : Capability<"0x52d", "fp8 E4M3", [], AllTiers, [OnChips<1, [H18], [HAL<"byte 0x52d", "h18">]>]>;
def Fact_FifoDMA : Capability<"0x563", "FIFO DMA", [], AllTiers, [OnChips<1, [H18], [HAL<"byte 0x563", "h18">]>]>;
def Fact_CrossDieAddressing : Capability<"0x55c", "addresses across dies", SinceH14, [TierOlder, TierH13]>;
def Fact_CrossDieHazard : Capability<"0x564", "hazards across dies", SinceH14, [TierOlder, TierH13],
                                     [OnChips<0, [H18], [HAL<"byte 0x564", "h18">]>]>;
def Fact_RemoteDependency : Capability<"0x687", "dependencies across dies", SinceH15, [TierOlder, TierH13, TierH14],
                                       [OnChips<0, [H18], [HAL<"byte 0x687", "h18">]>]>;
def Fact_Collectives : Capability<"0x48b", "collectives of several dies", [], AllTiers>;

//===-- speed (matrix 6) --------------------------------------------------===//

class SpeedFact<string factUnit, string text, list<FactValue> rows> : Fact<"speed", factUnit, text, rows>;
class Estimate<string onChip, string text> : Supports<ANEForge, onChip, "", Inferred, text>;
class Roof<string onChip, string text> : Supports<ANEForge, onChip, "", Measured, text>;

def Fact_EstimatedPeak : SpeedFact<"GFLOP/s", "effective peak of ANEForge's estimator", [
  OnChips<3250, [H13], [Estimate<"M1", "five convolutions within 17 %">]>,
  OnChips<7300, [H14], [Estimate<"M2", "an anchor of the estimator">]>,
  OnChips<8900, [H17s], [Estimate<"M5 Pro", "four of five convolutions within 13 %">]>]>;

def Fact_EstimatedBandwidth : SpeedFact<"MB/s", "effective bandwidth of ANEForge's estimator", [
  OnChips<9000, [H13], [Estimate<"M1", "over-predicts what bandwidth bounds: about 40 GB/s are real">]>,
  OnChips<48000, [H14], [Estimate<"M2", "an anchor of the estimator">]>,
  OnChips<57000, [H17s], [Estimate<"M5 Pro", "an anchor of the estimator">]>]>;

def Fact_DispatchTime : SpeedFact<"us", "an evaluation of an empty program, one call", [
  OnChips<190, [H13], [
    Supports<ANEGuide, "M1", "", Measured, "e5rt, of it 130 in the firmware">,
    Contradicts<ANEForge, "M1", "", Measured, "220 to 230, from the slope over fused layers">]>,
  OnChips<119, [H15g], [Supports<FieldGuide, "M3 Max", "macOS 26.3.1", Measured, "what a fit over programs leaves for no bytes">]>,
  OnChips<95, [H16], [Supports<Maderix, "M4", "", Reported, "XPC and IOKit, without the engine's work">]>,
  OnChips<95, [H16g], [
    Supports<Rustane, "M4 Max", "", Measured, "in-memory route">,
    Contradicts<Orion, "M4 Max", "macOS 15", Measured, "30 for a tiny program">]>,
  OnChips<63, [H17s], [
    Supports<ANEForge, "M5 Pro", "", Measured, "e5rt, 63 to 83">,
    Contradicts<QwenANE, "M5 Max", "macOS 27", Measured, "in-memory route: median 95, least 65">]>]>;

def Fact_ProductPeak : SpeedFact<"GFLOP/s", "the fastest matrix product that was seen", [
  OnChips<4300, [H13], [Roof<"M1", "MacBook Air; 2.7 on a MacBook Pro">]>,
  OnChips<4600, [H13g], [Roof<"M1 Max", "N = 4,096">]>, OnChips<3400, [H14g], [Roof<"M2 Pro", "N = 4,096">]>,
  OnChips<5400, [H16], [Roof<"M4", "N = 4,096">]>, OnChips<8900, [H16g], [Roof<"M4 Max", "N = 2,048">]>,
  OnChips<8700, [H17], [Roof<"M5", "N = 2,048">]>,
  OnChips<10200, [H17s], [Roof<"M5 Pro", "convolutions reach 18,800">]>]>;

class LMHead<string onChip, string text> : Supports<ANEMLLBench, onChip, "", Measured, text>;
def Fact_WeightStream : SpeedFact<"MB/s", "bandwidth of weights, of a product of one row with 1 GB of them", [
  OnChips<60870, [H13], [LMHead<"M1", "60.87 GB/s">]>,
  OnChips<54620, [H13g], [LMHead<"M1 Max", "54.62 GB/s; M1 Pro 54.90, M1 Ultra 54.72">]>,
  OnChips<60450, [H14], [LMHead<"M2", "60.45 GB/s">]>,
  OnChips<61930, [H14g], [LMHead<"M2 Pro", "61.93 GB/s; M2 Max 62.01, M2 Ultra 61.68">]>,
  OnChips<63100, [H15], [LMHead<"M3", "63.10 GB/s">]>,
  OnChips<120220, [H15g], [
    LMHead<"M3 Max", "120.22 GB/s">,
    Contradicts<FieldGuide, "M3 Max", "macOS 26.3.1", Measured, "78 GB/s, the slope of a fit; 69 in the mean of a model, 102 of its head">]>,
  OnChips<64180, [H16], [LMHead<"M4", "64.18 GB/s">]>,
  OnChips<118880, [H16g], [LMHead<"M4 Max", "118.88 GB/s; M4 Pro 126.36">]>,
  OnChips<70210, [H17], [LMHead<"M5", "70.21 GB/s">]>,
  OnChips<148390, [H17s], [
    LMHead<"M5 Max", "148.39 GB/s">,
    Supports<ANEForge, "M5 Pro", "", Measured, "142.6 GB/s, a row times a matrix of 8,192 columns">]>]>;

/// 12.6 GFLOP are the classifier of Stories110M: 256 tokens, 768 columns, 32,000 rows.
def Fact_HostProduct : SpeedFact<"GFLOP/s", "the fastest matrix product of fp32 that was seen on the CPU", [
  OnChips<1380, [H16], [
    Supports<Maderix, "M4", "macOS 15", Measured, "Accelerate: 12.6 GFLOP in 9.1 ms; 10.8 ms in another table">]>]>;

def Fact_StreamBandwidth : SpeedFact<"MB/s", "bandwidth of an elementwise program alone", [
  OnChips<5400, [H13], [Roof<"M1", "MacBook Air; 860 on a MacBook Pro">]>, OnChips<7400, [H13g], [Roof<"M1 Max", "relu">]>,
  OnChips<980, [H14g], [Roof<"M2 Pro", "relu">]>, OnChips<7700, [H16], [Roof<"M4", "relu, flat from 0.5 to 67 MB">]>,
  OnChips<23000, [H16g], [Roof<"M4 Max", "relu">]>, OnChips<20000, [H17], [Roof<"M5", "relu">]>,
  OnChips<24000, [H17s], [Roof<"M5 Pro", "relu">]>]>;

def Fact_Efficiency : SpeedFact<"GFLOP/s/W", "the best that was seen", [
  OnChips<622, [H13], [Roof<"M1", "MacBook Air; 442 on a MacBook Pro">]>, OnChips<897, [H13g], [Roof<"M1 Max", "897 to 918">]>,
  OnChips<744, [H14g], [Roof<"M2 Pro", "matrix products">]>, OnChips<1112, [H16], [Roof<"M4", "matrix products">]>,
  OnChips<1103, [H16g], [Roof<"M4 Max", "matrix products">]>, OnChips<1184, [H17], [Roof<"M5", "1,184 to 1,231">]>,
  OnChips<918, [H17s], [Roof<"M5 Pro", "matrix products">]>]>;

def Fact_OutputsPerCycle : SpeedFact<"channels", "output channels of a core in a cycle, fp16; 8 with int8 in all operands", [
  OnTiers<4, MILTiers, [HAL<"channel c is computed by core c modulo their number">]>]>;

def Fact_WorkUnits : SpeedFact<"units", "accumulators of a core; a group of output channels is passed over again for each of them", [
  OnTiers<8, MILTiers, [HAL<"two sets where 4 suffice; from 192 to 256 channels a layer takes 61 instead of 20 us">]>]>;

def Fact_LayerCycles : SpeedFact<"cycles", "overhead of a layer", [
  OnTiers<44, MILTiers, [HAL<"a layer counts at most 65,535 cycles">]>]>;

#endif // ANE_CONSTRAINT_FACTS_TD
