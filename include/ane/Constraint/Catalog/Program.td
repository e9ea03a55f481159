//===- Program.td - whole programs, what loads and runs them -------------===//
#ifndef ANE_CONSTRAINT_CATALOG_PROGRAM_TD
#define ANE_CONSTRAINT_CATALOG_PROGRAM_TD

include "ane/Constraint/Constraint.td"

//===-- contents --------------------------------------------------------===//

def ProgramWeights : ANE_Constraint<"C133", "program-weights"> {
  let summary = "the weights of a program have a maximum";
  let symptom = Reject;
  let scope = PerProgram;
  let predicate = Custom<"checkProgramWeights", "the constants that ops read take at most Limit::ProgramWeightBytes bytes in fp16">;
  let legalisedBy = [FormIslands];
  let remedy = "the program is cut where the least data crosses";
  let evidence = [
    Supports<ANEForge, "M5", "", Measured, "1.5 GB run, 3.4 GB are not implemented">,
    Supports<Laws, "M4 Max", "", Reported, "Core ML: 250 MB; above 1 GB error -14">,
    Contradicts<Maderix, "M5", "", Reported, "no ceiling was found on the in-memory route up to 352 MB">];
}

def WeightFiles : ANE_Constraint<"C134", "weight-files"> {
  let summary = "a program reads a limited number of weight files";
  let symptom = Reject;
  let scope = PerProgram;
  let enforcedBy = VerifyEmittable;
  let where = [OnInMemory];
  let predicate = Custom<"checkWeightFiles", "the constants of a program are in at most Limit::WeightFiles files">;
  let legalisedBy = [AssignBlobs];
  let remedy = "one file for each program";
  let evidence = [
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "16 files run, 24 fail">,
    Supports<QwenANE, "M5 Max", "macOS 27", Disputed, "two files fail in one spelling and are needed in another: wrong data offsets (Q72, C08)">];
}

def ProgramLayers : ANE_Constraint<"C135", "program-layers"> {
  let summary = "a decoder of more than 30 layers does not run as one program";
  let symptom = EvalFail;
  let scope = PerProgram;
  let where = [Applies<[TierH16], [E5RT]>];
  let predicate = Custom<"checkProgramLayers", "a program has at most Limit::ProgramLayers softmaxes, one for each layer, spelled out or not">;
  let legalisedBy = [FormIslands];
  let remedy = "the program is cut where the least data crosses";
  let evidence = [Supports<ANEForge, "M5", "", Measured, "30 layers run, 32 return -1; 24 are advised (PR 254)">];
}

def FusionDepth : ANE_Constraint<"C151", "fusion-depth"> {
  let summary = "four recurrent layers in one program are invalid";
  let symptom = Reject;
  let scope = PerProgram;
  let where = [Applies<[TierH15], [InMemory]>];
  let enforcedBy = Nobody;
  let predicate = NotEnforced<"recurrent layers run on the CPU (C39)">;
  let remedy = "none";
  let evidence = [
    Supports<Espresso, "M3 Max", "macOS 15", Measured, "three layers run, four are InvalidMILProgram">,
    Contradicts<Maderix, "M1", "", Measured, "256 convolutions in a chain compile">];
}

def StaticShapes : ANE_Constraint<"C144", "static-shapes"> {
  let summary = "shapes are static";
  let symptom = Reject;
  let scope = PerProgram;
  let enforcedBy = OpVerifier;
  let predicate = CheckedElsewhere<"types of the dialect have no unknown extent", "staticShapes">;
  let remedy = "dimensions are bound on import (--dim)";
  let evidence = [Supports<ANEForge, "all", "", Measured, "'?' parses, then fails to lower">];
}

def LiteralNotation : ANE_Constraint<"C145", "literal-notation"> {
  let summary = "fp16 literals have no decimal exponent";
  let symptom = Reject;
  let scope = PerProgram;
  let enforcedBy = Linter;
  let where = [OnInMemory];
  let predicate = CheckedElsewhere<"fp16 numbers are written in hexadecimal notation", "literalNotation">;
  let remedy = "nothing to do: another notation is not written";
  let evidence = [Supports<Libane, "M3 Pro", "", Measured, "1e-3 is no token; what is below 5.96e-8 becomes 0 (Q40)">];
}

def PortType : ANE_Constraint<"C137", "port-type"> {
  let summary = "inputs and outputs are fp16: bool and int32 never leave a program";
  let symptom = Reject;
  let scope = PerProgram;
  let predicate = Custom<"checkPortTypes", "the element type of every argument and result is f16">;
  let legalisedBy = [LegalizeDType];
  let remedy = "the runtime converts at the border; integers stay on the CPU";
  let evidence = [
    Supports<ANEGuide, "M1", "", Measured, "fp16 and uint8 only">,
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "an int8 signature is InvalidMILProgram (Q69)">,
    Contradicts<ANEForge, "", "", Reported, "the e5rt parser takes 8 and 16-bit integers, 35 ms slower to compile">,
    Contradicts<Orion, "M4 Max", "macOS 15", Measured, "fp32 with casts inside">];
}

//===-- surfaces --------------------------------------------------------===//

def SlotOrder : ANE_Constraint<"C136", "slot-order"> {
  let summary = "surfaces of inputs ascend in size, those of outputs descend";
  let symptom = WrongResult;
  let effect = GivesZeros;
  let scope = PerProgram;
  let enforcedBy = VerifyEmittable;
  let where = [Applies<[TierH13], [InMemory]>];
  let predicate = Custom<"checkSlotOrder", "no surface of an argument is smaller, none of a result larger, than the one before">;
  let legalisedBy = [AssignSurfaces];
  let remedy = "all have one size (C02, C18)";
  let evidence = [
    Supports<Maderix, "M1", "", Reported, "zeros otherwise (Q44)">,
    Contradicts<Orion, "M4 Max", "macOS 15", Disputed, "all sizes must be equal">];
}

def SurfaceAlignment : ANE_Constraint<"C138", "surface-alignment"> {
  let summary = "surfaces of an M5 are aligned to 128 bytes";
  let symptom = EvalFail;
  let scope = PerProgram;
  let enforcedBy = VerifyEmittable;
  let where = [Applies<[TierH16], [InMemory]>];
  let predicate = Custom<"checkSurfaceAlignment", "the allocation of a surface is a multiple of Limit::SurfaceAlignment">;
  let legalisedBy = [AssignSurfaces];
  let remedy = "allocations are rounded up, which is harmless where the rule is false";
  let evidence = [
    Supports<Maderix, "M5", "", Disputed, "a pull request says so; its timing ignores failed evaluations">,
    Contradicts<M0at, "M5", "macOS 26.3", Measured, "runs without">];
}

def LaneStride : ANE_Constraint<"C143", "lane-stride"> {
  let summary = "rows have the pitch of the declared width, however few lanes hold data";
  let symptom = WrongResult;
  let scope = Runtime;
  let enforcedBy = Nobody;
  let where = [OnInMemory];
  let predicate = NotEnforced<"nothing can break it here: surfaces are written row by row, with the pitch of the manifest">;
  let remedy = "copies with a stride";
  let evidence = [Supports<QwenANE, "M5 Max", "macOS 27", Measured, "a contiguous copy of fewer lanes gives garbage (Q77)">];
}

//===-- loading and running ---------------------------------------------===//

def LoadedPrograms : ANE_Constraint<"C139", "loaded-programs"> {
  let summary = "a process holds about 127 programs";
  let symptom = EvalFail;
  let scope = Runtime;
  let enforcedBy = RuntimeCheck;
  let predicate = CheckedElsewhere<"at most Limit::LoadedPrograms programs are loaded", "loadedPrograms">;
  let remedy = "programs are few and large; they are unloaded when a bundle is closed";
  let evidence = [
    Supports<ANEForge, "M5 Pro", "", Measured, "e5rt: the 129th must be compiled again">,
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "the 128th fails with 0x50004">,
    Supports<Omlx, "", "", Reported, "121 handles probed, 120 used">,
    Contradicts<FieldGuide, "M3 Max", "macOS 26.3", Measured, "229 small programs">];
}

def LoadedBytes : ANE_Constraint<"C140", "loaded-bytes"> {
  let summary = "the programs of a process fit a window of about 3.5 GiB";
  let symptom = EvalFail;
  let scope = Runtime;
  let enforcedBy = RuntimeCheck;
  let predicate = CheckedElsewhere<"loaded programs take at most Limit::LoadedBytes bytes", "loadedBytes">;
  let remedy = "programs that do not fit run on the CPU";
  let evidence = [
    Supports<Omlx, "M1 Ultra, M3 Max, M3 Ultra", "", Measured, "status 0x20004 for a bank above the window (Q75)">,
    Supports<ANEGuide, "M1", "", Measured, "an aperture of 3.5 GiB">,
    Supports<FieldGuide, "M3 Max", "macOS 26.3", Measured, "50 programs of 70 MB, or 15 of 135 MB">,
    Contradicts<Omlx, "M3 Ultra", "", Reported, "banks of 7.86 GB in parts">];
}

def InFlight : ANE_Constraint<"C141", "in-flight"> {
  let summary = "a program has at most 127 requests in flight";
  let symptom = EvalFail;
  let scope = Runtime;
  let enforcedBy = Nobody;
  let predicate = NotEnforced<"nothing can break it here: an evaluation of a program ends before the next begins">;
  let remedy = "nothing to do";
  let evidence = [
    Supports<ANEForge, "M5 Pro", "", Measured, "depth of the queue">,
    Supports<QwenANE, "M5 Max", "macOS 27", Measured, "a semaphore of 127">];
}

def ProcedureSymbols : ANE_Constraint<"C142", "procedure-symbols"> {
  let summary = "each procedure of a program has symbol indices of its own";
  let symptom = EvalFail;
  let scope = PerProgram;
  let enforcedBy = VerifyEmittable;
  let where = [OnInMemory];
  let predicate = Custom<"checkProcedureSymbols", "no input or output has a name of another procedure of the program, so that a name has one index">;
  let legalisedBy = [AssignNames];
  let remedy = "indices are asked for by name, never assumed";
  let evidence = [
    Supports<Omlx, "M5 Pro, M3 Ultra", "", Measured, "the indices of another procedure give error 0x2">,
    Supports<AneInfer, "M5", "macOS 26.3", Measured, "one list of symbols for a program, and lists of indices for each procedure">];
}

def Procedures : ANE_Constraint<"C200", "procedures"> {
  let summary = "a program has a limited number of procedures";
  let symptom = Reject;
  let scope = PerProgram;
  let enforcedBy = VerifyEmittable;
  let effect = NotTold;
  let predicate = Custom<"checkProcedures", "a program has at most Limit::Procedures procedures">;
  let remedy = "a program for each procedure, as with --procedures=never";
  let evidence = [
    Supports<Omlx, "M5 Pro, M3 Ultra", "", Reported, "112 procedures in one program; more were not tried">,
    Supports<AneInfer, "M5", "macOS 26.3", Measured, "procedureIndex chooses among several functions of a text">,
    Contradicts<Maderix, "M5", "", Reported, "any procedureIndex is taken for a program of one function">];
}

def ArtifactCache : ANE_Constraint<"C146", "artifact-cache"> {
  let summary = "compiled programs are cached by content, bad ones as well";
  let symptom = WrongResult;
  let scope = Runtime;
  let enforcedBy = Nobody;
  let where = [OnInMemory];
  let predicate = NotEnforced<"the cache belongs to the system">;
  let remedy = "reuse is turned off where weight files are changed under the same text";
  let evidence = [Supports<QwenANE, "M5 Max", "macOS 27", Measured, "a program with a corrupted blob header was used again (Q73)">];
}

def LoaderRegression : ANE_Constraint<"C147", "loader-regression"> {
  let summary = "a release candidate of macOS 27 loads no program";
  let symptom = EvalFail;
  let scope = Runtime;
  let enforcedBy = Nobody;
  let where = [Applies<AllTiers, [InMemory], 27, 27>];
  let predicate = NotEnforced<"the system decides">;
  let remedy = "the CPU runs what does not load";
  let evidence = [Supports<Omlx, "", "macOS 27 rc3", Reported, "verifyBundleAtPath code 10; rc2 was fine (Q74)">];
}

def UnknownArchitecture : ANE_Constraint<"C149", "unknown-architecture"> {
  let summary = "e5rt compiles for an unknown architecture without a word";
  let symptom = WrongResult;
  let scope = Runtime;
  let enforcedBy = Nobody;
  let where = [Applies<AllTiers, [E5RT]>];
  let predicate = NotEnforced<"it is a fault of another compiler; the tools here take no target without a record">;
  let remedy = "names are checked before anything is compiled";
  let evidence = [Supports<ANEForge, "", "", Measured, "'zzz' compiles; the direct entry refuses it">];
}

def FirmwareEvents : ANE_Constraint<"C150", "firmware-events"> {
  let summary = "the firmware bounds events, barriers and buffers of a request";
  let symptom = EvalFail;
  let scope = Runtime;
  let enforcedBy = Nobody;
  let predicate = NotEnforced<"requests of one program use no events">;
  let remedy = "nothing to do";
  let evidence = [
    Supports<ANEGuide, "", "", Inferred, "16 signal events, 32 barriers, 16 trigger inputs, one shared event">,
    Supports<Libane, "M2 Pro", "", Inferred, "1 ... 511 buffers, 128 operations of 1,036 bytes">];
}

def EarlyBlobs : ANE_Constraint<"C153", "early-blobs"> {
  let summary = "weight files with several records fail on M1 and M2";
  let symptom = WrongResult;
  let disputed = true;
  let scope = PerProgram;
  let where = [Applies<[TierH13, TierH14], [InMemory]>];
  let predicate = Custom<"checkEarlyBlobs", "a program has at most Limit::WeightFiles large constants, each with a file of its own">;
  let legalisedBy = [AssignBlobs];
  let remedy = "a file for each constant of a program with few; records as in C08 in one file else";
  let noRule = "disputed: the records of those files were malformed (C08)";
  let evidence = [
    Supports<Maderix, "M1 Pro", "macOS 26.3", Disputed, "one file per tensor works">,
    Contradicts<QwenANE, "M5 Max", "macOS 27", Measured, "packed files work once sizes and offsets are absolute">];
}

def WeightConstants : ANE_Constraint<"C224", "weight-constants"> {
  let summary = "a program has a limited number of weight constants, in whatever files they are";
  let symptom = Reject;
  let disputed = true;
  let scope = PerProgram;
  let where = [OnInMemory];
  let predicate = Custom<"checkWeightConstants",
      "a program has at most Limit::WeightConstants weight constants, of which numbers in its text are one">;
  let legalisedBy = [FormIslands, LegalizeIslands];
  let remedy = "--constants-per-program=16 cuts programs";
  let noRule = "disputed: the files of those programs were as many as their constants (C134)";
  let evidence = [
    Supports<Orion, "M4 Max, M4", "macOS 15, macOS 26.5.2", Disputed,
             "17 are InvalidMILProgram, 16 compile; biases and vectors of norms count, numbers in add, mul and pow are one more; each weight is a file of its own, so that it may be the limit of files">,
    Contradicts<Maderix, "M1 Pro", "", Reported, "12 layers in one program run (issue 24): more than 16 weights, in how many files is not told">,
    Contradicts<QwenANE, "M5 Max", "macOS 27", Disputed, "16 files run and 24 fail: the same number, of another thing">];
}

//===-- what belongs to the system ----------------------------------------===//

class SystemFact<string id, string slug, list<RouteKind> onRoutes, int from = 0> : ANE_Constraint<id, slug> {
  let scope = Runtime;
  let enforcedBy = Nobody;
  let where = [Applies<AllTiers, onRoutes, from>];
  let predicate = NotEnforced<"the system decides">;
}

def CacheAccess : SystemFact<"C193", "cache-access", [CoreML, E5RT]> {
  let summary = "programs are compiled into a cache directory, to which the process must be able to write";
  let symptom = Reject;
  let remedy = "a sandbox that lets the process write there";
  let evidence = [Supports<Maderix, "", "", Reported, "e5rt in a sandbox fails without it (PR 99ba013)">];
}

def CompileAtURL : SystemFact<"C194", "compile-at-url", [CoreML], 26> {
  let summary = "MLModel's compileModelAtURL is broken for small programs of tools";
  let symptom = Reject;
  let remedy = "the in-memory route, which is not affected";
  let evidence = [Supports<Maderix, "", "macOS 26", Reported, "benchmarks no longer compile (PR 27)">];
}

def PlacementValues : SystemFact<"C195", "placement-values", [CoreML]> {
  let summary = "values in fp16 vary with the unit on which Core ML places an op";
  let symptom = Inaccurate;
  let remedy = "no engine where results must repeat to the bit";
  let evidence = [Supports<Zml, "M2 Max", "", Reported, "turns the engine off in its deterministic mode">];
}

def ComputeUnits : SystemFact<"C196", "compute-units", [CoreML]> {
  let summary = "with all units Core ML may leave the engine without a word, with CPU and engine it may deadlock";
  let symptom = Slow;
  let remedy = "CPU and engine, and a look at the power that the engine takes";
  let evidence = [
    Supports<Laws, "M4 Max", "", Reported, "all units fall back silently; CPU and engine are advised">,
    Supports<Hybrid, "M2 Ultra", "macOS 26.3", Reported, "with all units the GPU computed, the engine took 0 W">,
    Contradicts<Hybrid, "M2 Ultra", "macOS 26.3", Reported, "the advice deadlocks there">];
}

#endif // ANE_CONSTRAINT_CATALOG_PROGRAM_TD
