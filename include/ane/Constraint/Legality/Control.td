//===- Control.td - control flow, state, lists, random, recurrence --------===//
#ifndef ANE_CONSTRAINT_LEGALITY_CONTROL_TD
#define ANE_CONSTRAINT_LEGALITY_CONTROL_TD

include "ane/Constraint/Legality.td"

let family = "Control flow, state, lists, random, recurrence" in {

def : ANE_Legality<[ANE_ReadStateOp, ANE_WriteStateOp], AllClaimed, [
  SweepRefused,
  E5RTRow<Rejected, [TierH13], [
    Supports<ANEGuide, "M1", "", Reported, "rejected by code generation; no engine moves the data">]>,
  CoreMLRow<Conditional, [
    Supports<CoreAI, "", "", Reported, "coremltools: runs with convolutions, 4 axes and small updates">,
    Contradicts<CoreAI, "", "", Reported, "coremltools: models with states fail to plan on the engine">],
    "extents that are multiples of 32">]> {
  let note = "paired inputs and outputs (C46)";
}
def : OtherLegality<["tensor_buffer_to_tensor", "tensor_to_tensor_buffer", "circular_buffer"], AllNetlist> {
  let note = "ring buffers; circular ones are gated above M1";
}
def : OtherLegality<["cond", "while_loop"], AllNetlist, [SweepRefused]> { let note = "unroll, or compute both and select"; }
def : OtherLegality<["call"], AllNetlist> { let note = "inline"; }
def : OtherLegality<["make_list", "list_read", "list_write", "list_gather", "list_scatter", "list_length"], AllRejected,
                    [SweepRefused]>;
def : ANE_Legality<[ANE_RnnOp, ANE_GruOp, ANE_LstmOp], AllRejected, [
  SweepMissing,
  CoreMLRow<CPUOnly, [Supports<Hollance, "various", "", Reported, "never on the engine">,
                      Supports<CoreAI, "", "", Reported, "maintainer of coremltools: not on the engine">]>]> {
  let note = "unrolled to matmul and activations (C39)";
}
def : OtherLegality<["random_uniform"], [Software, Software, Claimed, Claimed], [SweepMissing]> {
  let note = "numbers of the host as an input";
}
def : OtherLegality<["random_normal", "random_bernoulli", "random_categorical"], AllRejected, [SweepMissing]> {
  let note = "numbers of the host as an input";
}
def : OtherLegality<["dropout"], AllNative> { let note = "inference: an identity in netlists"; }
def : ANE_Legality<[ANE_NonMaximumSuppressionOp], !listsplat(CPUOnly, 4), [
  E5RTRow<CPUOnly, [TierH16], [
    Supports<ANEForge, "M5 Pro", "", Measured, "runs with the CPU or the GPU in the mask only">]>]> { let note = "C40"; }
def : ANE_Legality<[ANE_TopkOp], GatedOnH13, [
  SweepRight<"0", Conditional, "k is neither 3 nor 4 (Q23)">,
  E5RTRow<Gated, [TierH13], [Supports<ANEForge, "M1", "", Reported, "rejected">]>,
  E5RTRow<Conditional, [TierH13], [
    Supports<ANEGuide, "M1", "", Reported, "compiles except for k of 3 and 4">,
    Contradicts<ANEGuide, "M1", "", Reported, "an appendix: rejected by code generation">], "k is neither 3 nor 4">,
  CoreMLRow<CPUOnly, [Supports<CoreAI, "", "", Reported, "a detector's plan: topk and what it feeds are on the CPU">]>,
  NetlistRow<Conditional, [TierH14, TierH15, TierH16], [
    Supports<ANEForge, "M2 ... M5", "", Measured, "k is neither 3 nor 4 (Q23)">], "k is neither 3 nor 4">]> {
  let note = "C35";
}
def : ANE_Legality<[ANE_ArgsortOp], ClaimedFromH14, [
  SweepRefused,
  NetlistRow<Conditional, [TierH14, TierH15, TierH16], [
    Supports<ANEForge, "M2 ... M5", "", Measured, "57 to 137 ms (Q24)">], "the key is one lane">]> { let note = "C35"; }
def : OtherLegality<["sort"], ClaimedFromH14, [SweepRefused]>;
def : OtherLegality<["dynamic_slice"], GatedOnH13, [
  NetlistRow<Conditional, [TierH14, TierH15, TierH16], [
    Supports<ANEForge, "M2 ... M5", "", Measured, "width 4 and size 2 (Q29)">], "width 4 and size 2">]>;
def : OtherLegality<["classify"], AllRejected, [SweepRefused]>;

} // family

#endif // ANE_CONSTRAINT_LEGALITY_CONTROL_TD
