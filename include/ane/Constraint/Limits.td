//===- Limits.td - numbers that passes and checks use ------------------===//
// No pass contains such a number: `env.limit(Limit::RowBytes)`, `env.numeric(Numeric::MaskValue)`.
#ifndef ANE_CONSTRAINT_LIMITS_TD
#define ANE_CONSTRAINT_LIMITS_TD

include "ane/Constraint/Targets.td"

/// A value for some tiers and routes, and for programs that must run on macOS `until` (0: on any). The first row of a limit
/// that matches wins.
class LimitValue<int number, list<Tier> forTiers, list<RouteKind> forRoutes, list<Evidence> why, int until = 0> {
  int value = number;
  list<Tier> tiers = forTiers;
  list<RouteKind> routes = forRoutes;
  int osTo = until;
  list<Evidence> evidence = why;
}
class Everywhere<int number, list<Evidence> why> : LimitValue<number, AllTiers, AllRoutes, why>;

/// An integer limit. `worstIsLow` says which end of the values an unknown chip gets.
class LimitKind<string limitUnit, string text, list<LimitValue> rows, bit low = true> {
  string unit = limitUnit;
  string summary = text;
  list<LimitValue> values = rows;
  bit worstIsLow = low;
}

/// A number of the engine's arithmetic, written as C++ would.
class NumericKind<string number, string text, list<Evidence> why> {
  string value = number;
  string summary = text;
  list<Evidence> evidence = why;
}

//===-- dimensions ------------------------------------------------------===//

def Limit_Rank : LimitKind<"axes", "rank of a tensor inside a program", [
  LimitValue<4, AllTiers, [InMemory], [
    Supports<Espresso, "M3 Max", "macOS 15", Reported, "no direct user ever ran more than four axes">]>,
  LimitValue<5, AllTiers, [CoreML, E5RT, Netlist], [
    Supports<ANEForge, "M1, M5", "", Measured, "rank 6 is rejected">]>]>;

def Limit_ProductRank : LimitKind<"axes", "rank of operands and results of matmul, linear and transpose (C192)", [
  Everywhere<4, [Supports<ANEForge, "M1, M5", "", Measured, "rank 5 is not supported on e5rt (Q16)">]>]>;

def Limit_SpatialAxis : LimitKind<"elements", "extent of height and width (also matmul's K)", [
  LimitValue<65536, [TierH16], AllRoutes, [
    Supports<ANEForge, "M5", "", Measured, "65,536 accepted by the compile gate">]>,
  Everywhere<16384, [
    Supports<ANEForge, "M1, M2 Pro", "", Measured, "16,384 accepted, 16,385 rejected">,
    Supports<Rustane, "M3 Ultra", "", Measured, "16,384 accepted, 17,920 rejected, in-memory route">,
    Supports<Espresso, "M3 Max", "macOS 15", Reported, "above 16,384 fails to compile">]>]>;

def Limit_ChannelAxis : LimitKind<"elements", "extent of the channel axis", [
  Everywhere<65536, [Supports<ANEForge, "M1, M2, M5", "", Measured, "65,537 is rejected">,
    Supports<ANELM, "M3 Max", "macOS 26.3", Measured, "65,536 output channels run">]>]>;

def Limit_BatchAxis : LimitKind<"elements", "extent of the batch axis", [
  LimitValue<4096, [TierOlder], AllRoutes, [Supports<ANEGuide, "older", "", Inferred, "HAL table">]>,
  Everywhere<65536, [Supports<ANEGuide, "all", "", Inferred, "HAL table">]>]>;

def Limit_ConvChannels : LimitKind<"channels", "channels of a convolution (C16)", [
  Everywhere<31999, [
    Supports<Orion, "M4 Max", "macOS 15", Measured, "32,000 channels are rejected: the smallest count seen to fail">,
    Supports<Maderix, "M4", "macOS 15", Reported, "32,000 input channels fail to compile">,
    Contradicts<Maderix, "M4", "macOS 15", Measured, "32,000 output channels run in 1.06 ms">,
    Contradicts<ANELM, "M3 Max", "macOS 26.3", Measured, "65,536 output channels run">]>]>;

def Limit_ConvChannelSlice : LimitKind<"channels", "channels of one part of a convolution that was split", [
  Everywhere<16384, [
    Supports<ANELM, "M3 Max", "macOS 26.3", Measured, "14,336 input channels run">,
    Supports<Rustane, "M3 Ultra", "", Measured, "16,384 is accepted on every axis of every chip">]>]>;

def Limit_ConvOutputChannels : LimitKind<"channels", "output channels of a convolution where C16 is lifted", [
  Everywhere<62080, [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "62,080 run, 124,160 fail">,
    Contradicts<ANELM, "M3 Max", "macOS 26.3", Measured, "65,536 run">]>]>;

def Limit_KernelWidth : LimitKind<"elements", "kernel width of an fp16 convolution with unit stride", [
  LimitValue<15, [TierH16], AllRoutes, [Supports<ANEForge, "M5", "", Measured, "15 accepted, 16 rejected">,
    Contradicts<ANEGuide, "H16", "", Inferred, "the HAL table says 16">]>,
  Everywhere<13, [Supports<ANEForge, "M1", "", Measured, "13 accepted, 14 rejected">,
    Contradicts<ANEGuide, "H14, H15", "", Inferred, "the HAL table says 16">]>]>;

def Limit_KernelWidthStrided : LimitKind<"elements", "kernel width of an fp16 convolution with a stride or transposed", [
  LimitValue<8, [TierH14, TierH15, TierH16], AllRoutes, [Supports<ANEGuide, "H14 and later", "", Inferred, "HAL table">]>,
  Everywhere<7, [Supports<ANEGuide, "H13", "", Inferred, "HAL table">]>]>;

def Limit_KernelHeight : LimitKind<"elements", "kernel height of a convolution (C221)", [
  LimitValue<29, [TierOlder, TierH13], AllRoutes, [Supports<ANEGuide, "H13", "", Inferred, "HAL table">,
    Contradicts<ANEForge, "M1", "", Measured, "no limit in effect: 16 high compiles where 16 wide fails">]>,
  Everywhere<31, [
    Supports<Study751K, "M4", "macOS 27", Measured, "31 accepted, 32 refused: no preconditions of a decomposition">,
    Contradicts<ANEForge, "M5", "", Measured, "no limit in effect: 16 high compiles where 16 wide fails">,
    Contradicts<ANEGuide, "H14 and later", "", Inferred, "the HAL table says 32">]>]>;

def Limit_MaxPoolWidth : LimitKind<"elements", "width of a max pool (C220)", [
  Everywhere<8, [
    Supports<Study751K, "M4", "macOS 27", Measured, "9 refused: invalid pool kernel width, must be [1-8] or 32">]>]>;

def Limit_ProductAxis : LimitKind<"elements", "elements that a product of two computed values sums (C222)", [
  Everywhere<32768, [
    Supports<Study751K, "M4", "macOS 27", Measured, "32,768 accepted, 40,000 refused: 2 K bytes exceed 64 KiB">]>]>;

def Limit_PoolWindow : LimitKind<"elements", "window of a pooling op", [
  LimitValue<31, [TierH14, TierH15, TierH16], AllRoutes, [Supports<ANEGuide, "H14 and later", "", Inferred, "documented">]>,
  Everywhere<29, [Supports<ANEGuide, "H13", "", Inferred, "documented">,
    Contradicts<ANEForge, "M1", "", Measured, "128 accepted">]>]>;

def Limit_AnyAxis : LimitKind<"elements", "extent of any axis, whatever it stands for", [
  Everywhere<65536, [
    Supports<ANEForge, "M1, M2, M5", "", Measured, "the MIL parser takes 1 ... 65,536">,
    Supports<ANEForge, "M5", "", Measured, "keys and head width in one axis: above 65,536 attention fails (PR 57)">]>]>;

def Limit_TransposeExtent : LimitKind<"elements", "extent of an axis of a transpose", [
  LimitValue<16777215, [TierH16], AllRoutes, [
    Supports<ANEForge, "M5", "", Measured, "16,777,215 accepted: the compiler splits">,
    Contradicts<ANEGuide, "H16", "", Inferred, "the HAL table says 65,536">]>,
  LimitValue<8388607, [TierH13, TierH14, TierH15], AllRoutes, [
    Supports<ANEForge, "M1", "", Measured, "8,388,607 accepted: the compiler splits">,
    Contradicts<ANEGuide, "H13 ... H15", "", Inferred, "the HAL table says 16,384">]>,
  Everywhere<0, [Supports<ANEGuide, "H11, H12", "", Inferred, "HAL table: always split">]>]>;

def Limit_ArgAxis : LimitKind<"elements", "axis that argmax or argmin searches", [
  Everywhere<2048, [Supports<ANEGuide, "H13 and later", "", Inferred, "HAL table; 2,049 is rejected">]>]>;

def Limit_ConvGroups : LimitKind<"groups", "groups of a convolution", [
  LimitValue<65536, [TierH16], AllRoutes, [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "a depthwise convolution of 10,240 channels runs in 99 us">]>,
  Everywhere<8191, [Supports<ANEGuide, "H13", "", Inferred, "13 bits in the task descriptor">]>]>;

def Limit_LayerNormAffine : LimitKind<"elements", "normalised elements of a layer_norm with gamma and beta", [
  LimitValue<10239, [TierH16], AllRoutes, [
    Supports<ANEForge, "M5", "", Measured, "both live, from about 10,240 on: execution returns -1 (Q12c)">]>,
  Everywhere<1023, [
    Supports<ANEForge, "M1, M2", "", Measured, "from about 1,024 on: error 11 (Q12a); 1,024, 1,536 ... 16,384 (Q12b)">]>]>;

def Limit_ConcatRow : LimitKind<"elements", "operand of a concat with one useful axis", [
  Everywhere<65536, [
    Supports<ANEForge, "M5", "", Measured, "784 x 128 elements as one row crash (Q17); 65,536 is the longest axis (C115)">]>]>;

def Limit_FanIn : LimitKind<"values", "values that one op joins", [
  Everywhere<11, [Supports<ANEGuide, "M1", "", Measured, "from 12 branches on compiling takes 9.2 s and is given up">]>]>;

def Limit_PadConcatChannels : LimitKind<"channels", "channels of a padded value that is added to another", [
  Everywhere<9216, [Supports<QwenANE, "M5 Max", "macOS 27", Measured, "9,216 run, 11,264 fail">]>]>;

def Limit_AttentionKeys : LimitKind<"keys", "keys of an attention in one softmax", [
  Everywhere<256, [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "256 compile, 512 do not">,
    Contradicts<Crane, "", "macOS 15", Reported, "784 columns run">]>]>;

def Limit_NetlistAttention : LimitKind<"tokens", "keys of the netlist's attention layer", [
  Everywhere<2048, [Supports<ANEForge, "M1, M5", "", Measured, "above 2,048 wrong, 4,096 garbage (Q33)">]>]>;

def Limit_NetlistAttentionSquare : LimitKind<"tokens", "the smaller of queries and keys of that layer", [
  Everywhere<511, [Supports<ANEForge, "M1, M5", "", Measured, "512 x 512: cosine 0.67 (Q33)">]>]>;

def Limit_NormChannels : LimitKind<"channels", "channels of a local_response_norm of the netlist", [
  Everywhere<15, [Supports<ANEForge, "M1", "", Measured, "16 fail (Q26)">]>]>;

def Limit_CoreMLPoolWindow : LimitKind<"elements", "window of a pool in Core ML", [
  Everywhere<13, [Supports<Hollance, "various", "", Reported, "larger ones do not run on the engine">]>]>;

def Limit_CoreMLFactor : LimitKind<"times", "stride of a pool and factor of an upsampling in Core ML", [
  Everywhere<2, [Supports<Hollance, "various", "", Reported, "larger ones do not run on the engine">]>]>;

//===-- surfaces --------------------------------------------------------===//

def Limit_RowBytes : LimitKind<"bytes", "a row of a surface is padded to a multiple of this", [
  Everywhere<64, [
    Supports<M0at, "M5", "macOS 26.3", Measured, "fp32 outputs are zeros below 16 columns, fp16 below 32">,
    Supports<FieldGuide, "M3 Max", "macOS 26.3", Measured, "16 columns fail, 32 work">,
    Supports<Orion, "M4 Max", "macOS 15", Measured, "[768,16] fp32 works, [768,1] fails with 0x1d">,
    Supports<ANEgpt, "M4", "macOS 15", Measured, "[64,16] fp32 works">,
    Supports<Libane, "M3 Pro", "", Reported, "surfaces have a pitch of 64 bytes">]>], false>;

def Limit_Lanes : LimitKind<"elements", "smallest width of a program's input or output in fp16", [
  Everywhere<32, [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "silent zeros below 32 elements on the last axis">,
    Supports<FieldGuide, "M3 Max", "macOS 26.3", Measured, "1 and 16 fail or give garbage, 32 works">]>], false>;

def Limit_MinSurfaceBytes : LimitKind<"bytes", "smallest allocation of a surface (C04)", [
  Everywhere<49152, [
    Supports<Orion, "M4 Max", "macOS 15", Measured, "[768,16] fp32 (49,152 bytes) works, [768,1] fails with 0x1d">,
    Contradicts<ANEgpt, "M4", "macOS 15", Measured, "4,096 bytes work, compared with the CPU">,
    Contradicts<FieldGuide, "M3 Max", "macOS 26.3", Measured, "[1,1,1,32] (64 bytes) works">]>], false>;

def Limit_BlobAlignment : LimitKind<"bytes", "alignment of header, metadata and data in a weight blob", [
  Everywhere<64, [Supports<MILBlob, "all", "", Measured, "public header">]>], false>;

//===-- programs --------------------------------------------------------===//

/// Opsets come with versions of macOS, on every route; a chip's own limit is known of the in-memory route only.
class OpsetOfOS<int opset, int until, string text>
    : LimitValue<opset, AllTiers, AllRoutes, [Supports<Coremltools, "all", "", Reported, text>], until>;

def Limit_Opset : LimitKind<"opset", "newest opset of a function (ios16 is 16) whose text is parsed; 0: no MIL program is", [
  OpsetOfOS<0, 11, "ML programs begin with iOS 15 and macOS 12">,
  OpsetOfOS<15, 12, "deployment target iOS 15 is macOS 12">,
  OpsetOfOS<16, 13, "deployment target iOS 16 is macOS 13">,
  LimitValue<16, [TierOlder, TierH13, TierH14], [InMemory], [
    Supports<Maderix, "M1 Pro", "macOS 26.3", Reported, "program(1.3) with scalars in short form does not parse, program(1.0) does (Q39)">]>,
  OpsetOfOS<17, 14, "deployment target iOS 17 is macOS 14">,
  Everywhere<18, [
    Supports<Coremltools, "all", "", Reported, "deployment target iOS 18 is macOS 15; none was added for iOS 26">,
    Supports<ANEForge, "M1, M5 Pro", "", Measured, "e5rt takes ios18">,
    Supports<Maderix, "M4", "macOS 15", Measured, "program(1.3) and ios18 in every training kernel">,
    Supports<ANELM, "M3 Max", "macOS 26.3", Measured, "program(1.0) with ios18 runs">]>]>;

def Limit_ProgramVersion : LimitKind<"tenths", "newest version of a program whose text is parsed (10 is program(1.0))", [
  LimitValue<10, [TierOlder, TierH13, TierH14], [InMemory], [
    Supports<Maderix, "M1 Pro", "macOS 26.3", Reported, "program(1.3) does not parse, program(1.0) does (Q39)">,
    Contradicts<Maderix, "M1", "", Reported, "program(1.3) works in part">]>,
  Everywhere<13, [
    Supports<Maderix, "M3 Ultra, M4, M5", "macOS 15", Measured, "program(1.3) in every kernel">,
    Supports<ANEForge, "M5 Pro", "macOS 26.5", Measured, "program(1.3) on e5rt">,
    Supports<Maderix, "M5", "", Reported, "later code of the project that recommends program(1.5) falls back from it">,
    Contradicts<Maderix, "M5", "", Reported, "a pull request recommends program(1.5)">]>]>;

def Limit_ProgramWeightBytes : LimitKind<"bytes", "weights of one program", [
  LimitValue<250000000, AllTiers, [CoreML], [
    Supports<Laws, "M4 Max", "", Reported, "a ceiling of 250 MB, 223 MB validated; above 1 GB error -14">]>,
  Everywhere<1500000000, [
    Supports<ANEForge, "M5", "", Measured, "1.5 GB accepted, 3.4 GB not implemented (e5rt); 2 GB are its advice">,
    Supports<Maderix, "M5", "", Reported, "programs of 352 MB run on the in-memory route; no ceiling was found">]>]>;

def Limit_SurfaceAlignment : LimitKind<"bytes", "the allocation of a surface is a multiple of it (C138)", [
  LimitValue<128, [TierH16], AllRoutes, [Supports<Maderix, "M5", "", Disputed, "a pull request rounds to 128">]>,
  Everywhere<64, [Supports<Libane, "M3 Pro", "", Measured, "rows are multiples of 64 bytes">]>], /*low=*/false>;

def Limit_PatchExtent : LimitKind<"elements", "extent of a patch, if that is any window (C121)", [
  LimitValue<15, [TierOlder], AllRoutes, [Supports<ANEGuide, "older", "", Inferred, "HAL table: 15 wide and high">]>,
  LimitValue<28, [TierH13], AllRoutes, [Supports<ANEGuide, "H13", "", Inferred, "HAL table: 28 wide and high">]>,
  Everywhere<31, [Supports<ANEGuide, "H14 and later", "", Inferred, "HAL table: 31 wide and high">]>]>;

def Limit_Procedures : LimitKind<"procedures", "procedures of one program (C200)", [
  LimitValue<112, [TierH15, TierH16], [InMemory], [
    Supports<Omlx, "M5 Pro, M3 Ultra", "", Reported, "64 and 48 procedures of two kinds in one program">,
    Supports<AneInfer, "M5", "macOS 26.3", Measured, "several functions in one text, 103 us for each procedure">]>,
  Everywhere<1, [
    Supports<ANEForge, "M1, M5", "", Reported, "e5rt is asked for function 'main'; other numbers were seen on no such route or chip">]>]>;

def Limit_WeightFiles : LimitKind<"files", "weight files of one program", [
  Everywhere<16, [Supports<QwenANE, "M5 Max", "macOS 27", Measured, "16 accepted, 24 fail">]>]>;

def Limit_WeightConstants : LimitKind<"constants", "weight constants of one program, if they count (C224)", [
  Everywhere<16, [
    Supports<Orion, "M4 Max", "macOS 15", Disputed, "16 compile and 17 do not, at 0.01 as at 72 MB; each had a file of its own">]>]>;

def Limit_ProgramLayers : LimitKind<"softmaxes", "attention layers of one program", [
  Everywhere<30, [Supports<ANEForge, "M5", "", Measured, "30 decode layers run, 32 fail with -1; 24 are advised (PR 254)">]>]>;

// Advice, not a fact: no record refuses more. One evaluation more costs less than a program that nobody has run.
def Limit_ChunkLayers : LimitKind<"softmaxes", "attention layers that the partitioner gives one program", [
  Everywhere<24, [
    Supports<ANEForge, "M5", "", Reported, "24 are advised where 30 run and 32 fail, e5rt route (PR 254)">,
    Supports<Maderix, "M1 Pro", "", Measured, "12 layers in one program run, in-memory route (issue 24)">]>]>;

def Limit_InFlight : LimitKind<"requests", "requests in flight of one program", [
  Everywhere<127, [
    Supports<ANEForge, "M5 Pro", "", Measured, "depth of the queue">,
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "a semaphore of 127">]>]>;

def Limit_LoadedBytes : LimitKind<"bytes", "bytes of all loaded programs", [
  Everywhere<3758096384, [
    Supports<ANEGuide, "M1", "", Measured, "an aperture of 3.5 GiB for device addresses">,
    Supports<FieldGuide, "M3 Max", "macOS 26.3", Measured, "about 50 programs of 70 MB, or 15 of 135 MB">,
    Contradicts<Omlx, "M3 Ultra", "", Measured, "banks of 3.75 GiB for each die">]>]>;

def Limit_CompiledPrograms : LimitKind<"programs", "programs compiled by one process (C05)", [
  Everywhere<119, [
    Supports<Orion, "M4 Max", "macOS 15", Measured, "compilation fails silently after about 119">,
    Contradicts<Espresso, "M3 Max", "macOS 15", Reported, "exhausted at about 100">,
    Contradicts<M0at, "M5", "macOS 26.3", Measured, "128 are compiled and kept loaded">,
    Contradicts<FieldGuide, "M3 Max", "macOS 26.3", Measured, "229 tiny programs">]>]>;

def Limit_LoadedPrograms : LimitKind<"programs", "programs loaded by one process (C139)", [
  LimitValue<128, AllTiers, [E5RT], [Supports<ANEForge, "M5 Pro", "", Measured, "the 129th must be recompiled">]>,
  Everywhere<127, [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "127 models load, the 128th fails with 0x50004">,
    Contradicts<Omlx, "", "", Reported, "121 handles probed, 120 used">,
    Contradicts<FieldGuide, "M3 Max", "macOS 26.3", Measured, "226 small kernels load">]>]>;

//===-- numbers ---------------------------------------------------------===//

def Limit_AccurateSumLength : LimitKind<"elements", "from this length on a sum is a matmul with ones (Q14)", [
  Everywhere<256, [Supports<ANEForge, "M5", "", Measured, "reduce_sum accumulates narrower than matmul">]>]>;

//===-- speed -----------------------------------------------------------===//

def Limit_OnChipBytes : LimitKind<"bytes", "largest operand that stays on the chip", [
  LimitValue<4720000, [TierH16], AllRoutes, [
    Supports<ANEGuide, "M5 Pro", "", Measured, "the knee is at 4.72 MB, and smooth">,
    Contradicts<ANEGuide, "H16", "", Inferred, "the HAL table says 2 MB">]>,
  Everywhere<2097152, [
    Supports<ANEGuide, "all but m9", "", Inferred, "HAL table">,
    Supports<ANEGuide, "M1", "", Measured, "the knee is at 2.28 ... 2.34 MB">]>]>;

def Limit_ReductionLength : LimitKind<"elements", "a reduction of at most this many elements is slow if it has many outputs (C174)", [
  Everywhere<4, [Supports<QwenANE, "M5 Max", "macOS 27", Measured, "4 elements into 81,920 outputs: 1.69 ms (Q48)">]>], false>;

def Limit_ReductionOutputs : LimitKind<"elements", "outputs of such a reduction", [
  Everywhere<81920, [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "4 elements into 81,920: 1.69 ms, 2,560 into 128: 0.36 ms (Q48)">]>]>;

def Limit_Cores : LimitKind<"cores", "cores over which the output channels of a weight are dealt (C189)", [
  Everywhere<16, [Supports<StableHLO, "", "", Reported, "an engine has 16 cores">]>], false>;

def Limit_SlabBytes : LimitKind<"bytes", "multiples of this are bad sizes of a core's part of a weight (C189)", [
  Everywhere<1048576, [Supports<StableHLO, "", "", Measured, "17 ... 19 instead of 45 ... 60 GB/s at multiples of 1 MiB">]>]>;

def Limit_SlabMargin : LimitKind<"bytes", "what is nearer to such a multiple is as bad", [
  Everywhere<16384, [Supports<StableHLO, "", "", Reported, "advises 16 KiB of distance">]>], false>;

def Limit_FlightWeightBytes : LimitKind<"bytes", "weights of one program before it slows down", [
  Everywhere<33554432, [
    Supports<Maderix, "M4 Max", "macOS 15", Measured, "best near 12.5 MB, first spill near 32 MB, collapse at 128 MB">,
    Supports<Orion, "M4 Max", "macOS 15", Reported, "a budget of 32 MB">,
    Contradicts<Libane, "M3 Pro", "", Reported, "8, 16, 32, 48 MB for M1 ... M4">]>]>;

def Limit_HiddenChannels : LimitKind<"channels", "input channels of a convolution before a layer slows down", [
  Everywhere<5119, [Supports<Rustane, "M4 Max, M5 Max", "", Measured, "from 5,120 on 4.7 times as slow (Q56)">]>]>;

def Limit_DeepChannels : LimitKind<"channels", "input channels of a convolution with fewer output channels", [
  Everywhere<17407, [Supports<QwenANE, "M5 Max", "macOS 27", Measured, "[5120, 17408] reaches 24 % of the peak (Q56b)">]>]>;

def Limit_ProductDepth : LimitKind<"elements", "elements summed by a matrix product at an error below 2 %", [
  Everywhere<2048, [
    Supports<ANEForge, "M1 Max ... M6", "", Measured, "N^3: 1.2 % at 2,048, 2.7 % at 4,096, 6.2 % at 8,192">]>]>;

def Limit_ProductUnit : LimitKind<"elements", "the axis that a product of computed values sums is a multiple of it", [
  Everywhere<32, [Supports<Maderix, "M1", "", Reported, "zeros otherwise (Q43)">]>], /*low=*/false>;

def Limit_SquareWidthPeriod : LimitKind<"elements", "period in the width of a square that a nonlinearity reads", [
  Everywhere<128, [Supports<ANEForge, "M5", "", Measured, "fails when the width modulo 128 is above 64 (Q11)">]>]>;

def Limit_SquareWidthRest : LimitKind<"elements", "width modulo Limit::SquareWidthPeriod of such a square", [
  Everywhere<64, [Supports<ANEForge, "M5", "", Measured, "fails when the width modulo 128 is above 64 (Q11)">]>]>;

def Limit_SmallProbabilityKeys : LimitKind<"keys", "keys of an attention whose probabilities survive the product", [
  Everywhere<4095, [Supports<CoreAI, "M5 Pro", "", Measured, "4,096 keys, probabilities of 2.4e-4: 5.2 % (Q63)">]>]>;

def Numeric_SmallestNormal : NumericKind<"6.103515625e-05", "least magnitude that fp16 holds with all its bits", [
  Supports<QwenANE, "M5 Max", "macOS 27", Measured, "values near 1e-6 are quantised away (Q67b)">]>;

def Numeric_SigmoidTableLow : NumericKind<"-9.938", "where the table of sigmoid begins", [
  Supports<ANEGuide, "M1", "", Measured, "the domain is [-9.938, 8.320]">]>;

def Numeric_SigmoidTableHigh : NumericKind<"8.320", "where the table of sigmoid ends", [
  Supports<ANEGuide, "M1", "", Measured, "the domain is [-9.938, 8.320]">]>;

def Numeric_SigmoidTableKnots : NumericKind<"33", "values in the table of sigmoid, with lines between them", [
  Supports<ANEGuide, "", "", Reported, "activations are piecewise linear tables of 33 knots">,
  Supports<ANEGuide, "M1", "", Inferred, "equal distances give the errors that were measured: 4 % of what is small, 3e-3">]>;

def Numeric_SliceMax : NumericKind<"4094.0", "largest value that a slice along the width keeps on H13 and H14", [
  Supports<ANEForge, "H13, H14", "", Measured, "4,094 passes, 4,096 becomes infinity (Q01)">]>;

def Numeric_ExpMax : NumericKind<"11.094", "from here on exp is infinite", [
  Supports<ANEGuide, "M1", "", Measured, "infinity at 11.094 and above">]>;

def Numeric_Fp16Max : NumericKind<"65504.0", "largest finite fp16 value", [
  Supports<ANEGuide, "all", "", Measured, "elementwise ops and reductions reach it">]>;

def Numeric_AccumulatorMax : NumericKind<"32752.0", "largest value that leaves the accumulator of matmul and convolution", [
  Supports<ANEGuide, "M1 ... M6", "", Measured, "32,752 passes, 32,768 becomes infinity, at any K (Q04)">]>;

def Numeric_AccumulatorPort : NumericKind<"32768.0", "from here on what leaves the accumulator is infinite", [
  Supports<ANEGuide, "M1 ... M6", "", Measured, "the output port saturates at 2^15, at any K">,
  Supports<ANEForge, "M1 ... M6", "", Measured, "the cliff is at 32,758.8 for sums of 4 ... 128 (Q04)">]>;

def Numeric_MaskValue : NumericKind<"-30000.0",
  "what a mask constant below the fp16 range becomes: its softmax weight is exactly zero; it stays below the accumulator's "
  "32,752 if the addition folds into a matmul, and two added masks stay finite", [
  Supports<Orion, "M4 Max", "macOS 15", Measured, "-1e4 masks give the exact GPT-2 tokens">,
  Supports<Maderix, "M4", "macOS 15", Reported, "-65504 masks train">,
  Supports<CoreAI, "all", "", Reported, "guidance: -40000 in place of -inf (Q66)">]>;

// The source gives the edge twice, as 7.63e-6 and as fp16 0x1.0cp-17, which is 7.99e-6. Its own remedy is accepted, what is written
// is safe for both.
def Numeric_SmallestArgument : NumericKind<"7.63e-6", "below it log and rsqrt give infinity", [
  Supports<Libane, "M3 Pro", "", Measured, "below 7.63e-6 both give infinity (Q42)">,
  Contradicts<Libane, "M3 Pro", "", Measured, "the same row writes it as fp16 0x1.0cp-17, which is 7.99e-6">]>;

def Numeric_SmallestFloor : NumericKind<"7.7e-6", "least floor of the argument of log and rsqrt", [
  Supports<Libane, "M3 Pro", "", Measured, "the remedy is max(x, 7.7e-6) (Q42)">]>;

def Numeric_SmallInput : NumericKind<"8.0e-6", "floor that legalised log and rsqrt get", [
  Supports<Libane, "M3 Pro", "", Measured, "fp16 rounds it to 0x1.0cp-17, the larger edge (Q42)">]>;

def Numeric_AngleMax : NumericKind<"8.0", "largest angle that fp16 holds well enough for a sine", [
  Supports<IEEE754, "", "", Inferred, "from 4 to 8 numbers are 2^-8 apart: a sine is off by at most 2e-3">]>;

def Numeric_SquareMax : NumericKind<"255.0", "largest value whose square is finite", [
  Supports<ANEGuide, "M1", "", Measured, "square gives infinity from 256">]>;

def Numeric_SoftplusMax : NumericKind<"10.0", "from here on softplus is its argument (Q08)", [
  Supports<ANEForge, "M4, M5", "", Measured, "softplus returns 0 from about 10.4">]>;

def Numeric_SoftplusZero : NumericKind<"10.4", "from here on softplus gives 0", [
  Supports<ANEForge, "M4, M5", "", Measured, "reports from 10.4 to 11.09 (Q08)">]>;

def Numeric_RoundMax : NumericKind<"1024.0", "from this magnitude on round adds a half too much", [
  Supports<ANEForge, "M5", "", Measured, "1024 becomes 1025 (Q06)">]>;

def Numeric_TransposedSumMax : NumericKind<"17321.0", "from here on a product of two transposed values is infinite", [
  Supports<ANEForge, "", "", Measured, "sums as low as 17,321 (Q05)">]>;

def Numeric_ProbabilityScale : NumericKind<"64.0", "what probabilities are multiplied by before a product", [
  Supports<CoreAI, "M5 Pro", "", Measured, "0.060 % of error instead of 5.2 % (Q63)">]>;

#endif // ANE_CONSTRAINT_LIMITS_TD
