//===- Performance.td - what is slow -------------------------------------===//
// Advice: nothing here makes a program illegal. --report lists what it finds in the programs of a bundle.
#ifndef ANE_CONSTRAINT_CATALOG_PERFORMANCE_TD
#define ANE_CONSTRAINT_CATALOG_PERFORMANCE_TD

include "ane/Constraint/Constraint.td"

class SlowFact<string id, string slug> : ANE_Constraint<id, slug> {
  let symptom = Slow;
  let scope = Runtime;
  let enforcedBy = Nobody;
}

//===-- seen in programs ------------------------------------------------===//

def NormReshape : ANE_Constraint<"C173", "norm-reshape"> {
  let summary = "a norm as a reduction over the channels of [M, D, 1, 1] is slow";
  let symptom = Slow;
  let ops = [ANE_ReduceSumOp, ANE_ReduceMeanOp, ANE_ReduceSumSquareOp, ANE_ReduceL2NormOp];
  let predicate = Custom<"checkNormReshape", "a reduction over the channels has rows, or a batch of 1">;
  let remedy = "a reduction over the last axis, or a product with ones";
  let evidence = [Supports<ANEForge, "M5 Pro", "", Measured, "6,882 us at 1,024 x 1,024, 168 us with reduce_l2_norm (Q13)">];
}

def ReductionAxis : ANE_Constraint<"C174", "reduction-axis"> {
  let summary = "a reduction of few elements into many is slow";
  let symptom = Slow;
  let ops = [ANE_ReduceSumOp, ANE_ReduceMeanOp, ANE_ReduceMaxOp, ANE_ReduceMinOp, ANE_ReduceSumSquareOp, ANE_ReduceL1NormOp,
             ANE_ReduceL2NormOp];
  let predicate = Custom<"checkReductionAxis", "more than 4 elements are reduced, or fewer than 81,920 come out">;
  let remedy = "the long axis is the one that is reduced";
  let evidence = [Supports<QwenANE, "M5 Max", "macOS 27", Measured, "4 into 81,920: 1.690 ms; 2,560 into 128: 0.355 ms (Q48)">];
}

def StandaloneBatchNorm : ANE_Constraint<"C176", "standalone-batch-norm"> {
  let summary = "a batch_norm of its own costs accuracy";
  let symptom = Inaccurate;
  let ops = [ANE_BatchNormOp];
  let predicate = Better<"folded into the convolution before it">;
  let legalisedBy = [FoldBatchNorm, DecomposeComposites];
  let remedy = "folded into a convolution in the model's precision, else a product and a sum";
  let evidence = [Supports<ANEForge, "", "", Measured, "10 points of ResNet-50 in fp16 (Q50)">];
}

def WideHidden : ANE_Constraint<"C180", "wide-hidden"> {
  let summary = "layers of 5,120 channels and more are slow";
  let symptom = Slow;
  let ops = [ANE_ConvOp];
  let where = [Applies<[TierH16], [InMemory]>];
  let predicate = Custom<"checkWideHidden", "input channels are at most Limit::HiddenChannels">;
  let remedy = "accepted: a split would change the sums";
  let evidence = [Supports<Rustane, "M4 Max, M5 Max", "", Measured, "4.7 times as slow for each layer (Q56)">];
}

def DeepInput : ANE_Constraint<"C181", "deep-input"> {
  let summary = "a convolution with very many input and fewer output channels uses a quarter of the engine";
  let symptom = Slow;
  let ops = [ANE_ConvOp];
  let where = [Applies<[TierH16], [InMemory]>];
  let predicate = Custom<"checkDeepInput", "input channels are at most Limit::DeepChannels, or output channels are as many">;
  let remedy = "accepted: a split would change the sums; four parts are 3.8 times as fast";
  let evidence = [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "[5120, 17408] reaches 24 % of the peak; in 4 parts 3.81 times as fast (Q56b)">,
    Supports<CoreAI, "M5 Pro", "", Reported, "deep inputs with narrow outputs tile badly (Q82)">];
}

def OnChipOperand : ANE_Constraint<"C187", "on-chip-operand"> {
  let summary = "operands above about 2 MB leave the chip";
  let symptom = Slow;
  let ops = [ANE_MatmulOp, ANE_ConvOp];
  let predicate = Custom<"checkOnChipOperand", "no computed operand takes more than Limit::OnChipBytes bytes">;
  let remedy = "accepted: smaller batches or sequences stay on the chip";
  let evidence = [
    Supports<ANEGuide, "M1", "", Measured, "from 12 to 4.8 TFLOP/s at 2.3 MB">,
    Supports<ANEGuide, "M5 Pro", "", Measured, "a smooth knee at 4.72 MB">];
}

def FlightWeights : ANE_Constraint<"C188", "flight-weights"> {
  let summary = "programs with more than about 32 MB of weights run slower";
  let symptom = Slow;
  let scope = PerProgram;
  let where = [OnInMemory];
  let predicate = Custom<"checkFlightWeights", "the constants that ops read take at most Limit::FlightWeightBytes bytes">;
  let remedy = "accepted: two programs cost a dispatch more (C185)";
  let evidence = [
    Supports<Maderix, "M4 Max", "macOS 15", Measured, "first spill near 32 MB, collapse at 128 MB">,
    Supports<Libane, "M3 Pro", "", Reported, "30 % where an intermediate buffer is in memory; budgets of 8 ... 48 MB">,
    Contradicts<M0at, "M5", "macOS 26.3", Measured, "352 MB in one program at 1.4 TFLOP/s">];
}

def WeightSlab : ANE_Constraint<"C189", "weight-slab"> {
  let summary = "a weight whose part for each of 16 cores is a multiple of 1 MiB streams at a third of the speed";
  let symptom = Slow;
  let ops = [ANE_ConvOp, ANE_LinearOp, ANE_MatmulOp];
  let predicate = Custom<"checkWeightSlab", "ceil(outputs / 16) x inputs x 2 bytes is 16 KiB or more away from every multiple of 1 MiB">;
  let legalisedBy = [LegalizeChannels];
  let remedy = "what has too many outputs is split into slices of other sizes; else accepted: a split of the inputs in three would "
               "change the sums";
  let evidence = [
    Supports<StableHLO, "", "", Measured, "17 ... 19 instead of 45 ... 60 GB/s; split in three a decode step is 2.41 times as fast">];
}

//===-- seen by machines ------------------------------------------------===//

def TrainableConv : SlowFact<"C175", "trainable-conv"> {
  let summary = "a trainable convolution with a large batch compiles for minutes";
  let where = [Applies<[TierH13], [E5RT]>];
  let predicate = NotEnforced<"convolutions with computed weights run on the CPU (C53, C100)">;
  let remedy = "a batch of at most 128";
  let evidence = [
    Supports<ANEGuide, "M1", "", Measured, "1.9 s at 4, 35 s at 64, 79 s at 128, never at 1,000 (Q49)">,
    Contradicts<ANEForge, "M5", "", Measured, "fine">];
}

def ChannelsFirst : SlowFact<"C177", "channels-first"> {
  let summary = "transformers run faster with channels first, [1, C, 1, S]";
  let predicate = NotEnforced<"--ane-legalize-layout moves layouts to the border; nothing is refused">;
  let remedy = "channels first";
  let evidence = [
    Supports<ANEForge, "M5", "", Measured, "an encoder: 33.6 ms, channels first 5.7 ms; random weights hide it (Q51)">,
    Contradicts<Laws, "M4 Max", "", Reported, "[1, C, T, 1] is advised for Core ML">];
}

def CompilePacing : SlowFact<"C178", "compile-pacing"> {
  let summary = "after a failed compilation the service restarts for about 15 s";
  let predicate = NotEnforced<"the service belongs to the system">;
  let remedy = "the next compilation waits";
  let evidence = [Supports<ANEForge, "all", "", Measured, "bursts of failures starve every client (Q52)">];
}

def DualDie : SlowFact<"C179", "dual-die"> {
  let summary = "an Ultra slows down after about 100,000 evaluations";
  let predicate = NotEnforced<"the driver decides">;
  let remedy = "two sets of programs that alternate";
  let evidence = [Supports<Rustane, "M3 Ultra", "", Measured, "3,773 against 2,552 evaluations a second (Q55)">];
}

def ClockSwitch : SlowFact<"C182", "clock-switch"> {
  let summary = "a base M4 halves its speed after about 830 evaluations";
  let where = [Applies<[TierH16], AllRoutes>];
  let predicate = NotEnforced<"the power management decides">;
  let remedy = "both states are reported";
  let evidence = [Supports<CoreAI, "M4", "", Measured, "1.85 ... 2.25 ms, then 4.75 ms; 4 minutes of rest do not help (Q78)">];
}

def IdleWakeUp : SlowFact<"C183", "idle-wake-up"> {
  let summary = "the first evaluation after 5 s of rest takes 260 ms";
  let where = [Applies<[TierH13], AllRoutes>];
  let predicate = NotEnforced<"the power management decides">;
  let remedy = "evaluations that keep the engine awake";
  let evidence = [Supports<ANEGuide, "M1", "", Measured, "123 times the median; 7.6, 4.6, 2.15 ms while it warms up (Q79)">];
}

def SinglePrecision : SlowFact<"C184", "single-precision"> {
  let summary = "one fp32 literal splits a program";
  let where = [Applies<AllTiers, [CoreML]>];
  let predicate = NotEnforced<"no value of a program is fp32 (C22)">;
  let remedy = "bodies are written in fp16";
  let evidence = [Supports<CoreAI, "M4", "", Measured, "13 regions and 13.2 ms, one region and 2.1 ms (Q80)">];
}

def Regions : SlowFact<"C185", "regions"> {
  let summary = "every further program of a model costs about 0.7 ms";
  let predicate = NotEnforced<"--ane-form-islands makes as few programs as possible; the report counts them">;
  let remedy = "few and large programs";
  let evidence = [
    Supports<CoreAI, "M4", "", Measured, "0.72 ms (Q81)">,
    Supports<CoreAI, "A19 Pro", "", Measured, "1.1 ms between submissions">];
}

def ServiceMemory : SlowFact<"C186", "service-memory"> {
  let summary = "the compile service keeps every input open";
  let predicate = NotEnforced<"the service belongs to the system">;
  let remedy = "the service is ended between compilations";
  let evidence = [Supports<CoreAI, "", "macOS 27", Measured, "29 files, 178 GiB (Q84)">];
}

def ReductionRoute : SlowFact<"C190", "reduction-route"> {
  let symptom = Inaccurate;
  let summary = "reductions of more than 192 elements, 384 from H15 on, take another route";
  let predicate = NotEnforced<"the difference is below the rounding of fp16">;
  let remedy = "nothing to do";
  let evidence = [
    Supports<ANEGuide, "H13 and later", "", Inferred, "HAL table">,
    Contradicts<ANEGuide, "M1, M2", "", Measured, "one unit in the last place at most">];
}

#endif // ANE_CONSTRAINT_CATALOG_PERFORMANCE_TD
