//===- Twenty.td - the published catalog, C01 ... C20 -------------------===//
// Numbers and statements are those of the Orion paper (ane-programming.md 6.1), with what was found since.
#ifndef ANE_CONSTRAINT_CATALOG_TWENTY_TD
#define ANE_CONSTRAINT_CATALOG_TWENTY_TD

include "ane/Constraint/Constraint.td"

let catalog = true in {

def Concat : ANE_Constraint<"C01", "concat"> {
  let summary = "concat is not accepted";
  let symptom = Reject;
  let ops = [ANE_ConcatOp];
  let predicate = Unsupported<"sums of partial products, of padded parts, or of 1x1 convolutions">;
  let legalisedBy = [LegalizeConcat];
  let remedy = "written as sums, which are exact; integers are joined on the CPU";
  let lifts = [Lift<Applies<[TierH15, TierH16], [InMemory], 15>,
                    "concat with named axis and interleave was compiled, run and checked on M3, M4 and M5",
                    CheckedElsewhere<"axis and interleave are written as named constants", "concatForm">>,
               Lift<Applies<[TierH13], [InMemory], 26>, "concat with named axis and interleave was compiled, run and checked on M1",
                    CheckedElsewhere<"axis and interleave are written as named constants", "concatForm">>,
               Lift<Applies<[TierH16], [E5RT], 26>, "concat was run and checked on M5 Pro",
                    CheckedElsewhere<"axis and interleave are written as named constants", "concatForm">>];
  let evidence = [
    Supports<Orion, "M4 Max", "macOS 15", Disputed, "compile failure; the form written was inline axis, no interleave">,
    Supports<QwenANE, "M5 Max", "macOS 27", Reported, "an early table says it fails; concat on axis 2 and 3 was run later">,
    Supports<Rustane, "M3 Ultra", "", Reported, "the width concat of rotary embedding fails to compile (Q54)">,
    Contradicts<Maderix, "M3 Ultra, M4", "macOS 15", Measured, "channel concat of up to six values in every training kernel">,
    Contradicts<Maderix, "M1 Pro, M5", "macOS 26.3", Measured, "the same kernels">,
    Contradicts<ANELM, "M3 Max", "macOS 26.3", Measured, "fused QKV projection">,
    Contradicts<ANEForge, "M5 Pro", "macOS 26.5", Measured, "correct to the last bit on e5rt">];
  let verdict = "false as a blanket ban: the argument form, the axis and the route decide";
}

def OutputSizes : ANE_Constraint<"C02", "output-sizes"> {
  let summary = "all outputs of a program have surfaces of one size";
  let symptom = EvalFail;
  let scope = PerProgram;
  let enforcedBy = VerifyEmittable;
  let predicate = Custom<"checkOutputSizes", "the surfaces of all results have the same number of bytes">;
  let legalisedBy = [AssignSurfaces];
  let remedy = "every allocation is padded to the largest; the tensors keep their shapes";
  let lifts = [Lift<Applies<[TierH15], [InMemory], 26>, "outputs of different sizes run when bound in the order of names">];
  let evidence = [
    Supports<Orion, "M4 Max", "macOS 15", Disputed, "status 0x1d; the outputs were bound in the order of declaration">,
    Contradicts<ANELM, "M3 Max", "macOS 26.3", Measured, "oproj_norm_qkv returns two sizes in production decoding">,
    Contradicts<Espresso, "M3 Max", "macOS 15", Reported, "a head returns vocabulary and one channel">,
    Contradicts<ANEForge, "", "", Reported, "not on e5rt: each port has its own buffer">];
  let verdict = "an artefact of binding order and row size; padding costs memory only";
}

def OutputOrder : ANE_Constraint<"C03", "output-order"> {
  let summary = "outputs are bound in the alphabetical order of their names";
  let symptom = WrongResult;
  let effect = SwapsSurfaces;
  let scope = PerProgram;
  let enforcedBy = VerifyEmittable;
  let predicate = Custom<"checkOutputOrder", "the names of the results, compared byte by byte, ascend in their declared order">;
  let legalisedBy = [AssignNames];
  let remedy = "the compiler chooses the names: lower case, numbers padded with zeros";
  let evidence = [
    Supports<Orion, "M4 Max", "macOS 15", Measured, "q, k, v come back as k, q, v">,
    Supports<Espresso, "M3 Max", "macOS 15", Measured, "zeros until surfaces were bound by sorted names">,
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "a reproducer with two inputs and two outputs (Q76)">,
    Supports<M0at, "M5", "macOS 26.3", Reported, "of three outputs q, k, v only the last is right">];
  let verdict = "true, confirmed twice independently";
}

def MinimumSurface : ANE_Constraint<"C04", "minimum-surface"> {
  let summary = "a surface has at least 49,152 bytes";
  let symptom = EvalFail;
  let scope = PerProgram;
  let enforcedBy = VerifyEmittable;
  let predicate = Custom<"checkMinimumSurface", "the surface of every argument and result has at least Limit::MinSurfaceBytes bytes">;
  let legalisedBy = [AssignSurfaces];
  let remedy = "the allocation is padded; the tensor keeps its shape";
  let lifts = [Lift<Applies<[TierH16], [InMemory], 15>, "4,096 bytes run and match the CPU; the rule is 64-byte rows (C24)">,
               Lift<Applies<[TierH15], [InMemory], 26>, "64 bytes run; the rule is 64-byte rows (C24)">,
               Lift<Applies<[TierH13], [E5RT], 27>, "a product of 64 elements runs">];
  let evidence = [
    Supports<Orion, "M4 Max", "macOS 15", Disputed, "[768,1] fails with 0x1d, [768,16] fp32 works: 768 rows of 64 bytes (Q47)">,
    Contradicts<ANEgpt, "M4", "macOS 15", Measured, "[64,16] fp32 (4,096 bytes) matches the CPU">,
    Contradicts<FieldGuide, "M3 Max", "macOS 26.3", Measured, "[1,1,1,32] (64 bytes) works">,
    Contradicts<ANEForge, "M1", "", Measured, "a linear of 64 elements runs on e5rt">];
  let verdict = "really the rule of 64-byte rows";
}

def CompileBudget : ANE_Constraint<"C05", "compile-budget"> {
  let summary = "a process compiles about 119 programs";
  let symptom = Reject;
  let scope = Runtime;
  let enforcedBy = RuntimeCheck;
  let where = [OnInMemory];
  let predicate = CheckedElsewhere<"a process compiles at most Limit::CompiledPrograms programs", "compileBudget">;
  let remedy = "programs are few and large; loads from the cache do not count";
  let evidence = [
    Supports<Orion, "M4 Max", "macOS 15", Measured, "compilation fails silently after about 119">,
    Supports<Espresso, "M3 Max", "macOS 15", Reported, "exhausted at about 100">,
    Contradicts<FieldGuide, "M3 Max", "macOS 26.3", Measured, "229 tiny programs; 50 of 70 MB: a budget of loaded bytes">,
    Contradicts<M0at, "M5", "macOS 26.3", Measured, "128 programs compiled and kept loaded">,
    Contradicts<ANEForge, "M5 Pro", "", Reported, "not on e5rt: what is loaded counts there (C139)">];
  let verdict = "false as a universal number: leaked or loaded bytes, and the OS, decide";
}

def AttentionMask : ANE_Constraint<"C06", "attention-mask"> {
  let summary = "scaled_dot_product_attention ignores its mask";
  let symptom = WrongResult;
  let effect = IgnoresMask;
  let ops = [ANE_ScaledDotProductAttentionOp];
  let predicate = OperandIsAbsent<"attn_mask">;
  let legalisedBy = [DecomposeComposites];
  let remedy = "matmul, add, softmax, matmul";
  let evidence = [
    Supports<Maderix, "M4 Max", "macOS 15", Disputed, "the mask has no effect; length 8, and inputs named q, k, v">,
    Supports<Orion, "M4 Max", "macOS 15", Reported, "taken over as a rule">,
    Contradicts<ANEForge, "M5", "", Reported, "the netlist layer takes an additive mask as fifth input">];
  let verdict = "reported; the test mixed up the binding order";
}

def BakedWeights : ANE_Constraint<"C07", "baked-weights"> {
  let summary = "weights are fixed when a program is compiled";
  let symptom = WrongResult;
  let effect = KeepsWeights;
  let scope = Runtime;
  let enforcedBy = RuntimeCheck;
  let predicate = CheckedElsewhere<"the runtime never changes a blob of a loaded program", "weightsUnchanged">;
  let remedy = "weights as inputs, a reload or a donor that is probed, or a new compilation";
  let evidence = [
    Supports<Maderix, "M4, M5", "macOS 15", Measured, "a changed file has no effect, nor has a reload on M5">,
    Supports<Maderix, "M4 Max", "", Measured, "unload, overwrite, load: the output is unchanged (PR 37cac98)">,
    Supports<M0at, "M5", "macOS 26.3", Measured, "the same">,
    Contradicts<Orion, "M4 Max", "macOS 15", Disputed, "unload, patch, load in 494 ms; the training that relies on it does not converge">];
  let verdict = "true unless a chip is measured otherwise";
}

def BlobOffset : ANE_Constraint<"C08", "blob-offset"> {
  let summary = "a BLOBFILE offset names the 64-byte metadata record of the tensor, 64 for the first, never the data";
  let symptom = WrongResult;
  let effect = ReadsWrongBytes;
  let scope = PerProgram;
  let enforcedBy = VerifyEmittable;
  let predicate = Custom<"checkBlobOffset", "the offset of every ane.blob is a whole multiple of Limit::BlobAlignment, not 0, and "
                         "its descriptor and data overlap no other's">;
  let legalisedBy = [AssignBlobs];
  let remedy = "sentinel, type, size and absolute data offset are written for every tensor";
  let evidence = [
    Supports<Orion, "M4 Max", "macOS 15", Measured, "another offset compiles and gives garbage">,
    Supports<MILBlob, "all", "", Measured, "the public header of the format">,
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "packed files work with size at byte 72 and data offset at byte 80 (Q72)">];
  let verdict = "true; 64 is only the first tensor's";
}

def MILTextType : ANE_Constraint<"C09", "mil-text-type"> {
  let summary = "the MIL text is given as NSData of UTF-8";
  let symptom = Crash;
  let scope = Runtime;
  let enforcedBy = Nobody;
  let where = [OnInMemory];
  let predicate = NotEnforced<"no code here calls the framework: the device for real hardware does not exist yet">;
  let remedy = "one function makes the descriptor";
  let evidence = [Supports<Orion, "M4 Max", "macOS 15", Reported, "a string gives nil or a crash">];
}

def Gelu : ANE_Constraint<"C10", "gelu"> {
  let summary = "gelu is not an operation";
  let symptom = Reject;
  let ops = [ANE_GeluOp];
  let predicate = Unsupported<"0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))">;
  let legalisedBy = [LegalizeGelu];
  let remedy = "decomposed to its tanh form";
  let lifts = [Lift<Applies<[TierH16], [E5RT], 26>, "gelu with a mode was run and checked on M5 Pro">];
  let evidence = [
    Supports<Orion, "M4 Max", "macOS 15", Disputed, "compile failure; mode was not given">,
    Contradicts<ANEForge, "M5 Pro", "macOS 26.5", Measured, "correct on e5rt (2.4e-3), mode is mandatory">];
  let verdict = "stated without the mode argument; the tanh form gives exact GPT-2 tokens";
}

def WeightDictionary : ANE_Constraint<"C11", "weight-dictionary"> {
  let summary = "the weight dictionary is never nil";
  let symptom = Crash;
  let scope = Runtime;
  let enforcedBy = Nobody;
  let where = [OnInMemory];
  let predicate = NotEnforced<"no code here calls the framework: the device for real hardware does not exist yet">;
  let remedy = "one function makes the descriptor";
  let evidence = [Supports<Maderix, "M4", "macOS 15", Reported, "nil makes the compilation fail silently">];
  let verdict = "mixed, harmless to obey";
}

def MatmulFlags : ANE_Constraint<"C12", "matmul-flags"> {
  let summary = "the transpose flags of matmul are named bool constants";
  let symptom = Reject;
  let ops = [ANE_MatmulOp];
  let enforcedBy = Linter;
  let predicate = CheckedElsewhere<"transpose_x and transpose_y are names of constants", "matmulFlags">;
  let remedy = "a const statement before it, as the compiler writes for every argument";
  let evidence = [
    Supports<Orion, "M4 Max", "macOS 15", Measured, "transpose_x=true inline fails to compile (Q68)">,
    Contradicts<QwenANE, "M5 Max", "macOS 27", Reported, "inline bool(false) compiles">];
  let verdict = "part of the rule that no argument is an inline literal";
}

def ConvBias : ANE_Constraint<"C13", "conv-bias"> {
  let summary = "conv has no bias argument";
  let symptom = Reject;
  let ops = [ANE_ConvOp];
  let predicate = OperandIsAbsent<"bias">;
  let legalisedBy = [LegalizeConvBias];
  let remedy = "a separate add of [1, C, 1, 1]";
  let evidence = [
    Supports<Orion, "M4 Max", "macOS 15", Measured, "a bias of shape [1, C, 1, 1] fails to compile; [C] was never tried">,
    Contradicts<Hollance, "various", "", Measured, "convolutions with bias run on the engine through Core ML">];
  let verdict = "false through Core ML, on chips that the source does not name; keep the add, which the compiler folds into the "
                "convolution";
}

def DeadNames : ANE_Constraint<"C14", "dead-names"> {
  let summary = "every name in the return tuple and every statement is live";
  let symptom = Reject;
  let scope = PerProgram;
  let enforcedBy = VerifyEmittable;
  let predicate = Custom<"checkDeadNames", "no op is unused, and each result is another value">;
  let remedy = "dead code is removed before outputs are named";
  let evidence = [Supports<Orion, "M4 Max", "macOS 15", Reported, "InvalidMILProgram when the tuple names what was removed">];
}

def RestartCost : ANE_Constraint<"C15", "restart-cost"> {
  let summary = "a restart of the process by exec costs about 50 ms";
  let symptom = Slow;
  let scope = Runtime;
  let enforcedBy = Nobody;
  let predicate = NotEnforced<"nothing here restarts a process">;
  let remedy = "programs are loaded once";
  let evidence = [Supports<Orion, "M4 Max", "macOS 15", Reported, "checkpoint, exec, resume">];
}

def ConvChannels : ANE_Constraint<"C16", "conv-channels"> {
  let summary = "a convolution of 32K or more channels is rejected";
  let symptom = Reject;
  let ops = [ANE_ConvOp, ANE_LinearOp];
  let predicate = Custom<"checkConvChannels", "input and output channels are at most Limit::ConvChannels">;
  let legalisedBy = [LegalizeChannels];
  let remedy = "output channels are split into exact slices of at most 16,384; more input channels run on the CPU, as their "
               "sum cannot be split exactly";
  defvar inputChannels = Custom<"checkConvChannelsMeasured", "input channels are at most Limit::ConvChannels, output channels "
                                "at most Limit::ConvOutputChannels">;
  let lifts = [Lift<Applies<[TierH16], [InMemory], 15>, "32,000 to 62,080 output channels run; only input channels are rejected",
                    inputChannels>,
               Lift<Applies<[TierH15], [InMemory], 26>, "65,536 output channels run; only input channels are rejected",
                    inputChannels>];
  let evidence = [
    Supports<Orion, "M4 Max", "macOS 15", Measured, "32,000 channels of a vocabulary projection fail to compile">,
    Supports<Maderix, "M4", "macOS 15", Reported, "32,000 input channels (backward classifier) fail to compile">,
    Supports<Zml, "M2 Max", "", Reported, "K or N above 32,768 are refused">,
    Contradicts<Maderix, "M4", "macOS 15", Measured, "32,000 output channels run in 1.06 ms">,
    Contradicts<ANELM, "M3 Max", "macOS 26.3", Measured, "65,536 output channels run">,
    Contradicts<QwenANE, "M5 Max", "macOS 27", Measured, "62,080 output channels run, 124,160 fail">];
  let verdict = "true for input channels only";
}

def LinearAsConv : ANE_Constraint<"C17", "linear-as-conv"> {
  let summary = "a 1x1 convolution is about three times as fast as a matmul";
  let symptom = Slow;
  let ops = [ANE_LinearOp, ANE_MatmulOp];
  let predicate = Custom<"checkLinearAsConv", "a product with a constant matrix is a 1x1 convolution">;
  let legalisedBy = [LegalizeLinear];
  let remedy = "linear becomes conv with a [O, I, 1, 1] weight";
  let evidence = [
    Supports<Maderix, "M4", "macOS 15", Reported, "3x">,
    Supports<Libane, "M3 Pro", "", Reported, "3x">,
    Contradicts<ANEForge, "M5 Pro", "", Measured, "roof 18.8 against 10.2 TFLOP/s; up to 2 MB the compiler folds matmul into conv itself">];
  let verdict = "depends on size";
}

def InputSizes : ANE_Constraint<"C18", "input-sizes"> {
  let summary = "all inputs of a program have surfaces of one size";
  let symptom = EvalFail;
  let scope = PerProgram;
  let enforcedBy = VerifyEmittable;
  let predicate = Custom<"checkInputSizes", "the surfaces of all arguments have the same number of bytes">;
  let legalisedBy = [AssignSurfaces];
  let remedy = "every allocation is padded to the largest; the tensors keep their shapes";
  let lifts = [Lift<Applies<[TierH15], [InMemory], 26>, "inputs of 4,096 and 2,560 channels run">];
  let evidence = [
    Supports<Orion, "M4 Max", "macOS 15", Disputed, "status 0x1d; the inputs were bound in the order of declaration">,
    Contradicts<ANELM, "M3 Max", "macOS 26.3", Measured, "oproj_add takes [1,4096,1,32] and [1,2560,1,32]">,
    Contradicts<Maderix, "M4", "macOS 15", Reported, "[1,K,1,M] and a [1,N,K] weight train">,
    Contradicts<ANEForge, "", "", Reported, "not on e5rt: each port has its own buffer">];
  let verdict = "an artefact, as C02";
}

def InputOrder : ANE_Constraint<"C19", "input-order"> {
  let summary = "inputs are bound in the alphabetical order of their names";
  let symptom = WrongResult;
  let effect = SwapsSurfaces;
  let scope = PerProgram;
  let enforcedBy = VerifyEmittable;
  let predicate = Custom<"checkInputOrder", "the names of the arguments, compared byte by byte, ascend in their declared order">;
  let legalisedBy = [AssignNames];
  let remedy = "the compiler chooses the names: lower case, numbers padded with zeros";
  let evidence = [
    Supports<Orion, "M4 Max", "macOS 15", Measured, "three inputs in all six permutations">,
    Supports<Espresso, "M3 Max", "macOS 15", Measured, "zeros until surfaces were bound by sorted names">,
    Contradicts<QwenANE, "M5 Max", "macOS 27", Disputed, "one wrapper needed two inputs from right to left (Q76b)">];
  let verdict = "true";
}

def PackedSurfaces : ANE_Constraint<"C20", "packed-surfaces"> {
  let summary = "a surface that is larger than its tensor is read packed from byte 0";
  let symptom = WrongResult;
  let effect = ReadsWrongRows;
  let scope = PerProgram;
  let enforcedBy = VerifyEmittable;
  let predicate = Custom<"checkPackedSurfaces", "where a surface is larger than its tensor, a row takes a multiple of "
                         "Limit::RowBytes bytes, so that packed and padded rows are the same bytes">;
  let legalisedBy = [LegalizeIO, AssignSurfaces];
  let remedy = "data is written from byte 0, rows are multiples of 64 bytes";
  let evidence = [
    Supports<Orion, "M4 Max", "macOS 15", Disputed, "16 elements a row: padded rows gave a result 260 times too small">,
    Contradicts<Libane, "M3 Pro", "", Reported, "surfaces have a pitch of 64 bytes">,
    Contradicts<M0at, "M5", "macOS 26.3", Measured, "the stride is max(W, 32)">];
  let verdict = "conflicts with the row rule except where rows are multiples of 64 bytes";
}

} // catalog

#endif // ANE_CONSTRAINT_CATALOG_TWENTY_TD
