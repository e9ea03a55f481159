//===- Spelling.td - forms of ops that fail or lie ----------------------===//
#ifndef ANE_CONSTRAINT_CATALOG_SPELLING_TD
#define ANE_CONSTRAINT_CATALOG_SPELLING_TD

include "ane/Constraint/Constraint.td"

def Tile : ANE_Constraint<"C48", "tile"> {
  let summary = "a program with tile makes programs that worked fail until the process ends";
  let symptom = EvalFail;
  let effect = PoisonsProcess;
  let ops = [ANE_TileOp];
  let where = [OnInMemory];
  let predicate = Unsupported<"broadcasting, or a copy on the CPU">;
  let legalisedBy = [LegalizeTile];
  let remedy = "a product with ones broadcasts; integers are copied on the CPU";
  let evidence = [
    Supports<FieldGuide, "M3 Max", "macOS 26.3", Measured, "later evaluations of other programs give 0x1d (Q85)">,
    Supports<QwenANE, "M5 Max", "macOS 27", Reported, "rejected">,
    Contradicts<ANEForge, "M5 Pro", "", Measured, "correct on e5rt">];
}

def Rsqrt : ANE_Constraint<"C49", "rsqrt"> {
  let summary = "rsqrt is rejected on the in-memory route";
  let symptom = Reject;
  let ops = [ANE_RsqrtOp];
  let where = [OnInMemory];
  let predicate = Unsupported<"sqrt and real_div">;
  let legalisedBy = [LegalizeSpellings];
  let remedy = "1 / sqrt(x) with sqrt and real_div: pow(x, -0.5) fails as well on some systems (C65)";
  let evidence = [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "rejected">,
    Supports<M0at, "M5", "macOS 26.3", Disputed, "rejected; epsilon was not given">,
    Supports<Espresso, "M3 Max", "macOS 15", Reported, "rejected">,
    Contradicts<ANEForge, "M5 Pro", "", Measured, "1e-3 on e5rt">,
    Contradicts<Crane, "", "macOS 15", Reported, "listed in a block that runs">];
}

def IdentityOutput : ANE_Constraint<"C50", "identity-output"> {
  let summary = "an identity must not be the only output of a program";
  let symptom = WrongResult;
  let effect = GivesNaN;
  let scope = PerProgram;
  let where = [OnInMemory];
  let predicate = Custom<"checkIdentityOutput", "the only result of a program is not an identity">;
  let remedy = "identities are folded away before programs are formed";
  let evidence = [Supports<QwenANE, "M5 Max", "macOS 27", Measured, "the output is NaN (Q10a)">];
}

def PassThrough : ANE_Constraint<"C51", "pass-through"> {
  let summary = "a result of a program is computed in it";
  let symptom = Crash;
  let scope = PerProgram;
  let predicate = Custom<"checkPassThrough", "no result is an argument or a constant">;
  let legalisedBy = [LegalizeIO];
  let remedy = "an argument that is returned is multiplied by 1";
  let evidence = [Supports<ANEForge, "M5", "", Measured, "unordered_map::at: key not found (Q10)">];
}

def ReturnedAndUsed : ANE_Constraint<"C52", "returned-and-used"> {
  let summary = "a value that is returned is used by nothing else in the program";
  let symptom = WrongResult;
  let effect = GivesNaN;
  let scope = PerProgram;
  let where = [OnInMemory];
  let predicate = Custom<"checkReturnedAndUsed", "a result has no other use in the program">;
  let legalisedBy = [LegalizeIO];
  let remedy = "a product with 1 makes the returned copy";
  let evidence = [Supports<QwenANE, "M5 Max", "macOS 27", Measured, "NaN without an identity between (Q10b)">];
}

def SmallArgument : ANE_Constraint<"C54", "small-argument"> {
  let summary = "log and rsqrt give infinity below 7.63e-6";
  let symptom = WrongResult;
  let effect = Cliff;
  let ops = [ANE_LogOp, ANE_RsqrtOp];
  let where = [OnInMemory];
  let predicate = Custom<"checkSmallArgument", "the argument is at least Numeric::SmallestFloor, by epsilon or a maximum, a clip or a "
                         "threshold before the op">;
  let legalisedBy = [LegalizeSpellings];
  let remedy = "maximum(x, 7.7e-6) before the op";
  let evidence = [
    Supports<Libane, "M3 Pro", "", Measured, "both give infinity below fp16 0x1.0cp-17 (Q42)">,
    Contradicts<ANEGuide, "M1", "", Measured, "log(0) is -45440, finite">];
}

def FiniteConstants : ANE_Constraint<"C55", "finite-constants"> {
  let summary = "constants, masks above all, are finite in fp16";
  let symptom = WrongResult;
  let effect = NotTold; // "mishandled" (Q66)
  let scope = PerProgram;
  let predicate = Custom<"checkFiniteConstants", "no constant is infinite, NaN or beyond Numeric::Fp16Max">;
  let legalisedBy = [NarrowMasks, LegalizeNarrowing, LegalizeDType];
  let remedy = "masks become differences in their rows, and no less than Numeric::MaskValue; what else is not finite is computed with on the CPU";
  let evidence = [
    Supports<CoreAI, "all", "", Reported, "guidance: -inf masks are mishandled, use -40000 (Q66)">,
    Supports<Orion, "M4 Max", "macOS 15", Measured, "-1e4 gives exact GPT-2 tokens">,
    Supports<ANEGuide, "M1", "", Measured, "inf - inf and 0 * inf are 0, NaN becomes infinity">];
}

def OverflowSafeNorm : ANE_Constraint<"C56", "overflow-safe-norm"> {
  let summary = "a mean of squares overflows from |x| = 256 on";
  let symptom = WrongResult;
  let effect = ComputesAnyway; // fp16 overflows by itself
  let ops = [ANE_RmsNormOp, ANE_LayerNormOp, ANE_GroupNormOp, ANE_InstanceNormOp, ANE_L2NormOp, ANE_ReduceSumSquareOp,
             ANE_ReduceL2NormOp, ANE_ReduceSumOp, ANE_ReduceMeanOp];
  let predicate = Custom<"checkOverflowSafeNorm", "no norm is left, and what is squared and summed was divided by its maximum">;
  let legalisedBy = [LegalizeNorms];
  let remedy = "decomposed: each token is scaled by its largest magnitude first";
  let evidence = [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "scaled by the maximum: 6e-5 ... 7e-4 (Q67)">,
    Supports<CoreAI, "all", "", Reported, "residuals above 255 overflow">,
    Supports<ANEGuide, "M1", "", Measured, "the square of 256 is infinity">];
}

def AccurateSum : ANE_Constraint<"C57", "accurate-sum"> {
  let summary = "reduce_sum accumulates in fp16, matmul wider";
  let symptom = Inaccurate;
  let ops = [ANE_ReduceSumOp, ANE_ReduceMeanOp];
  let predicate = Custom<"checkAccurateSum", "fewer than Limit::AccurateSumLength elements are summed">;
  let legalisedBy = [LegalizeSums];
  let remedy = "a product with halves, doubled: the accumulator ends at 32,768, a sum at 65,504; or one short axis after the other";
  let evidence = [
    Supports<ANEForge, "M5", "", Measured, "narrow additions; integers are exact up to 2048; x @ ones adds wider (Q14)">,
    Supports<ANEGuide, "M1", "", Measured, "a product with 16,384 ones is exact">];
}

def SigmoidSpelling : ANE_Constraint<"C58", "sigmoid-spelling"> {
  let summary = "sigmoid and silu are off by percents at small magnitudes";
  let symptom = Inaccurate;
  let effect = Cliff;
  let ops = [ANE_SigmoidOp, ANE_SiluOp];
  let predicate = Better<"1 / (1 + exp(-x)), x / (1 + exp(-x))">;
  let legalisedBy = [LegalizeSpellings];
  let remedy = "exp(min(x, 0)) / (1 + exp(-abs(x))), which is 1 / (1 + exp(-x)) without its overflow";
  let evidence = [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "4e-2 relative; x / (1 + exp(-x)) is accurate to 7e-4 (Q22)">,
    Supports<ANEGuide, "M1", "", Measured, "a table over [-9.938, 8.320], 3.4e-3 off; silu(0) is -1.26e-3">,
    Contradicts<ANEForge, "M5 Pro", "", Measured, "3.8e-3 and 1e-2">];
}

def ArctangentSpelling : ANE_Constraint<"C201", "arctangent-spelling"> {
  let summary = "atan is off by percents";
  let symptom = Inaccurate;
  let ops = [ANE_AtanOp];
  let predicate = Better<"a polynomial of x / (1 + sqrt(1 + x * x))">;
  let legalisedBy = [LegalizeSpellings];
  let remedy = "t P(t^2) with t = x / (1 + sqrt(1 + x^2)), the tangent of half the angle, without squares that overflow";
  let evidence = [Supports<ANEForge, "M5 Pro", "", Measured, "1.9e-2 relative, from a table in two parts; real_div is off by 1.7e-4, sqrt by 4.3e-4">];
}

def InMemoryMissing : ANE_Constraint<"C59", "stack-l2norm"> {
  let summary = "stack and l2_norm are rejected on the in-memory route";
  let symptom = Reject;
  let ops = [ANE_StackOp, ANE_L2NormOp];
  let where = [OnInMemory];
  let predicate = Unsupported<"l2_norm is decomposed, stack is concat of expanded values">;
  let remedy = "l2_norm is decomposed; stack runs on the CPU";
  let evidence = [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "rejected">,
    Contradicts<ANEForge, "M5 Pro", "", Measured, "both run on e5rt">];
}

def PadForm : ANE_Constraint<"C60", "pad-form"> {
  let summary = "pad knows height and width, and constants, only";
  let symptom = Reject;
  let ops = [ANE_PadOp];
  let where = [Applies<AllTiers, [InMemory, E5RT, Netlist]>, Applies<[TierOlder, TierH13, TierH14, TierH15], [CoreML]>,
               Applies<[TierH16], [CoreML], 0, 26>];
  let predicate = Custom<"checkPadForm", "only the last two axes are padded, with a constant">;
  let legalisedBy = [LegalizeSpellings];
  let remedy = "other axes are made the last for it; other modes run on the CPU";
  let evidence = [
    Supports<ANEForge, "M5 Pro", "", Measured, "height and width axes">,
    Supports<ANEGuide, "M1", "", Inferred, "reflection needs the texture engine, software on M1">,
    Contradicts<Study751K, "M4", "macOS 27", Measured, "channels, reflection and replication are accepted (C223)">];
}

def CoreMLPad : ANE_Constraint<"C223", "coreml-pad"> {
  let summary = "through Core ML pad knows channels, height and width, and reflects or replicates the last two";
  let symptom = Reject;
  let ops = [ANE_PadOp];
  let where = [Applies<[TierH16], [CoreML], 27, 0, false>]; // before: C60
  let predicate = Custom<"checkCoreMLPad",
    "the last two axes are padded by a constant, reflection or replication, the one before by a constant only">;
  let legalisedBy = [LegalizeSpellings];
  let remedy = "other axes are made the last for it; other modes run on the CPU";
  let evidence = [
    Supports<Study751K, "M4", "macOS 27", Measured, "these are accepted; others were not tried">];
}

def CastForm : ANE_Constraint<"C61", "cast-form"> {
  let summary = "cast is no engine op except between fp32 and fp16 from H15 on";
  let symptom = Reject;
  let ops = [ANE_CastOp];
  let predicate = Custom<"checkCastForm", "the cast does not change the type, or goes between fp32, fp16 and bool">;
  let host = true;
  let remedy = "the CPU casts at the boundary";
  let evidence = [
    Supports<Maderix, "M1 Pro, M2", "macOS 26.3", Measured, "casts between fp32 and fp16 fail to compile (Q38)">,
    Supports<ANEForge, "M5", "", Measured, "int32 is rejected everywhere">,
    Contradicts<Orion, "M4 Max", "macOS 15", Measured, "fp32 to fp16 and back runs">];
}

def SoftplusOverflow : ANE_Constraint<"C62", "softplus-overflow"> {
  let summary = "softplus returns 0 from 10.4 on";
  let symptom = WrongResult;
  let effect = Cliff;
  let ops = [ANE_SoftplusOp, ANE_SoftplusParametricOp];
  let predicate = Unsupported<"max(x, 0) + t P(t) with t = e^-|x|">;
  let legalisedBy = [LegalizeSpellings];
  let remedy = "max(x, 0) + t P(t) with t = e^-|x|";
  let evidence = [
    Supports<ANEForge, "M4, M5", "", Measured, "0 for x above 10.4 ... 11.09 (Q08)">,
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "the same">];
}

def PowExponent : ANE_Constraint<"C65", "pow-exponent"> {
  let summary = "pow with a constant exponent is rejected";
  let symptom = Reject;
  let ops = [ANE_PowOp];
  let where = [Applies<[TierH16], [InMemory], 27>];
  let predicate = Custom<"checkPowExponent", "the exponent is a runtime value">;
  let legalisedBy = [LegalizeSpellings];
  let remedy = "products, sqrt and real_div";
  let evidence = [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "a constant tensor as exponent is rejected, a runtime tensor runs">,
    Contradicts<Maderix, "M4", "macOS 15", Measured, "-0.5 in every RMS norm">,
    Contradicts<Orion, "M4 Max", "macOS 15", Measured, "the same">];
}

def RoundLarge : ANE_Constraint<"C66", "round-large"> {
  let summary = "round rounds halves away from zero, and is wrong from |x| = 1024 on";
  let symptom = WrongResult;
  let effect = Cliff;
  let ops = [ANE_RoundOp];
  let predicate = Unsupported<"floor(x), and 1 more where the rest is above a half, or a half and the floor odd">;
  let legalisedBy = [LegalizeSpellings];
  let remedy = "floor(x), and 1 more where the rest is above a half, or a half and the floor odd: exact";
  let evidence = [
    Supports<ANEForge, "M5", "", Measured, "1024 becomes 1025 (Q06); halves go away from zero, models round them to even">,
    Contradicts<Study751K, "M4", "macOS 27", Measured, "the compiler accepts it; values were not compared">];
}

def ReduceMean : ANE_Constraint<"C71", "reduce-mean"> {
  let summary = "reduce_mean fails for some shapes on the in-memory route";
  let symptom = Reject;
  let ops = [ANE_ReduceMeanOp];
  let where = [OnInMemory];
  let predicate = Unsupported<"reduce_sum and a multiplication by 1/n">;
  let legalisedBy = [LegalizeSpellings];
  let remedy = "reduce_sum and a multiplication by 1/n";
  let evidence = [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "axis 1: fails for [512, 32], works for [128, 6144]">,
    Supports<Espresso, "M3 Max", "macOS 15", Reported, "missing">,
    Contradicts<Orion, "M4 Max", "macOS 15", Measured, "layer norms of GPT-2, exact tokens">];
}

//===-- text that the compiler never writes -------------------------------===//

def InlineLiteral : ANE_Constraint<"C197", "inline-literal"> {
  let summary = "an argument is the name of a constant, no literal";
  let symptom = Reject;
  let anyOp = true;
  let where = [OnInMemory];
  let enforcedBy = Linter;
  let predicate = CheckedElsewhere<"every argument of an op that runs is a name; those of constexpr ops are attributes", "inlineLiteral">;
  let remedy = "a const statement before it, as the compiler writes for every argument";
  let evidence = [
    Supports<Orion, "M4 Max", "macOS 15", Measured, "matmul with transpose_x=true and concat with axis=1 fail to compile (Q68)">,
    Supports<M0at, "M5", "macOS 26.3", Reported, "rsqrt and reductions with literals fail to compile; others run them with names">,
    Contradicts<QwenANE, "M5 Max", "macOS 27", Reported, "an inline bool(false) compiles">];
  let verdict = "depends on the OS; names are accepted everywhere";
}

def RedefinedName : ANE_Constraint<"C198", "redefined-name"> {
  let summary = "a name is defined once";
  let symptom = Reject;
  let scope = PerProgram;
  let where = [OnInMemory];
  let enforcedBy = Linter;
  let predicate = CheckedElsewhere<"no two statements or parameters of a function give one name", "redefinedName">;
  let remedy = "names that are each defined once, as the compiler chooses them";
  let evidence = [
    Supports<Espresso, "M3 Max", "macOS 15", Reported, "collisions when two blocks with equal names were merged">,
    Contradicts<Espresso, "M3 Max", "macOS 15", Reported, "its fused decoders define some constants twice, with one value">];
}

def MaskOverflow : ANE_Constraint<"C199", "mask-overflow"> {
  let summary = "a mask that is near the end of the fp16 range overflows once a score is added";
  let symptom = Inaccurate;
  let ops = [ANE_AddOp];
  let enforcedBy = Linter;
  let predicate = CheckedElsewhere<"a constant that is added is at least -Numeric::AccumulatorMax", "maskOverflow">;
  let remedy = "a mask that stays finite when a score is added to it, such as -30000, which the compiler writes";
  let evidence = [
    Supports<CoreAI, "all", "", Reported, "masks of -inf are mishandled, -40000 is advised (Q66)">,
    Contradicts<Maderix, "M4", "macOS 15", Reported, "-65504 masks train">];
}

#endif // ANE_CONSTRAINT_CATALOG_SPELLING_TD
